"""Decides which documents are taken, and where in one a value stands."""
