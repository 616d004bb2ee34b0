"""FAULTS.md sections 6 and 7: what handlers raise, how they leave, and how much they answer."""

import asyncio
import builtins
import io
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tenure import Context, Tenure
from tenure.core import defaults
from tenure.core.attempt import Attempt, ErrorClass, Outcome
from tenure.core.errors import TooLarge
from tenure.core.outcomes import Cancel, Retry
from tenure.core.states import State
from tenure.engine import exit_codes
from tenure.engine.run import Run, StopReason
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask
from tests.engine.apps import TwoArguments, of_kind
from tests.engine.living import living, running, until
from tests.engine.troubled import WAIT, Troubled
from tests.engine.workshop import handler, succeeding
from tests.faults.in_process.conftest import OpenWorkshop


class Other(BaseException):
    pass


def leave_as_a_script_does() -> None:
    builtins.exit()


def two_arguments() -> None:
    raise TwoArguments("for the record", 1)


def chained() -> None:
    try:
        two_arguments()
    except TwoArguments as error:
        raise RuntimeError("from it") from error


def with_a_lock() -> None:
    raise ValueError("beside it", threading.Lock())


def retry_with_it() -> None:
    raise Retry("passing", TwoArguments("as a message", 1))  # type: ignore[arg-type]


def raising(error: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


def bound(act: Callable[[], None], isolation: str) -> Any:
    def call(run: Run) -> None:
        act()

    async def on_loop(run: Run) -> None:
        act()

    return handler("bad", on_loop if isolation == "loop" else call, isolation)


def one_end(ask: Ask, workshop: OpenWorkshop, *handlers: Any) -> Attempt:
    """What is on record of the one attempt of `bad`; then the next job must run in the same worker."""
    shop = workshop(*handlers, succeeding(), slots=1)
    bad, good = ask.enqueued(handlers[0].kind, max_attempts=1), ask.enqueued()
    shop.work_off()
    assert ask.job(bad).state is State.FAILED
    assert ask.job(good).state is State.SUCCEEDED
    assert (len(shop.roster), shop.roster.leaked) == (0, 0)
    return ask.history(bad)[0]


@pytest.mark.parametrize("isolation", ["loop", "thread"])
@pytest.mark.parametrize(
    ("act", "message", "trace"),
    [
        (two_arguments, "TwoArguments: for the record", "TwoArguments"),
        (chained, "RuntimeError: from it", "TwoArguments: for the record"),
        (with_a_lock, "ValueError: ('beside it', <unlocked", "ValueError"),
        (retry_with_it, "TwoArguments: as a message", "Retry"),
    ],
)
def test_an_error_is_kept_as_text_whatever_it_is_made_of(
    ask: Ask, workshop: OpenWorkshop, isolation: str, act: Callable[[], None], message: str, trace: str
) -> None:
    """B47 · Error transport which trusts the error object."""
    attempt = one_end(ask, workshop, bound(act, isolation))
    assert message in (attempt.error or "")
    assert trace in (attempt.traceback or "")


@pytest.mark.parametrize("kind", ["two_arguments", "with_a_lock", "retries_with_an_error"])
def test_an_error_of_a_child_process_is_kept_as_text_too(ask: Ask, workshop: OpenWorkshop, kind: str) -> None:
    """B47 · An exception that cannot be rebuilt from pickle crashed the parent."""
    attempt = one_end(ask, workshop, of_kind(kind))
    assert attempt.error
    assert attempt.traceback


EXITS = [
    (lambda: sys.exit(0), "system_exit"),
    (lambda: sys.exit("x"), "system_exit"),
    (leave_as_a_script_does, "system_exit"),
    (raising(KeyboardInterrupt()), "keyboard_interrupt"),
    (raising(GeneratorExit()), "generator_exit"),
    (raising(Other()), "other"),
]


@pytest.mark.parametrize("isolation", ["loop", "thread"])
@pytest.mark.parametrize(("act", "code"), EXITS)
def test_an_exit_of_a_handler_ends_its_attempt_and_not_the_worker(
    ask: Ask,
    workshop: OpenWorkshop,
    isolation: str,
    act: Callable[[], None],
    code: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """B49 · Catching Exception only."""
    monkeypatch.setattr(sys, "stdin", io.StringIO())  # exit() closes it
    attempt = one_end(ask, workshop, bound(act, isolation))
    assert (attempt.outcome, attempt.error_code) == (Outcome.FAILED, code)
    assert attempt.error_class is ErrorClass.UNKNOWN


@pytest.mark.parametrize(
    ("kind", "code"), [("exits", "system_exit"), ("interrupts", "keyboard_interrupt"), ("leaves", "child_died")]
)
def test_an_exit_in_a_child_process_ends_its_attempt_and_not_the_worker(
    ask: Ask, workshop: OpenWorkshop, kind: str, code: str
) -> None:
    """B49 · In process mode also os._exit is survived."""
    assert one_end(ask, workshop, of_kind(kind)).error_code == code


# B50: three causes, one exception


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
        until(lambda: live.job(job_id).state is State.RUNNING)
        one.stop()
        assert one.left() == exit_codes.GRACE_OVER
        go.set()
    assert (live.job(job_id).state, live.job(job_id).releases) == (State.READY, 1)


# B56: too much


@pytest.fixture
def app(live_store: Troubled) -> Iterator[Tenure]:
    one = Tenure("memory://")
    one.use(live_store)
    yield one
    one.use(None)


ENVELOPE = len('{"text":""}')


@pytest.mark.parametrize("character", ["x", "é", "😀"])
def test_a_payload_is_measured_in_bytes_of_utf_8(app: Tenure, character: str) -> None:
    """B56 · A payload exactly at, one under and one over the limit, with multi-byte text."""

    @app.task()
    def take(text: str) -> None: ...

    size = len(character.encode())
    room = defaults.PAYLOAD_BYTES - ENVELOPE
    text = character * (room // size)
    text += "x" * (room - len(text.encode()))
    for fits in (text[:-1], text):
        assert take.enqueue(text=fits).created
    with pytest.raises(TooLarge, match="65,536") as caught:
        take.enqueue(text=text + "x")
    assert caught.value.field == "payload"


def test_a_result_over_the_limit_ends_the_job_and_is_not_computed_again(app: Tenure) -> None:
    """B56 · A permanent refusal filed as transient."""
    ledger: list[int] = []

    @app.task()
    def answer(size: int) -> str:
        ledger.append(size)
        return "x" * (size - 2)

    with running(app.worker(poll=0.02, sweep=0.05)):
        fits = answer.enqueue(size=defaults.RESULT_BYTES)
        over = answer.enqueue(size=defaults.RESULT_BYTES + 1)
        assert len(fits.result(timeout=WAIT)) == defaults.RESULT_BYTES - 2
        until(lambda: over.refresh().state is State.FAILED)
    job = app.read(over.id)
    assert job is not None
    assert (job.end_code, job.attempt) == ("result_too_large", 1)
    assert "65,537" in (job.error or "")
    assert ledger.count(defaults.RESULT_BYTES + 1) == 1


def test_a_progress_note_over_the_limit_is_an_error_of_the_handler_that_made_it(app: Tenure) -> None:
    """B56 · Limit for progress; the attempt is not held up by a note."""
    noted: list[str] = []

    @app.task()
    def note(ctx: Context) -> None:
        try:
            ctx.progress("x" * defaults.PROGRESS_BYTES)
        except TooLarge as error:
            noted.append(error.field)

    with running(app.worker(poll=0.02)):
        note.enqueue().result(timeout=WAIT)
    assert noted == ["progress"]
