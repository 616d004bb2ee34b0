"""Cancellation before the claim, between claim and start, and during execution."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tenure.core.attempt import Outcome
from tenure.core.errors import LeaseLost
from tenure.core.outcomes import Cancel, Retry, Terminal
from tenure.core.states import State
from tenure.engine.attempts.run import Run, StopReason
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, done, failed, released, snoozed
from tests.engine.workshop import WAIT, OpenWorkshop, handler, raising, succeeding


@pytest.mark.parametrize("waiting", [{}, {"delay": 3600.0}], ids=["ready", "scheduled"])
def test_a_job_cancelled_before_its_claim_never_starts(
    ask: Ask, shop: OpenWorkshop, clock: FakeClock, promote: Callable[[], object], waiting: dict[str, Any]
) -> None:
    job = ask.enqueued(**waiting)
    assert ask.cancel(job).happened == "cancelled"
    clock.advance(7200)
    promote()
    assert shop(succeeding()).work_off() == []
    row = ask.job(job)
    assert (row.state, row.end_code, row.attempt) == (State.CANCELLED, "cancelled", 0)
    assert ask.history(job) == []


def test_a_job_cancelled_while_it_waits_out_a_retry_never_starts_again(
    ask: Ask, shop: OpenWorkshop, clock: FakeClock, promote: Callable[[], object]
) -> None:
    job = ask.enqueued()
    worker = shop(handler("k", raising(Retry("again", retry_in=60))))
    worker.work_off()
    assert ask.cancel(job).happened == "cancelled"
    clock.advance(120)
    promote()
    assert worker.work_off() == []
    assert (ask.job(job).state, len(ask.history(job))) == (State.CANCELLED, 1)


def test_a_handler_in_a_thread_hears_of_a_cancellation_by_the_next_heartbeat(ask: Ask, shop: OpenWorkshop) -> None:
    job = ask.enqueued()
    entered = threading.Event()

    def call(run: Run) -> str:
        entered.set()
        assert run.wait_stop(WAIT)
        assert run.stop_reason is StopReason.CANCELLED
        raise Cancel(message="stopped at a safe point")

    worker = shop(handler("k", call))
    worker.claim()
    assert entered.wait(WAIT)
    assert ask.cancel(job).happened == "requested"
    assert ask.cancel(job).happened == "already_requested"
    worker.heart.tick()
    worker.wait_back()
    worker.dispatcher.tick()
    row, (attempt,) = ask.job(job), ask.history(job)
    assert (row.state, row.end_code) == (State.CANCELLED, "cancelled")
    assert (attempt.outcome, attempt.after_cancel) == (Outcome.CANCELLED, True)


def test_an_async_handler_hears_of_a_cancellation_at_its_next_safe_point(ask: Ask, shop: OpenWorkshop) -> None:
    job = ask.enqueued()

    async def call(run: Run) -> str:
        while not run.cancel_requested:  # noqa: ASYNC110 (as a user's handler does)
            await asyncio.sleep(0.001)
        raise Cancel

    worker = shop(handler("k", call, "loop"))
    worker.claim()
    ask.cancel(job)
    worker.heart.tick()
    worker.wait_back()
    worker.dispatcher.tick()
    assert ask.job(job).state is State.CANCELLED


def test_a_success_after_a_cancellation_was_asked_stays_a_success_and_history_says_so(
    ask: Ask, shop: OpenWorkshop
) -> None:
    job = ask.enqueued()
    worker = shop(succeeding())
    worker.claim()
    worker.wait_back()
    assert ask.cancel(job).happened == "requested"
    worker.dispatcher.tick()
    (attempt,) = ask.history(job)
    assert (ask.job(job).state, attempt.outcome, attempt.after_cancel) == (State.SUCCEEDED, Outcome.SUCCEEDED, True)


@pytest.mark.parametrize("error", [Retry("again"), Terminal("broken"), ValueError(), LeaseLost("gone")], ids=str)
def test_no_failure_brings_a_job_back_that_was_cancelled_meanwhile(
    ask: Ask, shop: OpenWorkshop, error: Exception
) -> None:
    job = ask.enqueued()
    worker = shop(handler("k", raising(error)))
    worker.claim()
    worker.wait_back()
    ask.cancel(job)
    worker.dispatcher.tick()
    assert (ask.job(job).state, ask.job(job).end_code) == (State.CANCELLED, "cancelled")


def test_no_release_snooze_or_lost_lease_brings_a_cancelled_job_back(
    ask: Ask, clock: FakeClock, sweep: Callable[[], object]
) -> None:
    ids = [ask.enqueued() for _ in range(3)]
    leases = ask.leases(3)
    for job in ids:
        ask.cancel(job)
    ask.answer(released(leases[0], begun=True))
    ask.answer(snoozed(leases[1], 60))
    clock.advance(61)
    sweep()
    assert [ask.job(job).state for job in ids] == [State.CANCELLED] * 3


def test_cancelling_what_has_ended_answers_with_its_state_and_changes_nothing(ask: Ask) -> None:
    ids = [ask.enqueued() for _ in range(2)]
    first, second = ask.leases(2)
    ask.answer(done(first))
    ask.answer(failed(second, code="broken", wait=0.0))
    before = ask.job(first.job_id)
    answer = ask.cancel(first.job_id)
    assert (answer.happened, answer.state) == ("already_ended", State.SUCCEEDED)
    assert ask.job(first.job_id) == before
    assert ask.cancel("01900000-0000-7000-8000-000000000000").happened == "unknown"
    assert set(ids) == {first.job_id, second.job_id}
