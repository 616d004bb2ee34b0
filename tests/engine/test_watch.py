"""The watch ends attempts by the process's own clock, and sees a blocked event loop."""

import asyncio
import logging
import threading
from collections.abc import Iterator

import pytest

from tenure.core.errors import LeaseLost
from tenure.core.job import Policy
from tenure.engine.attempts.loop_thread import LoopThread
from tenure.engine.attempts.run import StopReason
from tenure.engine.attempts.watch import Watch
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask
from tests.engine.living import until
from tests.engine.troubled import Troubled
from tests.engine.workshop import WAIT, Desk, Moments, handler


@pytest.fixture
def loop() -> Iterator[LoopThread]:
    one = LoopThread()
    one.start()
    yield one
    assert one.stop(WAIT)


def watching(desk: Desk, loop: LoopThread, moments: Moments) -> Watch:
    return Watch(desk.roster, desk.handlers, desk._end, loop.loop, clock=moments.monotonic)


def test_an_attempt_is_ended_at_its_run_time_limit(
    ask: Ask, desk: Desk, loop: LoopThread, moments: Moments, clock: FakeClock
) -> None:
    ask.enqueued(run_time_limit=10.0)
    (run,) = desk.claim()
    watch = watching(desk, loop, moments)
    clock.advance(9.9)
    watch.tick()
    assert desk.ended == []
    clock.advance(0.1)
    watch.tick()
    assert desk.ended == [(run, StopReason.TIMED_OUT)]


def test_an_attempt_is_ended_at_its_deadline_when_that_comes_first(
    ask: Ask, desk: Desk, loop: LoopThread, moments: Moments, clock: FakeClock
) -> None:
    ask.enqueued(run_time_limit=40.0, deadline=clock.advance(0).replace(second=30))
    (run,) = desk.claim()
    clock.advance(30)
    watching(desk, loop, moments).tick()
    assert desk.ended == [(run, StopReason.TIMED_OUT)]


def test_an_attempt_ends_before_a_lease_that_no_beat_could_renew(
    ask: Ask, desk: Desk, loop: LoopThread, moments: Moments, clock: FakeClock
) -> None:
    job_id = ask.enqueued()
    (run,) = desk.claim()
    clock.advance(50)
    watching(desk, loop, moments).tick()
    assert desk.ended == [(run, StopReason.LEASE_LOST)]
    expires = ask.job(job_id).lease_expires_at
    assert expires is not None
    assert clock() < expires


def test_silence_past_the_progress_deadline_ends_an_attempt_and_a_note_puts_it_off(
    ask: Ask, store: Troubled, loop: LoopThread, moments: Moments, clock: FakeClock
) -> None:
    desk = Desk(store, [handler("k", lambda _run: None, progress_timeout=5.0)])
    ask.enqueued(policy=Policy(progress_timeout=5.0))
    (run,) = desk.claim()
    run.begun = True
    watch = watching(desk, loop, moments)
    clock.advance(4)
    run.note_progress("1")
    clock.advance(4)
    watch.tick()
    assert desk.ended == []
    clock.advance(1)
    watch.tick()
    assert desk.ended == [(run, StopReason.NO_PROGRESS)]


def test_an_attempt_whose_notes_do_not_arrive_ends_before_the_store_counts_its_silence(
    ask: Ask, store: Troubled, loop: LoopThread, moments: Moments, clock: FakeClock
) -> None:
    desk = Desk(store, [handler("k", lambda _run: None, progress_timeout=5.0)])
    job_id = ask.enqueued(policy=Policy(progress_timeout=5.0))
    (run,) = desk.claim()
    run.begun = True
    watch = watching(desk, loop, moments)
    for second in range(14):
        assert desk.ended == [], f"ended after {second} s"
        clock.advance(1)
        run.note_progress(f'"{second}"')
        if second < 3:
            desk.heart.tick()
        watch.tick()
    while not desk.ended:
        clock.advance(0.5)
        run.note_progress('"unheard"')
        watch.tick()
    assert desk.ended == [(run, StopReason.LEASE_LOST)]
    expires = ask.job(job_id).lease_expires_at
    assert expires is not None
    assert clock() < expires


def test_an_attempt_that_has_not_begun_owes_no_progress(
    ask: Ask, store: Troubled, loop: LoopThread, moments: Moments, clock: FakeClock
) -> None:
    desk = Desk(store, [handler("k", lambda _run: None, progress_timeout=5.0)])
    ask.enqueued()
    desk.claim()
    clock.advance(6)
    watching(desk, loop, moments).tick()
    assert desk.ended == []


def test_a_blocked_event_loop_is_told_once_and_that_it_is_well_again(
    ask: Ask,
    desk: Desk,
    loop: LoopThread,
    moments: Moments,
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING, "tenure.engine")
    ask.enqueued()
    desk.claim()
    watch = watching(desk, loop, moments)
    blocked, go = threading.Event(), threading.Event()
    loop.loop.call_soon_threadsafe(blocked.set)
    loop.loop.call_soon_threadsafe(go.wait, WAIT)
    assert blocked.wait(WAIT)
    watch.tick()
    for _ in range(3):
        clock.advance(1.5)
        watch.tick()
    assert watch.blocked == pytest.approx(4.5)
    assert [record.getMessage()[:18] for record in caplog.records] == ["loop blocked 1.5 s"]
    go.set()
    until(lambda: watch.blocked == 0)
    assert "loop was blocked" in caplog.records[-1].getMessage()


def test_a_loop_that_answers_is_not_blocked(
    ask: Ask, desk: Desk, loop: LoopThread, moments: Moments, clock: FakeClock
) -> None:
    ask.enqueued()
    desk.claim()
    watch = watching(desk, loop, moments)
    for _ in range(3):
        watch.tick()
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop.loop).result(WAIT)
        clock.advance(0.1)
    assert watch.blocked == 0


def test_a_graver_reason_replaces_a_lesser_one_and_never_the_other_way(ask: Ask, desk: Desk) -> None:
    ask.enqueued()
    (run,) = desk.claim()
    reasons = (StopReason.CANCELLED, StopReason.TIMED_OUT, StopReason.CANCELLED, StopReason.LEASE_LOST)
    asked = [run.stop(reason) for reason in reasons]
    assert asked == [True, True, False, True]
    assert run.stop_reason is StopReason.LEASE_LOST


def test_a_handler_that_waits_hears_at_once_that_it_shall_stop(ask: Ask, desk: Desk) -> None:
    ask.enqueued()
    (run,) = desk.claim()
    heard: list[bool] = []
    waiting = threading.Thread(target=lambda: heard.append(run.wait_stop(WAIT)))
    waiting.start()
    run.stop(StopReason.CANCELLED)
    waiting.join(WAIT)
    assert heard == [True]


def test_the_owner_knows_when_it_owns_nothing_more(ask: Ask, desk: Desk, clock: FakeClock) -> None:
    ask.enqueued()
    (run,) = desk.claim()
    run.check_owner()
    clock.advance(50)
    with pytest.raises(LeaseLost):
        run.check_owner()
