"""FAULTS.md sections 9 and 13: shutdown, signals, and what a platform lacks."""

import asyncio
import signal
import threading
from collections.abc import Callable

import pytest

from tenure.core.errors import StoreBusy, StoreUnavailable
from tenure.core.states import State
from tenure.engine import exit_codes
from tenure.engine.attempts.run import Run
from tenure.engine.options import WorkerOptions
from tenure.engine.worker import Worker
from tests.conformance.asking import Ask
from tests.engine.living import QUICK, living, until
from tests.engine.main_thread import run_here, send
from tests.engine.troubled import WAIT, Troubled
from tests.engine.workshop import Stuck, handler, succeeding


async def waits(run: Run) -> None:
    await asyncio.Event().wait()


def test_an_idle_worker_leaves_at_once_with_zero(live_store: Troubled) -> None:
    """B62 · SIGTERM idle."""
    with living(live_store, [succeeding()], shutdown_grace=3600.0) as one:
        one.stop()
        assert one.left() == exit_codes.OK


def test_a_job_that_ends_within_the_grace_succeeds_and_is_on_record_before_the_worker_leaves(
    live: Ask, live_store: Troubled
) -> None:
    """B62 · The first SIGTERM cancelled running jobs at once although the text promised to wait."""
    stuck = Stuck()
    with living(live_store, [handler("k", stuck)], shutdown_grace=3600.0) as one:
        job_id = live.enqueued()
        stuck.wait()
        one.stop()
        until(lambda: one.worker.health().state == "draining")
        stuck.go.set()
        assert one.left() == exit_codes.OK
    assert live.job(job_id).state is State.SUCCEEDED


def test_beats_go_on_through_the_grace(live: Ask, live_store: Troubled) -> None:
    """B62 · Running jobs get the grace period with heartbeats."""
    stuck = Stuck()
    with living(live_store, [handler("k", stuck)], shutdown_grace=3600.0, heartbeat=0.02) as one:
        job_id = live.enqueued()
        stuck.wait()
        one.stop()
        until(lambda: one.worker.health().state == "draining")
        before = live.job(job_id).heartbeat_at
        until(lambda: live.job(job_id).heartbeat_at != before)
        stuck.go.set()
    assert one.code == exit_codes.OK


def test_a_job_in_a_thread_that_does_not_end_is_released_at_the_deadline(live: Ask, live_store: Troubled) -> None:
    """B62 · With a job of 60 s, with a stuck handler: always gone by the deadline."""
    stuck = Stuck()
    with living(live_store, [handler("k", stuck)], shutdown_grace=0.05) as one:
        job_id = live.enqueued()
        stuck.wait()
        one.stop()
        assert one.left() == exit_codes.GRACE_OVER
    job = live.job(job_id)
    assert (job.state, job.releases, job.tries) == (State.READY, 1, 0)
    assert live.history(job_id)[0].error_code == "interrupted"
    stuck.go.set()


def test_with_the_database_down_the_worker_leaves_and_says_so(live: Ask, live_store: Troubled) -> None:
    """B62 · Exit depends on something else letting go: the database."""
    stuck = Stuck()
    with living(live_store, [handler("k", stuck)], shutdown_grace=0.05) as one:
        job_id = live.enqueued()
        stuck.wait()
        for name in ("claim", "report", "complete_and_claim", "leases", "heartbeat"):
            live_store.fail(name, StoreUnavailable("down"), times=100_000)
        stuck.go.set()
        one.stop()
        assert one.left() == exit_codes.STORE_LOST
    live_store.heal()
    assert live.job(job_id).state is State.RUNNING


def test_a_thread_that_a_handler_left_behind_holds_nobody_up(live: Ask, live_store: Troubled) -> None:
    """B62 · A non-daemon thread left by a handler."""
    go = threading.Event()

    def leaves_a_thread(run: Run) -> None:
        threading.Thread(target=go.wait, args=(WAIT,), daemon=False).start()

    with living(live_store, [handler("k", leaves_a_thread)]) as one:
        job_id = live.enqueued()
        until(lambda: live.job(job_id).state is State.SUCCEEDED)
        one.stop()
        assert one.left() == exit_codes.OK
    go.set()


@pytest.mark.parametrize("error", [StoreUnavailable("down"), StoreBusy("locked"), ValueError("a fault of the driver")])
def test_a_call_of_the_shutdown_that_fails_once_is_made_again_and_changes_the_exit_code(
    live: Ask, live_store: Troubled, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """B64 · A promise kept only by the test store; errors dropped in clean-up code."""
    with living(live_store, [handler("k", waits, "loop")], shutdown_grace=0.05) as one:
        job_id = live.enqueued()
        until(one.has_begun)
        live_store.fail("report", error)
        one.stop()
        assert one.left() == exit_codes.SHUTDOWN_ERROR
    job = live.job(job_id)
    assert (job.state, job.releases) == (State.READY, 1)
    assert any(job_id in record.getMessage() and record.levelname == "WARNING" for record in caplog.records)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("heartbeat", exit_codes.OK), ("expire_leases", exit_codes.OK), ("pass_deadlines", exit_codes.OK),
        ("report", exit_codes.SHUTDOWN_ERROR),
    ],
)  # fmt: skip
def test_whatever_fails_once_while_a_worker_drains_costs_no_job(
    live: Ask, live_store: Troubled, name: str, code: int, caplog: pytest.LogCaptureFixture
) -> None:
    """B64 · Make each store call in shutdown raise once."""
    stuck, failed = Stuck(), threading.Event()

    def fails_once() -> None:
        if not failed.is_set():
            failed.set()
            raise StoreUnavailable("for a moment")

    with living(live_store, [handler("k", stuck)], shutdown_grace=3600.0, heartbeat=0.02) as one:
        job_id = live.enqueued()
        stuck.wait()
        one.stop()
        until(lambda: one.worker.health().state == "draining")
        live_store.always(name, fails_once)
        if name == "report":
            stuck.go.set()
        assert failed.wait(WAIT)
        stuck.go.set()
        assert one.left() == code
    assert (live.job(job_id).state, live.job(job_id).attempt) == (State.SUCCEEDED, 1)
    assert "for a moment" in caplog.text


def test_a_claim_that_cannot_be_given_back_is_told_and_changes_the_exit_code(
    live: Ask, live_store: Troubled, caplog: pytest.LogCaptureFixture
) -> None:
    """B64 · Make each store call in shutdown raise once."""
    with living(live_store, [succeeding()], poll=0.02) as one:
        hold = live_store.hold("claim")
        assert hold.entered.wait(WAIT)
        live_store.fail("leases", ValueError("a fault of the driver"))
        live_store.always("claim", _down)
        one.stop()
        until(lambda: not one.worker._dispatcher.claiming)
        live_store.lose_answer("claim", StoreUnavailable("the answer was lost"))
        hold.go.set()
        assert one.left() == exit_codes.SHUTDOWN_ERROR
    assert "could not be given back" in caplog.text


def test_a_listener_that_cannot_be_closed_is_told_and_changes_the_exit_code(
    live: Ask, live_store: Troubled, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B64 · Make each store call in shutdown raise once."""
    with living(live_store, [succeeding()]) as one:
        listener = one.worker._listener
        monkeypatch.setattr(listener, "close", raising(listener.close, ValueError("a fault of the driver")))
        one.stop()
        assert one.left() == exit_codes.SHUTDOWN_ERROR
    assert "a fault of the driver" in caplog.text


def raising(act: Callable[[], None], error: Exception) -> Callable[[], None]:
    """It is done, and raises all the same."""

    def acted() -> None:
        act()
        raise error

    return acted


def _down() -> None:
    raise StoreUnavailable("down")


def worker_of(store: Troubled, call: Callable[[Run], object]) -> Worker:
    return Worker(store, [handler("k", call)], WorkerOptions(**QUICK))


def test_an_interrupt_in_a_handler_is_an_error_and_a_real_ctrl_c_stops_the_worker(
    live: Ask, live_store: Troubled
) -> None:
    """B49 · A real Ctrl-C still stops the worker."""

    def interrupts(run: Run) -> None:
        raise KeyboardInterrupt

    job_id = live.enqueued(max_attempts=1)

    def then() -> None:
        until(lambda: live.job(job_id).state is State.FAILED)
        send(signal.SIGINT)

    assert run_here(worker_of(live_store, interrupts), then) == exit_codes.OK
    assert live.job(job_id).end_code == "keyboard_interrupt"


def test_without_signal_handlers_of_the_event_loop_one_ctrl_c_still_ends_all(
    live: Ask, live_store: Troubled, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B86 · Unix-only calls."""

    def missing(self: object, *_: object) -> None:
        raise NotImplementedError

    for loop in (asyncio.AbstractEventLoop, asyncio.SelectorEventLoop):
        monkeypatch.setattr(loop, "add_signal_handler", missing)
    job_id = live.enqueued()

    def then() -> None:
        until(lambda: live.job(job_id).state is State.SUCCEEDED)
        send(signal.SIGINT)

    assert run_here(worker_of(live_store, lambda _run: None), then) == exit_codes.OK


def test_a_second_sigterm_hastens_nothing_and_a_second_ctrl_c_does(live: Ask, live_store: Troubled) -> None:
    """B62 · A second SIGTERM changes nothing, a second Ctrl-C hastens."""
    stuck = Stuck()
    worker = Worker(live_store, [handler("k", stuck)], WorkerOptions(**QUICK | {"shutdown_grace": 3600.0}))
    job_id = live.enqueued()

    def then() -> None:
        stuck.wait()
        send(signal.SIGTERM)
        send(signal.SIGTERM)
        until(lambda: worker.health().state == "draining")
        assert live.job(job_id).state is State.RUNNING
        send(signal.SIGINT)

    assert run_here(worker, then) == exit_codes.GRACE_OVER
    assert live.job(job_id).state is State.READY
    stuck.go.set()


def test_health_of_the_worker_speaks_for_its_loops_one_by_one(live_store: Troubled) -> None:
    """B86 · Health of one part speaks for all."""
    with living(live_store, [succeeding()]) as one:
        hold = live_store.hold("expire_leases")
        assert hold.entered.wait(WAIT)
        until(lambda: "sweep" in one.worker.health().troubles)
        assert not one.worker.health().well
        hold.go.set()
        until(lambda: one.worker.health().well)
