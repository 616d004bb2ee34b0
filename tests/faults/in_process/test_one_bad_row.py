"""FAULTS.md section 10: rows that the database itself refuses to promote, among ten thousand that are due."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tenure.core.states import State
from tenure.engine.upkeep import promoter as promoting
from tenure.engine.upkeep.promoter import LONGEST_WAIT, Promoter
from tenure.stores.protocol import Store
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, new
from tests.crash.application import connect
from tests.databases import EITHER, postgres_store, sqlite_store

JOBS, BATCH, REFUSED = 10_000, 200, 7
"""REFUSED: the priority with which no row may become ready."""

REFUSING = {
    "sqlite": "CREATE TRIGGER refused BEFORE UPDATE ON tenure_jobs WHEN NEW.state = 'ready' AND NEW.priority = "
    f"{REFUSED} BEGIN SELECT RAISE(ABORT, 'refused by the database'); END",
    "postgres": f"ALTER TABLE tenure_jobs ADD CONSTRAINT refused CHECK (state <> 'ready' OR priority <> {REFUSED})",
}


@pytest.fixture(params=EITHER)
def refusing_store(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[Store]:
    sqlite = request.param == "sqlite"
    for store in sqlite_store(tmp_path / "tenure.db", clock) if sqlite else postgres_store(clock):
        with closing(connect(store.url)) as connection:
            connection.execute(REFUSING[request.param])
            connection.commit()
        yield store


def test_three_rows_that_cannot_be_promoted_are_set_aside_and_all_others_become_ready(
    refusing_store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
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
    refused = caplog.text.count("a batch of due jobs was refused")
    assert 1 <= refused <= len(bad)
    assert waits.count(LONGEST_WAIT) == refused, "what has failed is not tried faster for it"
    assert promoter.tick() == LONGEST_WAIT
    assert {count.state: count.jobs for count in ask.run(ask.verbs.counts())} == {State.READY: 9_997, State.FAILED: 3}
    ended = ask.run(ask.verbs.read(bad)).values()
    assert [(job.state, job.end_code) for job in ended] == [(State.FAILED, "set_aside")] * 3
    assert all("refused" in (job.error or "") for job in ended)
