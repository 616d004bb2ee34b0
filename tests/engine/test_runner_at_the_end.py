"""How attempts end that their handler does not end itself: lost leases, limits, cancellation, shutdown, exits."""

import asyncio
import threading

import pytest

from tenure.core.attempt import Outcome
from tenure.core.outcomes import Snooze
from tenure.core.reports import Completion, Failure, Release, Snoozing
from tenure.core.states import State
from tenure.engine.attempts.run import Run, StopReason
from tenure.engine.attempts.threads import Threads
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask
from tests.engine.living import until
from tests.engine.workshop import WAIT, OpenWorkshop, Stuck, answering, handler, raising, waiting


def test_a_lost_lease_is_told_to_the_handler_and_holds_no_slot(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    told = threading.Event()

    def listening(run: Run) -> None:
        if run.wait_stop(WAIT) and run.lost:
            told.set()

    shop = workshop(handler("k", listening))
    ask.enqueued()
    (run,) = shop.claim()
    until(lambda: run.begun)
    clock.advance(50)
    shop.watch.tick()
    assert told.wait(WAIT)
    assert run.stop_reason is StopReason.LEASE_LOST
    assert len(shop.roster) == 0


def test_the_reason_on_record_is_the_limit_also_when_the_handler_hears_of_it_and_leaves(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    def leaving(run: Run) -> None:
        run.wait_stop(WAIT)
        raise asyncio.CancelledError

    shop = workshop(handler("k", leaving))
    job_id = ask.enqueued(run_time_limit=5.0)
    (run,) = shop.claim()
    until(lambda: run.begun)
    clock.advance(5)
    shop.watch.tick()
    until(lambda: shop.roster.leaked == 0)
    shop.dispatcher.tick()
    (attempt,) = ask.history(job_id)
    assert (attempt.outcome, attempt.error_code) == (Outcome.TIMED_OUT, "timed_out")


def test_a_cancellation_does_not_take_the_attempt_out_of_the_handlers_hands(ask: Ask, workshop: OpenWorkshop) -> None:
    def finishing(run: Run) -> str:
        assert run.wait_stop(WAIT)
        return '"finished all the same"'

    shop = workshop(handler("k", finishing))
    job_id = ask.enqueued()
    shop.claim()
    ask.cancel(job_id)
    shop.heart.tick()
    shop.wait_back()
    shop.dispatcher.tick()
    job = ask.job(job_id)
    assert (job.state, job.result) == (State.SUCCEEDED, '"finished all the same"')
    assert ask.history(job_id)[0].after_cancel


def test_an_attempt_that_was_ended_before_it_began_never_calls_its_handler(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    blocked, go, called = threading.Event(), threading.Event(), threading.Event()

    async def call(run: Run) -> None:
        called.set()

    shop = workshop(handler("k", call, "loop"))
    shop.loop.loop.call_soon_threadsafe(blocked.set)
    shop.loop.loop.call_soon_threadsafe(go.wait, WAIT)
    assert blocked.wait(WAIT)
    job_id = ask.enqueued(run_time_limit=5.0)
    shop.claim()
    clock.advance(5)
    shop.watch.tick()
    go.set()
    shop.dispatcher.tick()
    asyncio.run_coroutine_threadsafe(asyncio.sleep(0), shop.loop.loop).result(WAIT)
    assert not called.is_set()
    assert shop.roster.leaked == 0
    assert ask.history(job_id)[0].outcome is Outcome.TIMED_OUT


def test_shutdown_cancels_async_handlers_and_releases_them(ask: Ask, workshop: OpenWorkshop) -> None:
    shop = workshop(handler("k", waiting, "loop"))
    job_id = ask.enqueued()
    (run,) = shop.claim()
    until(lambda: run.begun)
    shop.runner.end(run, StopReason.SHUTDOWN)
    shop.wait_said(1)
    shop.dispatcher.stop_claiming()
    shop.dispatcher.tick()
    job = ask.job(job_id)
    assert (job.state, job.releases, job.tries) == (State.READY, 1, 0)


def test_release_rest_gives_back_what_sits_in_threads_and_what_it_says_later_is_stale(
    ask: Ask, workshop: OpenWorkshop
) -> None:
    stuck = Stuck()
    shop = workshop(handler("k", stuck))
    job_id = ask.enqueued()
    shop.claim()
    stuck.wait()
    shop.dispatcher.stop_claiming()
    assert shop.runner.release_rest() == 1
    assert shop.runner.release_rest() == 0
    shop.dispatcher.tick()
    stuck.go.set()
    shop.wait_said(1)
    shop.dispatcher.tick()
    job = ask.job(job_id)
    assert (job.state, job.result) == (State.READY, None)
    assert ask.history(job_id)[0].late_report is not None


def test_what_has_not_begun_is_released_for_free(ask: Ask, workshop: OpenWorkshop) -> None:
    stuck = Stuck()
    shop = workshop(handler("k", stuck), slots=1)
    ask.enqueued()
    (run,) = shop.claim()
    stuck.wait()
    run.begun = False
    shop.runner.release_rest()
    (_, said) = shop.outbox.take()[0]
    assert isinstance(said, Release)
    assert not said.begun
    stuck.go.set()


def test_one_that_ended_is_not_ended_again(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    shop = workshop(handler("k", lambda _run: None))
    ask.enqueued()
    (run,) = shop.claim()
    shop.wait_back()
    shop.runner.end(run, StopReason.LEASE_LOST)
    assert run.stop_reason is None
    assert "lease_lost" not in caplog.text
    assert isinstance(shop.outbox.take()[0][1], Completion)


@pytest.mark.parametrize("name", ["system_exit", "keyboard_interrupt"])
def test_an_exit_in_a_task_of_a_handlers_own_leaves_the_loop_to_the_others(
    ask: Ask, workshop: OpenWorkshop, name: str
) -> None:
    errors: dict[str, BaseException] = {"system_exit": SystemExit(3), "keyboard_interrupt": KeyboardInterrupt()}

    async def leaving() -> None:
        raise errors[name]

    async def call(run: Run) -> None:
        await asyncio.gather(asyncio.create_task(leaving()))

    shop = workshop(handler("bad", call, "loop"), handler("good", answering, "loop"))
    bad, good = ask.enqueued("bad", max_attempts=1), ask.enqueued("good")
    shop.work_off()
    assert ask.job(good).state is State.SUCCEEDED
    assert ask.job(bad).end_code == name


def test_work_that_the_machine_gives_no_thread_waits_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    threads, done = Threads(2), threading.Semaphore(0)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        threads.submit(done.release)
    threads.submit(done.release)
    assert done.acquire(timeout=WAIT)
    assert done.acquire(timeout=WAIT)
    threads.close()


def test_a_handler_without_a_row_of_threads_to_spare_still_gets_one() -> None:
    threads, done = Threads(1), threading.Semaphore(0)
    stuck = threading.Event()

    def stay() -> None:
        stuck.wait(WAIT)

    threads.submit(stay)
    threads.submit(done.release)
    threads.lose_one()
    threads.submit(done.release)
    assert done.acquire(timeout=WAIT)
    assert done.acquire(timeout=WAIT)
    stuck.set()
    threads.close()


def test_progress_and_failure_travel_in_one_report(ask: Ask, workshop: OpenWorkshop) -> None:
    def failing(run: Run) -> None:
        run.note_progress('"half"')
        raise ValueError("no more")

    shop = workshop(handler("k", failing))
    job_id = ask.enqueued()
    shop.claim()
    shop.wait_back()
    shop.dispatcher.tick()
    (attempt,) = ask.history(job_id)
    assert (attempt.progress, attempt.error_code) == ('"half"', "value_error")
    assert "ValueError: no more" in (attempt.traceback or "")


def test_every_kind_of_report_is_one(ask: Ask, workshop: OpenWorkshop) -> None:
    shop = workshop(
        handler("completes", lambda _run: None),
        handler("fails", raising(ValueError())),
        handler("snoozes", raising(Snooze(1))),
    )
    for kind in ("completes", "fails", "snoozes"):
        ask.enqueued(kind)
    shop.claim()
    shop.wait_back()
    said = {run.lease.kind: type(report) for run, report in shop.outbox.take()}
    assert said == {"completes": Completion, "fails": Failure, "snoozes": Snoozing}
