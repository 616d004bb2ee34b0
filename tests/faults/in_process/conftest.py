"""Faults on the memory store and on SQLite, moved by a fake clock; on PostgreSQL too where a test asks for it by
`@pytest.mark.parametrize("store", STORES, indirect=True)`."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tenure.engine import worker
from tenure.stores.memory import MemoryStore
from tenure.stores.protocol import Store
from tenure.stores.sqlite.store import SqliteStore
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask
from tests.engine.troubled import Troubled
from tests.engine.workshop import Moments, OpenWorkshop, stand_for_time, workshops


def opened(kind: str, path: Path, clock: Callable[[], Any] | None) -> Iterator[Troubled]:
    bare: Store = MemoryStore(clock=clock) if kind == "memory" else SqliteStore(path, clock=clock)
    bare.open()
    yield Troubled(bare)
    bare.close()


@pytest.fixture(autouse=True)
def frequent_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that lives looks after itself many times a second, so that no test waits for a look."""
    monkeypatch.setattr(worker, "LOOK_AFTER", 0.05)


@pytest.fixture
def moments(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Moments:
    return stand_for_time(clock, monkeypatch)


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock, moments: Moments) -> Iterator[Troubled]:
    if request.param == "postgres":
        yield Troubled(request.getfixturevalue("postgres_tables").emptied(clock))
    else:
        yield from opened(request.param, tmp_path / "tenure.db", clock)


@pytest.fixture
def ask(store: Troubled, clock: FakeClock) -> Ask:
    return Ask(store, clock)


@pytest.fixture(params=["memory", "sqlite"])
def live_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Troubled]:
    """On the wall clock, for a worker that lives."""
    yield from opened(request.param, tmp_path / "tenure.db", None)


@pytest.fixture
def live(live_store: Troubled) -> Ask:
    return Ask(live_store, None)  # type: ignore[arg-type]


@pytest.fixture
def workshop(store: Troubled, clock: FakeClock) -> Iterator[OpenWorkshop]:
    yield from workshops(store, clock)
