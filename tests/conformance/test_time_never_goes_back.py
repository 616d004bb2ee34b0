"""A store's time stands still when its clock is set back (PostgreSQL's server has its own clock)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure.stores.memory import MemoryStore
from tenure.stores.protocol import Store
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask
from tests.databases import sqlite_store


@pytest.fixture(params=["memory", "sqlite"])
def ask(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> Iterator[Ask]:
    memory: list[Store] = [MemoryStore(clock=clock)]
    for store in memory if request.param == "memory" else sqlite_store(tmp_path / "tenure.db", clock):
        yield Ask(store, clock)


def test_a_clock_set_back_an_hour_takes_nobodys_lease_and_gives_none_for_ever(ask: Ask) -> None:
    job_id = ask.enqueued()
    lease = ask.lease()
    now = ask.clock.advance(30)
    ask.beat(lease)
    ask.clock.advance(-3600)
    assert ask.run(ask.verbs.now()) == now
    assert ask.beat(lease).held
    assert ask.sweep().seen == 0
    fresh = ask.job(ask.enqueued(delay=10.0))
    assert fresh.created_at == now
    ask.clock.to(now)
    ask.clock.advance(59)
    assert ask.sweep().seen == 0
    assert ask.job(job_id).attempt == 1


def test_of_two_looks_the_later_one_never_tells_an_earlier_instant(ask: Ask) -> None:
    """Also where nothing was written in between that could be read back."""
    ask.clock.advance(30)
    first = ask.run(ask.verbs.now())
    ask.clock.advance(-3600)
    assert ask.run(ask.verbs.now()) == first


def test_an_sqlite_database_remembers_its_latest_instant_beyond_the_process(tmp_path: Path, clock: FakeClock) -> None:
    for store in sqlite_store(tmp_path / "tenure.db", clock):
        written = Ask(store, clock).enqueued()
        latest = Ask(store, clock).job(written).created_at
    clock.advance(-600)
    for store in sqlite_store(tmp_path / "tenure.db", clock):
        assert Ask(store, clock).run(store.verbs.now()) >= latest
