"""A slowdown that is over leaves no row behind."""

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from tenure.core.retention import Retention
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.protocol import Store
from tenure.stores.reading import Slowdown
from tenure.stores.sqlite.store import SqliteStore
from tenure.testing import FakeClock
from tests.conformance.postgres_server import shared

COUNT = "SELECT count(*) FROM tenure_slowdowns"


def pruned(store: Store, clock: FakeClock) -> None:
    """One slowdown that is over and one that holds; then the pruner comes."""
    verbs = store.verbs
    store.run(verbs.slow_down(Slowdown("acme", "mail", clock() + timedelta(seconds=5), "busy")))
    store.run(verbs.slow_down(Slowdown("acme", "fax", clock() + timedelta(seconds=60), "busy")))
    clock.advance(6)
    store.run(verbs.prune(Retention(), 10))
    assert [one.kind for one in store.run(verbs.slowdowns())] == ["fax"]


def test_the_pruner_deletes_it_on_sqlite(tmp_path: Path, clock: FakeClock) -> None:
    store = SqliteStore(tmp_path / "one.db", clock=clock)
    store.open()
    pruned(store, clock)
    store.close()
    connection = sqlite3.connect(tmp_path / "one.db")
    assert connection.execute(COUNT).fetchone() == (1,)
    connection.close()


@pytest.mark.postgres
def test_the_pruner_deletes_it_on_postgresql(clock: FakeClock) -> None:
    url = shared().fresh_database()
    store = PostgresStore(url, clock=clock)
    store.open()
    pruned(store, clock)
    store.close()
    assert shared().execute(COUNT, url) == [(1,)]
