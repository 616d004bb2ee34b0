"""FAULTS.md section 11: every pair of events on one running job, in both orders."""

from collections.abc import Callable
from itertools import product

import pytest

from tenure.core.attempt import ErrorClass
from tenure.core.states import TERMINAL, State
from tenure.engine.attempts.run import Run
from tenure.engine.upkeep.promoter import Promoter
from tenure.engine.upkeep.reaper import Reaper
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, done, failed, released, snoozed
from tests.engine.troubled import Troubled
from tests.engine.workshop import Desk

# B73: every pair of events on one running job, in both orders

Act = Callable[[Ask, Desk, Run, FakeClock], object]


def say_failed(ask: Ask, desk: Desk, run: Run, clock: FakeClock) -> None:
    desk.say(run, failed(run.lease))
    desk.dispatcher.tick()


def say_unknown(ask: Ask, desk: Desk, run: Run, clock: FakeClock) -> None:
    desk.say(run, failed(run.lease, ErrorClass.UNKNOWN))
    desk.dispatcher.tick()


def say_done(ask: Ask, desk: Desk, run: Run, clock: FakeClock) -> None:
    desk.say(run, done(run.lease))
    desk.dispatcher.tick()


def say_snoozed(ask: Ask, desk: Desk, run: Run, clock: FakeClock) -> None:
    desk.say(run, snoozed(run.lease, 5.0))
    desk.dispatcher.tick()


def say_released(ask: Ask, desk: Desk, run: Run, clock: FakeClock) -> None:
    desk.say(run, released(run.lease, begun=True))
    desk.dispatcher.tick()


def cancelled(ask: Ask, desk: Desk, run: Run, clock: FakeClock) -> None:
    ask.cancel(run.lease.job_id)


def beaten(ask: Ask, desk: Desk, run: Run, clock: FakeClock) -> None:
    desk.heart.tick()


def lease_lost(ask: Ask, desk: Desk, run: Run, clock: FakeClock) -> None:
    clock.advance(61)
    Reaper(desk.store, 5.0).tick()


def taken_again(ask: Ask, desk: Desk, run: Run, clock: FakeClock) -> None:
    Promoter(desk.store).tick()
    desk.dispatcher.claiming = True
    desk.claim()
    desk.dispatcher.stop_claiming()


ACTS: tuple[Act, ...] = (
    say_failed, say_unknown, say_done, say_snoozed, say_released, cancelled, beaten, lease_lost, taken_again,
)  # fmt: skip


@pytest.mark.parametrize(("first", "second"), list(product(ACTS, ACTS)), ids=lambda act: act.__name__)
def test_no_pair_of_events_raises_out_of_a_worker(
    ask: Ask, store: Troubled, clock: FakeClock, first: Act, second: Act
) -> None:
    """B73 · Unforeseen pair of concurrent transitions."""
    desk = Desk(store)
    job_id = ask.enqueued(max_attempts=5)
    (run,) = desk.claim()
    desk.dispatcher.stop_claiming()
    first(ask, desk, run, clock)
    between = ask.job(job_id)
    second(ask, desk, run, clock)
    after = ask.job(job_id)
    numbers = [attempt.number for attempt in ask.history(job_id)]
    assert numbers == list(range(1, after.attempt + 1))[: len(numbers)]
    assert len(numbers) == after.attempt - (after.state is State.RUNNING)
    if between.state in TERMINAL:
        assert (after.state, after.end_code, after.result) == (between.state, between.end_code, between.result)
    if first is cancelled and second not in (cancelled, beaten, taken_again, say_done):
        assert after.state is State.CANCELLED


@pytest.mark.parametrize("end", [say_failed, say_unknown, say_snoozed, say_released, lease_lost])
def test_a_job_that_was_asked_to_stop_and_then_ends_otherwise_is_cancelled_and_never_retried(
    ask: Ask, store: Troubled, clock: FakeClock, end: Act
) -> None:
    """B73 · Cancelled and failing ends as cancelled, no retry."""
    desk = Desk(store)
    job_id = ask.enqueued()
    (run,) = desk.claim()
    ask.cancel(job_id)
    desk.dispatcher.stop_claiming()
    end(ask, desk, run, clock)
    clock.advance(7200)
    taken_again(ask, desk, run, clock)
    assert (ask.job(job_id).state, ask.job(job_id).attempt) == (State.CANCELLED, 1)
