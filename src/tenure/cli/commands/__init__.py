"""The commands, one a file, imported when they are called."""
