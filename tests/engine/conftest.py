"""Engine parts on the memory store and a fake clock that also stands for the process's monotonic one."""

from collections.abc import Iterator

import pytest

from tenure.engine import worker
from tenure.stores.memory import MemoryStore
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask
from tests.engine.troubled import Troubled
from tests.engine.workshop import Desk, Moments, OpenWorkshop, stand_for_time, workshops


@pytest.fixture(autouse=True)
def frequent_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that lives looks after itself many times a second, so that no test waits for a look."""
    monkeypatch.setattr(worker, "LOOK_AFTER", 0.05)


@pytest.fixture
def moments(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Moments:
    return stand_for_time(clock, monkeypatch)


@pytest.fixture
def store(clock: FakeClock, moments: Moments) -> Troubled:
    return Troubled(MemoryStore(clock=clock))


@pytest.fixture
def ask(store: Troubled, clock: FakeClock) -> Ask:
    return Ask(store, clock)


@pytest.fixture
def desk(store: Troubled) -> Desk:
    return Desk(store)


@pytest.fixture
def workshop(store: Troubled, clock: FakeClock) -> Iterator[OpenWorkshop]:
    yield from workshops(store, clock)
