"""The databases that tests run on, each fresh: its URL, or an open store on it."""

import os
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tenure.stores.sealing.keyring import Keyring

if TYPE_CHECKING:
    from tenure.stores.postgres.store import PostgresStore
    from tenure.stores.sqlite.store import SqliteStore

EITHER = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))


POOLER = "TENURE_TEST_POOLER"
"""Names the connection pooler through which stores on PostgreSQL go, as `postgresql://user@host:port`; unset: none."""


def through_pooler(url: str) -> str:
    """The way to the database of `url` that a test's store takes."""
    pooler = os.environ.get(POOLER)
    return url if pooler is None else pooler + urlsplit(url).path


def fresh(kind: str, folder: Path) -> str:
    """The URL of a database of a kind of `EITHER`."""
    if kind == "sqlite":
        return f"sqlite:///{folder}/tenure.db"
    from tests.conformance.postgres_server import shared

    return shared().fresh_database()


def sqlite_store(
    path: Path, clock: Callable[[], datetime] | None = None, keyring: Keyring | None = None
) -> Iterator["SqliteStore"]:
    from tenure.stores.sqlite.store import SqliteStore

    store = SqliteStore(path, clock=clock, keyring=keyring)
    store.open()
    yield store
    store.close()


def postgres_store(
    clock: Callable[[], datetime] | None = None, keyring: Keyring | None = None
) -> Iterator["PostgresStore"]:
    from tenure.stores.postgres.store import PostgresStore
    from tests.conformance.postgres_server import shared

    store = PostgresStore(through_pooler(shared().fresh_database()), clock=clock, keyring=keyring)
    store.open()
    yield store
    store.close()
