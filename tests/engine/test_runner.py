"""Attempts run on the loop and in threads; each is reported exactly once, whatever ends it."""

import asyncio
import logging
import threading

import pytest

from tenure.core.attempt import Outcome
from tenure.core.errors import Misconfigured
from tenure.core.outcomes import Cancel, Snooze, Terminal, Throttled
from tenure.core.states import State
from tenure.engine.attempts.run import Run
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, new
from tests.engine.living import until
from tests.engine.workshop import WAIT, OpenWorkshop, Stuck, Workshop, answering, handler, raising, waiting


class Swallowing:
    """An async handler that goes on when it is cancelled."""

    def __init__(self) -> None:
        self.entered, self.swallowed, self.go = threading.Event(), threading.Event(), threading.Event()

    async def __call__(self, run: Run) -> str:
        self.entered.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.swallowed.set()
        await asyncio.to_thread(self.go.wait, WAIT)
        return '"late"'


def test_async_handlers_run_on_the_loop_and_sync_ones_in_threads(ask: Ask, workshop: OpenWorkshop) -> None:
    ran: dict[str, threading.Thread] = {}

    async def on_loop(run: Run) -> None:
        ran["loop"] = threading.current_thread()

    def in_thread(run: Run) -> None:
        ran["thread"] = threading.current_thread()

    shop = workshop(handler("loop", on_loop, "loop"), handler("thread", in_thread))
    ids = [ask.enqueued("loop"), ask.enqueued("thread")]
    shop.work_off()
    assert (ran["loop"].name, ran["thread"].name) == ("tenure-loop", "tenure-handler")
    assert ran["thread"].daemon
    assert [ask.job(job_id).state for job_id in ids] == [State.SUCCEEDED, State.SUCCEEDED]


def test_what_a_handler_answers_is_the_result(ask: Ask, workshop: OpenWorkshop) -> None:
    shop = workshop(handler("k", answering, "loop"))
    job_id = ask.enqueued()
    shop.work_off()
    assert ask.job(job_id).result == '"from the loop"'


def test_a_binding_that_answers_no_text_ends_the_job(ask: Ask, workshop: OpenWorkshop) -> None:
    shop = workshop(handler("k", lambda _run: {"not": "text"}))
    job_id = ask.enqueued()
    shop.work_off()
    assert ask.job(job_id).end_code == "result_not_text"


def test_an_error_after_a_completion_that_was_rolled_back_keeps_its_own_class(ask: Ask, workshop: OpenWorkshop) -> None:
    def completes_and_fails(run: Run) -> None:
        run.completed_elsewhere = True
        raise Terminal("no_such_account")

    shop = workshop(handler("k", completes_and_fails))
    job_id = ask.enqueued()
    shop.work_off()
    job = ask.job(job_id)
    assert (job.state, job.end_code) == (State.FAILED, "no_such_account")


def test_a_failed_attempt_is_in_the_log_with_the_traceback_of_an_error_that_nobody_foresaw(
    ask: Ask, workshop: OpenWorkshop, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "tenure.engine")
    errors = {
        "bug": ZeroDivisionError("by nothing"),
        "gone": Terminal("account_closed", "it is closed"),
        "bare": Misconfigured("it needs httpx2", hint="Install it."),
    }
    shop = workshop(
        *(handler(kind, raising(error)) for kind, error in errors.items()),
        handler("busy", raising(Throttled("rate_limited", retry_after=1))),
        handler("calm", raising(Cancel("withdrawn"))),
    )
    ids = {kind: ask.enqueued(kind) for kind in ("bug", "gone", "bare", "busy", "calm")}
    shop.work_off()
    told = {
        kind: [r for r in caplog.records if f"job {job_id} ({kind}) attempt 1 failed" in r.getMessage()]
        for kind, job_id in ids.items()
    }
    assert {kind: [record.levelname for record in records] for kind, records in told.items()} == {
        "bug": ["WARNING"],
        "gone": ["WARNING"],
        "bare": ["WARNING"],
        "busy": ["INFO"],
        "calm": [],
    }
    assert "zero_division_error" in told["bug"][0].getMessage()
    assert "Traceback" in told["bug"][0].getMessage()
    assert told["gone"][0].getMessage().endswith("failed: account_closed: it is closed")
    assert told["bare"][0].getMessage().endswith("failed: misconfigured: it needs httpx2. Install it.")


def test_a_snooze_comes_back_as_one(ask: Ask, workshop: OpenWorkshop) -> None:
    shop = workshop(handler("k", raising(Snooze(30))))
    job_id = ask.enqueued()
    shop.work_off()
    job = ask.job(job_id)
    assert (job.state, job.snoozes, job.tries) == (State.SCHEDULED, 1, 0)


def stuck_at_its_limit(ask: Ask, clock: FakeClock, workshop: OpenWorkshop) -> tuple[Workshop, Stuck, Run]:
    stuck = Stuck()
    shop = workshop(handler("k", stuck), slots=2)
    ask.enqueued(run_time_limit=5.0)
    (run,) = shop.claim()
    stuck.wait()
    clock.advance(5)
    shop.watch.tick()
    return shop, stuck, run


def test_an_attempt_past_its_limit_is_reported_while_its_handler_still_sits_there(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    shop, stuck, run = stuck_at_its_limit(ask, clock, workshop)
    shop.dispatcher.tick()
    assert ask.history(run.lease.job_id)[0].outcome is Outcome.TIMED_OUT
    assert shop.roster.leaked == 1
    assert shop.roster.free == 1
    assert shop.roster.stuck(1.0) == 0
    clock.advance(1)
    assert shop.roster.stuck(1.0) == 1
    stuck.go.set()


def test_a_handler_that_comes_back_late_gives_its_slot_back_and_says_so_to_history_only(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    shop, stuck, run = stuck_at_its_limit(ask, clock, workshop)
    shop.dispatcher.tick()
    stuck.go.set()
    shop.wait_said(2)
    assert shop.roster.leaked == 0
    shop.dispatcher.tick()
    (attempt,) = ask.history(run.lease.job_id)
    assert attempt.late_report is not None
    assert attempt.late_report.verb == "complete"
    assert ask.job(run.lease.job_id).result is None


def test_other_work_goes_on_beside_a_stuck_thread(ask: Ask, workshop: OpenWorkshop, clock: FakeClock) -> None:
    stuck = Stuck()
    shop = workshop(handler("stuck", stuck), handler("k", lambda _run: None), slots=2)
    ask.enqueued("stuck", run_time_limit=5.0, max_attempts=1)
    shop.claim()
    stuck.wait()
    clock.advance(5)
    shop.watch.tick()
    ask.enqueue(*(new() for _ in range(5)))
    shop.work_off()
    assert shop.dispatcher.done == 6
    stuck.go.set()


def test_an_async_handler_past_its_limit_is_cancelled_and_leaks_nothing(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    shop = workshop(handler("k", waiting, "loop"))
    job_id = ask.enqueued(run_time_limit=5.0)
    (run,) = shop.claim()
    until(lambda: run.begun)
    clock.advance(5)
    shop.watch.tick()
    until(lambda: shop.roster.leaked == 0)
    shop.dispatcher.tick()
    (attempt,) = ask.history(job_id)
    assert (attempt.outcome, attempt.late_report) == (Outcome.TIMED_OUT, None)


def test_a_handler_that_swallows_its_cancellation_is_cut_off_and_counts_as_leaked(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    swallowing = Swallowing()
    shop = workshop(handler("k", swallowing, "loop"))
    job_id = ask.enqueued(run_time_limit=5.0)
    shop.claim()
    assert swallowing.entered.wait(WAIT)
    clock.advance(5)
    shop.watch.tick()
    assert swallowing.swallowed.wait(WAIT)
    shop.dispatcher.tick()
    assert ask.history(job_id)[0].outcome is Outcome.TIMED_OUT
    assert shop.roster.leaked == 1
    swallowing.go.set()
    until(lambda: shop.roster.leaked == 0)
