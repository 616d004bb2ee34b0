"""Decides of dead letters: what failed together, what runs again, and when that stops."""
