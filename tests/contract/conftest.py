"""A worker by hand on each of the three stores, its monotonic clock moved with the store's."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tenure.engine.handler import Handler
from tenure.engine.promoter import Promoter
from tenure.engine.reaper import Reaper
from tenure.stores.protocol import Store
from tenure.testing.clock import FakeClock
from tests.engine.workshop import Workshop, stand_for_time

OpenShop = Callable[..., Workshop]


@pytest.fixture
def shop(store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenShop]:
    """Opens workers by their handlers; each keeps no loop of its own, and ends with the test."""
    stand_for_time(clock, monkeypatch)
    opened: list[Workshop] = []

    def open_one(*handlers: Handler, **said: Any) -> Workshop:
        opened.append(Workshop(store, clock, handlers, **said))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


@pytest.fixture
def sweep(store: Store) -> Callable[[], object]:
    """One sweep of lost leases and passed deadlines, as a worker's reaper does it."""
    return Reaper(store, 5.0).tick


@pytest.fixture
def promote(store: Store) -> Callable[[], object]:
    """One promotion of due jobs, as a worker's promoter does it."""
    return Promoter(store).tick
