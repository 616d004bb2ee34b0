"""Keeps in PostgreSQL: one SQL file a statement, each with one JSON parameter and one JSON answer."""
