"""The loops that look after a database, whoever works on it."""
