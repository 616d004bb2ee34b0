"""sqlite3 of the standard library."""

import sqlite3
from typing import Any, Final

from tenure.stores.connections.reach import Reach
from tenure.stores.script import Rows, Statement

_LEGACY: Final = -1
"""`sqlite3.LEGACY_TRANSACTION_CONTROL`, and what connections before Python 3.12 behave like."""


def knows(connection: Any) -> bool:
    return isinstance(connection, sqlite3.Connection)


def reach(connection: sqlite3.Connection) -> Reach:
    return Reach("sqlite", connection, lambda statement: execute(connection, statement), lambda: begin(connection))


def begin(connection: sqlite3.Connection) -> None:
    """Opens the transaction that the driver would open itself, only earlier: at its first statement, not at its
    first write."""
    if wants_begin(connection):
        connection.execute(f"BEGIN {connection.isolation_level}")


def wants_begin(connection: Any) -> bool:
    """Whether the driver keeps transactions for its caller, and none is open. Also of aiosqlite's connections."""
    legacy = getattr(connection, "autocommit", _LEGACY) == _LEGACY
    return legacy and connection.isolation_level is not None and not connection.in_transaction


def execute(connection: sqlite3.Connection, statement: Statement) -> Rows:
    """Plain rows, whatever factories the caller has set."""
    factory = connection.text_factory
    cursor = connection.cursor()
    cursor.row_factory = None
    connection.text_factory = str
    try:
        return cursor.execute(statement.text, statement.args).fetchall()
    finally:
        connection.text_factory = factory
        cursor.close()
