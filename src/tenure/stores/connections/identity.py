"""Whether a caller's connection leads to the store's database."""

import os
from collections.abc import MutableMapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from tenure.core.errors import WrongDatabase
from tenure.stores.connections.failures import lacks_table
from tenure.stores.connections.reach import AsyncReach, Reach
from tenure.stores.protocol import Store
from tenure.stores.script import Rows, Statement, adrive, drive

_FILE: Final = Statement("PRAGMA database_list")
_DIALECTS: Final = {"postgres": "postgresql"}
_identities: Final[MutableMapping[Any, str]] = WeakKeyDictionary()
"""Database ids of stores and of connections, as long as those live."""


def check(reached: Reach, store: Store) -> None:
    """Raises WrongDatabase, and what the driver raises. An SQLite file is known by its path, since reading it would
    open a snapshot that a later write of the same transaction might find outdated."""
    _check_dialect(reached.dialect, store)
    if _is_same_file(store, reached.execute(_FILE) if reached.dialect == "sqlite" else []):
        return
    expected = _known(store) or _learn(store, store.run(store.verbs.database_id()))
    found = _known(reached.raw)
    if found is None:
        try:
            found = _learn(reached.raw, drive(store.verbs.database_id(), reached.execute))
        except Exception as error:
            if not lacks_table(error):
                raise
            raise WrongDatabase("connection: leads to a database without tenure's tables") from error
    _compare(expected, found)


async def acheck(reached: AsyncReach, store: Store) -> None:
    """The async twin of `check`."""
    _check_dialect(reached.dialect, store)
    if _is_same_file(store, (await reached.execute(_FILE)) if reached.dialect == "sqlite" else []):
        return
    expected = _known(store) or _learn(store, await store.arun(store.verbs.database_id()))
    found = _known(reached.raw)
    if found is None:
        try:
            found = _learn(reached.raw, await adrive(store.verbs.database_id(), reached.execute))
        except Exception as error:
            if not lacks_table(error):
                raise
            raise WrongDatabase("connection: leads to a database without tenure's tables") from error
    _compare(expected, found)


def _check_dialect(dialect: str, store: Store) -> None:
    scheme = store.url.partition(":")[0]
    theirs = _DIALECTS.get(scheme, scheme)
    if theirs != dialect:
        raise WrongDatabase(f"connection: leads to {dialect}, but the app's database is {theirs}")


def _is_same_file(store: Store, databases: Rows) -> bool:
    path = getattr(store, "path", None)
    return path is not None and any(
        name == "main" and file and os.path.realpath(file) == str(path) for _, name, file in databases
    )


def _known(thing: Any) -> str | None:
    try:
        return _identities.get(thing)
    except TypeError:
        # Not weakly referable (sqlite3's connections are not): asked each time.
        return None


def _learn(thing: Any, identity: str) -> str:
    if getattr(type(thing), "__weakrefoffset__", 0):
        _identities[thing] = identity
    return identity


def _compare(expected: str, found: str) -> None:
    if expected != found:
        raise WrongDatabase(f"connection: leads to database {found}, but the app's is {expected}")
