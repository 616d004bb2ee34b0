"""FAULTS.md section 6: a timeout, a shutdown and a cancellation are three things."""

import asyncio
import threading
from typing import Any

import pytest

from tenure.core import defaults
from tenure.core.attempt import Outcome
from tenure.core.outcomes import Cancel
from tenure.core.states import State
from tenure.engine import exit_codes
from tenure.engine.attempts.run import Run, StopReason
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask
from tests.engine.living import living, until
from tests.engine.troubled import WAIT, Troubled
from tests.engine.workshop import handler
from tests.faults.in_process.conftest import OpenWorkshop
from tests.faults.in_process.ends import one_end


async def cancels_itself(run: Run) -> None:
    raise asyncio.CancelledError


async def is_cancelled_by_its_own_task(run: Run) -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.Event().wait()


async def waits(run: Run) -> None:
    await asyncio.Event().wait()


async def stops_at_a_safe_point(run: Run) -> None:
    while not run.cancel_requested:
        await asyncio.to_thread(run.wait_stop, WAIT)
    raise Cancel


@pytest.mark.parametrize("call", [cancels_itself, is_cancelled_by_its_own_task])
def test_a_cancellation_that_the_handler_made_itself_is_a_failure_of_its_own(
    ask: Ask, workshop: OpenWorkshop, call: Any
) -> None:
    """B50 · Three causes (timeout, shutdown, user cancel) share one exception."""
    attempt = one_end(ask, workshop, handler("bad", call, "loop"))
    assert (attempt.outcome, attempt.error_code) == (Outcome.FAILED, "handler_cancelled_itself")


def test_a_timeout_obeys_the_retry_policy(ask: Ask, workshop: OpenWorkshop, clock: FakeClock) -> None:
    """B50 · Timeout obeys the retry policy with back-off."""
    shop = workshop(handler("k", waits, "loop"))
    job_id = ask.enqueued(run_time_limit=1.0)
    (run,) = shop.claim()
    until(lambda: run.begun)
    clock.advance(1)
    shop.watch.tick()
    until(lambda: shop.roster.leaked == 0)
    shop.dispatcher.stop_claiming()
    shop.dispatcher.tick()
    job = ask.job(job_id)
    assert (ask.history(job_id)[0].outcome, job.tries, job.releases) == (Outcome.TIMED_OUT, 1, 0)
    assert job.state in (State.SCHEDULED, State.READY)


def test_interruptions_by_shutdown_are_counted_apart_and_have_a_limit(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    """B50 · Each deploy used up one retry of long jobs."""
    job_id = ask.enqueued(max_attempts=2)
    for _ in range(defaults.RELEASES + 2):
        shop = workshop(handler("k", waits, "loop"))
        (run,) = shop.claim()
        until(lambda run=run: run.begun)
        shop.dispatcher.stop_claiming()
        shop.runner.end(run, StopReason.SHUTDOWN)
        shop.wait_back()
        shop.dispatcher.tick()
        clock.advance(10)
        ask.promote()
    job = ask.job(job_id)
    assert (job.state, job.end_code, job.tries) == (State.FAILED, "interrupted", 2)
    assert {attempt.outcome for attempt in ask.history(job_id)} == {Outcome.RELEASED}


def test_a_cancellation_by_api_is_heard_at_the_next_safe_point(ask: Ask, workshop: OpenWorkshop) -> None:
    """B50 · One cancelled by API: a reason of its own, and no retry."""
    shop = workshop(handler("k", stops_at_a_safe_point, "loop"))
    job_id = ask.enqueued()
    shop.claim()
    ask.cancel(job_id)
    shop.heart.tick()
    shop.wait_back()
    shop.dispatcher.tick()
    assert ask.job(job_id).state is State.CANCELLED
    assert ask.history(job_id)[0].outcome is Outcome.CANCELLED


def test_a_handler_that_swallows_its_cancellation_is_cut_off_at_the_deadline(live: Ask, live_store: Troubled) -> None:
    """B50 · The swallower is cut off at the deadline."""
    go = threading.Event()

    async def swallows(run: Run) -> None:
        while not go.is_set():
            try:
                await asyncio.to_thread(go.wait, WAIT)
            except asyncio.CancelledError:
                continue

    with living(live_store, [handler("k", swallows, "loop")], shutdown_grace=0.05) as one:
        job_id = live.enqueued()
        until(one.has_begun)
        one.stop()
        assert one.left() == exit_codes.GRACE_OVER
        go.set()
    assert (live.job(job_id).state, live.job(job_id).releases) == (State.READY, 1)
