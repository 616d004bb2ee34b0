"""Django's connections: `django.db.connection`, `connections["…"]`, and the wrappers behind them.

The statements go to the driver's own connection, inside the transaction that `transaction.atomic` keeps there.
"""

from collections.abc import Callable
from typing import Any

from tenure.core.errors import Misconfigured
from tenure.stores.connections import psycopg, sqlite
from tenure.stores.connections.reach import Reach, is_of


def knows(connection: Any) -> bool:
    return is_of(connection, "django", "BaseDatabaseWrapper", "ConnectionProxy")


def reach(connection: Any) -> Reach:
    """Raises Misconfigured for a driver that is not known."""
    connection.ensure_connection()
    raw = connection.connection
    if sqlite.knows(raw):
        return sqlite.reach(raw)
    if psycopg.knows(raw):
        return psycopg.reach(raw)
    raise Misconfigured(
        f"connection: Django's driver {type(raw).__module__} is not known", hint="Use SQLite, or psycopg 3."
    )


def after_commit(connection: Any, call: Callable[[], None]) -> bool:
    if not knows(connection) or not (connection.in_atomic_block or connection.get_autocommit()):
        return False  # Whoever ends transactions by himself is told by Django that he has no hook.
    fate = set(connection.savepoint_ids)
    if not any(known[:2] == (fate, call) for known in connection.run_on_commit):
        connection.on_commit(call)
    return True
