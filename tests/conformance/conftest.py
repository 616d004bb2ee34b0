"""The stores of the suite, and the embedded one once more with everything sealed at rest."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure.stores.memory import MemoryStore
from tenure.stores.protocol import Store
from tenure.testing.clock import FakeClock
from tests.conftest import STORES, emptied_store
from tests.databases import sqlite_store
from tests.sealing_keys import keyring


@pytest.fixture(params=(*STORES, "sealed"))
def store(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore(clock=clock)
    elif request.param == "sealed":
        yield from sqlite_store(tmp_path / "tenure.db", clock, keyring("a"))
    else:
        yield from emptied_store(request, clock, tmp_path)
