"""The caller's own connection: scripts run inside the caller's transaction, which is neither committed nor ended.

Known by their type, without importing what is not installed: sqlite3, psycopg (sync and async), asyncpg (its pools
too), SQLAlchemy (Session, Connection, AsyncSession, AsyncConnection) and Django's connection wrapper.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from tenure.core.errors import Misconfigured
from tenure.stores.connections import asyncpg, django, psycopg, sqlalchemy, sqlite
from tenure.stores.connections.failures import typed
from tenure.stores.connections.identity import acheck, check
from tenure.stores.connections.reach import AsyncReach, Dialect, Reach
from tenure.stores.protocol import Store
from tenure.stores.script import Script, T, adrive, drive

_SYNC: Final = (
    (sqlite.knows, sqlite.reach),
    (psycopg.knows, psycopg.reach),
    (sqlalchemy.knows, sqlalchemy.reach),
    (django.knows, django.reach),
)
_ASYNC: Final = (
    (psycopg.aknows, psycopg.areach),
    (asyncpg.aknows, asyncpg.areach),
    (sqlalchemy.aknows, sqlalchemy.areach),
)
_KNOWN: Final = "a connection or session of sqlite3, psycopg, asyncpg, SQLAlchemy or Django"


def run_in(connection: Any, script: Script[T], store: Store, *, verb: str = "enqueue") -> T:
    """Runs a script on a caller's sync connection. verb: what the caller has called, for the refusal of a connection.

    Raises Misconfigured (an async or unknown connection), WrongDatabase, RetryTransaction (roll back and run the
    whole transaction again), and what the driver raises.
    """
    with typed():
        reached = _reached(connection, verb)
        check(reached, store)
        reached.begin()
        return drive(script, reached.execute)


async def arun_in(connection: Any, script: Script[T], store: Store, *, verb: str = "aenqueue") -> T:
    """The async twin of `run_in`, for async connections."""
    with typed():
        reached = await _areached(connection, verb)
        await acheck(reached, store)
        await reached.begin()
        return await adrive(script, reached.execute)


def run_on(connection: Any, script: Callable[[Dialect], Script[T]], *, verb: str | None = None) -> T:
    """Runs a script on a caller's sync connection, whatever database it leads to. Raises as `run_in`, but
    WrongDatabase."""
    with typed():
        reached = _reached(connection, verb)
        reached.begin()
        return drive(script(reached.dialect), reached.execute)


async def arun_on(connection: Any, script: Callable[[Dialect], Script[T]], *, verb: str | None = None) -> T:
    """The async twin of `run_on`."""
    with typed():
        reached = await _areached(connection, verb)
        await reached.begin()
        return await adrive(script(reached.dialect), reached.execute)


def _reached(connection: Any, verb: str | None) -> Reach:
    for knows, reach in _SYNC:
        if knows(connection):
            return reach(connection)
    raise _refusal(connection, _ASYNC, "async", None if verb is None else f"a{verb}", "a sync")


async def _areached(connection: Any, verb: str | None) -> AsyncReach:
    for knows, reach in _ASYNC:
        if knows(connection):
            return await reach(connection)
    raise _refusal(connection, _SYNC, "sync", None if verb is None else verb.removeprefix("a"), "an async")


def after_commit(connection: Any, call: Callable[[], None]) -> bool:
    """Calls `call` when the transaction that is open on `connection` has committed, and never if it rolls back. Calls
    that are equal are one.

    True: the library has such a hook (SQLAlchemy sessions, Django). False: it has none, and nothing is called.
    """
    return sqlalchemy.after_commit(connection, call) or django.after_commit(connection, call)


def _refusal(
    connection: Any, others: Iterable[tuple[Callable[[Any], bool], Any]], sort: str, twin: str | None, wanted: str
) -> Misconfigured:
    """twin: the verb that takes such a connection, None where there is none. wanted: what the verb that was called
    takes."""
    name = f"{type(connection).__module__}.{type(connection).__qualname__}"
    if any(knows(connection) for knows, _ in others):
        hint = f"Pass {wanted} connection." if twin is None else f"Call `{twin}`, or pass {wanted} connection."
        return Misconfigured(f"connection: {name} is {sort}", hint=hint)
    return Misconfigured(f"connection: {name} is not known", hint=f"Pass {_KNOWN}.")
