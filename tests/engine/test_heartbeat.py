"""One heartbeat for everything that runs, and what its answer means."""

import json

import pytest

from tenure.core.errors import StoreUnavailable
from tenure.core.job import Policy
from tenure.core.lease import Beat, BeatAnswer
from tenure.core.states import State
from tenure.engine.attempts.run import StopReason
from tenure.stores.script import Script
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, new
from tests.engine.troubled import Troubled
from tests.engine.workshop import Desk, handler, pass_time


def test_one_statement_keeps_all_leases(ask: Ask, desk: Desk, store: Troubled, clock: FakeClock) -> None:
    ask.enqueue(*(new() for _ in range(3)))
    runs = desk.claim()
    store.calls.clear()
    clock.advance(20)
    desk.heart.tick()
    assert store.calls == ["heartbeat"]
    clock.advance(55)
    assert ask.sweep().ended == ()
    assert [run.safe_until for run in runs] == [pytest.approx(1000 + 20 + 50)] * 3


def test_with_nothing_running_nothing_is_sent(desk: Desk, store: Troubled) -> None:
    assert desk.heart.tick() == pytest.approx(20)
    assert store.calls == []


def test_beats_leave_at_a_third_of_the_lease_also_when_one_takes_long(
    ask: Ask, store: Troubled, clock: FakeClock
) -> None:
    desk = Desk(store, lease=30)
    ask.enqueued()
    desk.claim()
    store.meanwhile("heartbeat", lambda: clock.advance(8))
    assert desk.heart.tick() == pytest.approx(2)
    store.meanwhile("heartbeat", lambda: clock.advance(12))
    assert desk.heart.tick() == 0


def test_the_lease_counts_from_the_sending_of_the_beat_not_from_its_answer(
    ask: Ask, desk: Desk, store: Troubled, clock: FakeClock
) -> None:
    ask.enqueued()
    (run,) = desk.claim()
    clock.advance(20)
    store.meanwhile("heartbeat", lambda: clock.advance(8))
    desk.heart.tick()
    assert run.safe_until == pytest.approx(1000 + 20 + 50)


def test_a_beat_that_fails_renews_nothing(ask: Ask, desk: Desk, store: Troubled, clock: FakeClock) -> None:
    ask.enqueued()
    (run,) = desk.claim()
    clock.advance(20)
    store.fail("heartbeat", StoreUnavailable("gone"))
    with pytest.raises(StoreUnavailable):
        desk.heart.tick()
    assert run.safe_until == pytest.approx(1000 + 50)


def test_another_token_on_the_job_is_a_lost_lease(ask: Ask, desk: Desk, clock: FakeClock) -> None:
    ask.enqueued()
    (run,) = desk.claim()
    clock.advance(61)
    ask.sweep()
    assert ask.lease(worker="w2").attempt == 2
    desk.heart.tick()
    assert desk.ended == [(run, StopReason.LEASE_LOST)]


def test_a_lease_that_has_expired_is_lost_even_before_the_sweep(ask: Ask, desk: Desk, clock: FakeClock) -> None:
    ask.enqueued()
    (run,) = desk.claim()
    clock.advance(61)
    desk.heart.tick()
    assert desk.ended == [(run, StopReason.LEASE_LOST)]


def test_a_row_that_somebody_has_locked_is_skipped_and_not_lost(
    ask: Ask, desk: Desk, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def skipping(beats: list[Beat]) -> Script[list[BeatAnswer]]:
        yield from ()
        return [BeatAnswer(beat.job_id, held=True, expires_at=None) for beat in beats]

    ask.enqueued()
    (run,) = desk.claim()
    run.note_progress('"half"')
    clock.advance(20)
    with monkeypatch.context() as patch:
        patch.setattr(desk.store.verbs, "heartbeat", skipping)
        desk.heart.tick()
    assert desk.ended == []
    assert run.safe_until == pytest.approx(1000 + 20 + 50)
    assert run.progress_sent is None


def test_a_cancellation_comes_back_with_the_beat(ask: Ask, desk: Desk, clock: FakeClock) -> None:
    job_id = ask.enqueued()
    (run,) = desk.claim()
    ask.cancel(job_id)
    desk.heart.tick()
    assert desk.ended == [(run, StopReason.CANCELLED)]


def test_a_progress_note_travels_once(ask: Ask, desk: Desk, store: Troubled, clock: FakeClock) -> None:
    job_id = ask.enqueued()
    (run,) = desk.claim()
    run.note_progress(json.dumps({"rows": 1}))
    desk.heart.tick()
    noted = ask.job(job_id)
    assert noted.progress == '{"rows": 1}'
    clock.advance(20)
    desk.heart.tick()
    assert ask.job(job_id).progress_at == noted.progress_at


def test_a_progress_note_travels_again_when_its_beat_has_failed(ask: Ask, desk: Desk, store: Troubled) -> None:
    job_id = ask.enqueued()
    (run,) = desk.claim()
    run.note_progress('"half"')
    store.fail("heartbeat", StoreUnavailable("gone"))
    with pytest.raises(StoreUnavailable):
        desk.heart.tick()
    desk.heart.tick()
    assert ask.job(job_id).progress == '"half"'


def test_an_attempt_that_notes_progress_in_time_is_kept_however_long_the_lease(
    ask: Ask, store: Troubled, clock: FakeClock
) -> None:
    desk = Desk(store, [handler("k", lambda _run: None, progress_timeout=3)], lease=60)
    job_id = ask.enqueued(policy=Policy(progress_timeout=3))
    (run,) = desk.claim()

    def note() -> float:
        run.note_progress(json.dumps({"at": str(clock())}))
        return 2.5

    def sweep() -> float:
        ask.sweep()
        return 5.0

    pass_time(clock, 60, note, desk.heart.tick, sweep)
    assert ask.job(job_id).state is State.RUNNING
    assert desk.ended == []


def test_an_end_that_was_written_while_the_beat_was_on_its_way_is_no_loss(
    ask: Ask, desk: Desk, store: Troubled
) -> None:
    ask.enqueued()
    (run,) = desk.claim()
    desk.say(run)
    store.meanwhile("heartbeat", desk.dispatcher.tick)
    desk.heart.tick()
    assert desk.ended == []
