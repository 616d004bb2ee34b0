"""Decides of what a job does outside: effects, files, checkpoints."""
