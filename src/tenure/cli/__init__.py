"""Shows, on a terminal. Each command: parse, one operation, render."""
