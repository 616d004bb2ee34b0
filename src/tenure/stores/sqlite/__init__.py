"""SQLite: one file, many processes, no server."""

from tenure.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
