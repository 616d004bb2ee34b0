"""FAULTS.md section 10: rows that the database itself refuses to promote, among ten thousand that are due."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure.core.states import State
from tenure.engine import promoter as promoting
from tenure.engine.promoter import LONGEST_WAIT, Promoter
from tenure.stores.protocol import Store
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, new
from tests.crash.application import connect

JOBS, BATCH, REFUSED = 10_000, 200, 7
"""REFUSED: the priority with which no row may become ready."""

REFUSING = {
    "sqlite": f"CREATE TRIGGER refused BEFORE UPDATE ON tenure_jobs WHEN NEW.state = 'ready' AND NEW.priority = {REFUSED} "
    "BEGIN SELECT RAISE(ABORT, 'refused by the database'); END",
    "postgres": f"ALTER TABLE tenure_jobs ADD CONSTRAINT refused CHECK (state <> 'ready' OR priority <> {REFUSED})",
}


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def refusing_store(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[Store]:
    store = sqlite(tmp_path, clock) if request.param == "sqlite" else postgres(clock)
    store.open()
    connection = connect(store.url)
    connection.execute(REFUSING[request.param])
    connection.commit()
    connection.close()
    yield store
    store.close()


def sqlite(folder: Path, clock: FakeClock) -> Store:
    from tenure.stores.sqlite.store import SqliteStore

    return SqliteStore(folder / "tenure.db", clock=clock)


def postgres(clock: FakeClock) -> Store:
    from tenure.stores.postgres.store import PostgresStore
    from tests.conformance.postgres_server import shared

    return PostgresStore(shared().fresh_database(), clock=clock)


def test_three_rows_that_cannot_be_promoted_are_set_aside_and_all_others_become_ready(
    refusing_store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B71 · One bad row poisons a batch."""
    monkeypatch.setattr(promoting, "BATCH", BATCH)
    ask = Ask(refusing_store, clock)
    jobs = [new(delay=5.0, priority=REFUSED if n % 4000 == 7 else 0) for n in range(JOBS)]
    ask.enqueue(*jobs)
    bad = [job.id for job in jobs if job.priority == REFUSED]
    clock.advance(5)
    promoter = Promoter(refusing_store)
    waits = [promoter.tick() for _ in range(JOBS // BATCH)]
    assert waits.count(LONGEST_WAIT) <= len(bad), "no batch is tried faster for having failed"
    assert promoter.tick() == LONGEST_WAIT
    assert {count.state: count.jobs for count in ask.run(ask.verbs.counts())} == {State.READY: 9_997, State.FAILED: 3}
    ended = ask.run(ask.verbs.read(bad)).values()
    assert [(job.state, job.end_code) for job in ended] == [(State.FAILED, "set_aside")] * 3
    assert all("refused" in (job.error or "") for job in ended)
