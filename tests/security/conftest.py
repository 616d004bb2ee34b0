"""The interface on SQLite, and on each database where the database matters."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure.stores.protocol import Store
from tenure.testing import FakeClock
from tests.conftest import emptied_store
from tests.databases import EITHER, sqlite_store
from tests.security.gate import Gate, gate_of


@pytest.fixture
def gate(tmp_path: Path, clock: FakeClock) -> Iterator[Gate]:
    """On SQLite."""
    for store in sqlite_store(tmp_path / "tenure.db", clock):
        with gate_of(store, clock) as made:
            yield made


@pytest.fixture(params=EITHER)
def database(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> Iterator[Store]:
    yield from emptied_store(request, clock, tmp_path)


@pytest.fixture
def either(database: Store, clock: FakeClock) -> Iterator[Gate]:
    """On SQLite, and on PostgreSQL."""
    with gate_of(database, clock) as made:
        yield made
