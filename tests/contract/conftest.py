"""A worker by hand on each of the three stores, its monotonic clock moved with the store's."""

from collections.abc import Callable, Iterator

import pytest

from tenure.engine.upkeep.promoter import Promoter
from tenure.engine.upkeep.reaper import Reaper
from tenure.stores.protocol import Store
from tenure.testing.clock import FakeClock
from tests.engine.workshop import OpenWorkshop, stand_for_time, workshops


@pytest.fixture
def shop(store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenWorkshop]:
    """Opens workers by their handlers; each keeps no loop of its own, and ends with the test."""
    stand_for_time(clock, monkeypatch)
    yield from workshops(store, clock)


@pytest.fixture
def sweep(store: Store) -> Callable[[], object]:
    """One sweep of lost leases and passed deadlines, as a worker's reaper does it."""
    return Reaper(store, 5.0).tick


@pytest.fixture
def promote(store: Store) -> Callable[[], object]:
    """One promotion of due jobs, as a worker's promoter does it."""
    return Promoter(store).tick
