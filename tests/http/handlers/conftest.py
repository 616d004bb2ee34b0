"""A service without code, on each of the stores or in memory; the kinds stand in the database."""

from collections.abc import Iterator

import pytest

from tenure import Tenure
from tenure.core.kind import Kind
from tenure.http.options import ServiceOptions
from tenure.http.service import Service
from tenure.stores.memory import MemoryStore
from tenure.stores.protocol import Store
from tenure.testing import FakeClock
from tests.http.handlers.asking import Asking

KINDS = (
    Kind(name="mail", queue="post", schema='{"type":"object","properties":{"to":{"type":"string"}}}'),
    Kind(name="sum", versions=(1, 2)),
)


def asking(store: Store) -> Iterator[Asking]:
    app = Tenure("memory://")
    app.use(store)
    made = Asking(Service(app, ServiceOptions(upkeep=False)))
    made.declare(*KINDS)
    yield made
    made.close()
    app.close()


@pytest.fixture
def ask(store: Store) -> Iterator[Asking]:
    """On each of the stores."""
    yield from asking(store)


@pytest.fixture
def memory(clock: FakeClock) -> Iterator[Asking]:
    """In memory."""
    yield from asking(MemoryStore(clock=clock))
