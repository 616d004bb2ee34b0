"""A row that somebody's transaction holds keeps its own report waiting, and nobody else's."""

from collections.abc import Iterator, Sequence

import psycopg
import pytest

from tenure.core.errors import StoreBusy
from tenure.core.lease import Beat, BeatAnswer
from tenure.core.states import State
from tenure.stores.postgres import driver, session, transaction
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.script import Script
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, failed
from tests.databases import postgres_store
from tests.engine.troubled import Troubled
from tests.engine.workshop import Desk

IDS = 3


class Locked:
    """Stands for a store in which the rows of some jobs are locked: beats skip them."""

    def __init__(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ids: set[str] = set()
        self._beat = desk.store.verbs.heartbeat
        monkeypatch.setattr(desk.store.verbs, "heartbeat", self._skipping)

    def _skipping(self, beats: Sequence[Beat]) -> Script[list[BeatAnswer]]:
        answers = yield from self._beat(beats)
        return [BeatAnswer(a.job_id, held=True) if a.job_id in self.ids else a for a in answers]


@pytest.fixture
def locked(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Locked:
    return Locked(desk, monkeypatch)


@pytest.mark.parametrize("script", ["complete_and_claim", "report"])
def test_only_the_report_of_a_locked_row_waits_and_goes_in_when_the_lock_is_gone(
    ask: Ask, desk: Desk, store: Troubled, clock: FakeClock, locked: Locked, script: str
) -> None:
    first, *others = [ask.enqueued() for _ in range(IDS)]
    for run in desk.claim():
        desk.say(run)
    locked.ids = {first}
    store.fail(script, StoreBusy("a lock was not to be had in time"))
    if script == "report":
        desk.dispatcher.stop_claiming()
        desk.dispatcher.tick()
    else:
        with pytest.raises(StoreBusy):
            desk.claim()
    assert [ask.job(job_id).state for job_id in others] == [State.SUCCEEDED] * 2
    assert len(desk.roster) == 1
    desk.dispatcher.tick()
    assert ask.job(first).state is State.RUNNING
    locked.ids = set()
    clock.advance(1)
    desk.dispatcher.tick()
    assert ask.job(first).state is State.SUCCEEDED
    assert desk.roster.free == 4


def test_beside_a_locked_row_other_work_is_claimed(
    ask: Ask, desk: Desk, store: Troubled, clock: FakeClock, locked: Locked
) -> None:
    first = ask.enqueued()
    (run,) = desk.claim()
    desk.say(run, failed(run.lease))
    locked.ids = {first}
    store.fail("report", StoreBusy("a lock was not to be had in time"))
    ask.enqueued()
    assert len(desk.claim()) == 1
    assert desk.dispatcher.tick() <= 0.5
    clock.advance(1)
    ask.enqueued()
    assert len(desk.claim()) == 1
    assert ask.job(first).state is State.RUNNING


@pytest.fixture(params=["direct", "pooled"])
def real(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresStore]:
    """A store that waits for locks a tenth of a second; pooled: as if nothing that is SET would last."""
    monkeypatch.setattr(transaction, "_BEGIN", transaction._BEGIN.replace(session.LOCK_WAIT, "100ms"))
    monkeypatch.setattr(session, "OWN_SESSION", session.OWN_SESSION.replace(session.LOCK_WAIT, "100ms"))
    monkeypatch.setattr(session, "LOCK_WAIT", "100ms")
    if request.param == "pooled":
        monkeypatch.setattr(driver, "is_direct", lambda connection: False)
    yield from postgres_store()


@pytest.mark.postgres
def test_a_row_that_a_callers_transaction_locks_in_postgresql_holds_up_nobody_else(real: PostgresStore) -> None:
    ask, desk = Ask(real, None), Desk(real)  # type: ignore[arg-type]
    first, second = ask.enqueued(), ask.enqueued()
    for run in desk.claim():
        desk.say(run)
    with psycopg.connect(real.url) as caller:
        caller.execute("SELECT FROM tenure_jobs WHERE id = %s FOR UPDATE", (first,))
        with pytest.raises(StoreBusy):
            desk.claim()
        assert ask.job(second).state is State.SUCCEEDED
        third = ask.enqueued()
        (run,) = desk.claim()
        assert run.lease.job_id == third
        assert ask.job(first).state is State.RUNNING
    while ask.job(first).state is State.RUNNING:
        desk.dispatcher.tick()
    assert ask.job(first).state is State.SUCCEEDED
