"""The three stores, each fresh for its test, on one fake clock."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from hypothesis import settings

from tenure.stores.memory import MemoryStore
from tenure.stores.protocol import Store
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask
from tests.databases import EITHER, postgres_store, sqlite_store, through_pooler
from tests.processes import Start, starting

if TYPE_CHECKING:
    from tenure.stores.postgres.store import PostgresStore

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

STORES = ("memory", *EITHER)


class LentClock:
    """A clock that follows whichever clock it was lent last: the PostgreSQL store outlives many tests."""

    def __init__(self) -> None:
        self.lent: Callable[[], datetime] = FakeClock()

    def __call__(self) -> datetime:
        return self.lent()


class PostgresTables:
    """One database and one store for all tests of this process, emptied between them."""

    def __init__(self) -> None:
        from tenure.stores.postgres.store import PostgresStore
        from tests.conformance.postgres_server import shared

        self.clock = LentClock()
        self.server = shared()
        self.url = self.server.fresh_database()
        self.store = PostgresStore(through_pooler(self.url), clock=self.clock)
        self.store.open()
        names = self.server.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename LIKE 'tenure\\_%' "
            "AND tablename NOT IN ('tenure_meta', 'tenure_migrations')",
            self.url,
        )
        self._empty = "; ".join(f"DELETE FROM {name}" for (name,) in names)
        self._connection = psycopg.connect(self.url, autocommit=True)

    def emptied(self, clock: Callable[[], datetime]) -> Store:
        self.clock.lent = clock
        self._connection.execute(self._empty)
        return self.store

    def close(self) -> None:
        self._connection.close()
        self.store.close()


@pytest.fixture(scope="session")
def postgres_tables() -> Iterator[PostgresTables]:
    tables = PostgresTables()
    yield tables
    tables.close()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore(clock=clock)
    else:
        yield from emptied_store(request, clock, tmp_path)


def emptied_store(request: pytest.FixtureRequest, clock: FakeClock, folder: Path) -> Iterator[Store]:
    """On the database of `EITHER` that the fixture has as its parameter."""
    if request.param == "sqlite":
        yield from sqlite_store(folder / "tenure.db", clock)
    else:
        yield request.getfixturevalue("postgres_tables").emptied(clock)


@pytest.fixture
def own_postgres() -> Iterator["PostgresStore"]:
    """A store on a PostgreSQL database that no other test has, on the clock of the server."""
    yield from postgres_store()


@pytest.fixture
def ask(store: Store, clock: FakeClock) -> Ask:
    return Ask(store, clock)


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """Starts `tenure …` in the test's `folder`."""
    with starting(folder) as run:
        yield run
