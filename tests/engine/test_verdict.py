"""What an exception out of a handler means, whatever the exception is made of."""

import asyncio
import threading

import pytest

from tenure.core import defaults
from tenure.core.attempt import ErrorClass, Outcome
from tenure.core.errors import LeaseLost, Misconfigured, RetryTransaction, StoreBusy, StoreUnavailable, WrongDatabase
from tenure.core.outcomes import Cancel, Retry, Snooze, Terminal, Throttled, Uncertain
from tenure.core.reports import Completion, Failure, Snoozing
from tenure.engine.attempts import verdict
from tenure.engine.attempts.handler import Classify
from tenure.engine.attempts.run import Run, StopReason
from tests.conformance.asking import Ask
from tests.engine.workshop import Desk


@pytest.fixture
def run(ask: Ask, desk: Desk) -> Run:
    ask.enqueued(run_time_limit=10.0)
    (only,) = desk.claim()
    return only


def judged(run: Run, error: BaseException, classify: Classify | None = None) -> Failure:
    said = verdict.of_error(run, error, classify)
    assert isinstance(said, Failure)
    return said


@pytest.mark.parametrize(
    ("error", "error_class", "code"),
    [
        (Retry("busy"), ErrorClass.RETRYABLE, "busy"),
        (Throttled("slow", retry_after=5), ErrorClass.THROTTLED, "slow"),
        (Terminal("closed"), ErrorClass.TERMINAL, "closed"),
        (Uncertain(), ErrorClass.UNCERTAIN, "effect_uncertain"),
        (Cancel(), ErrorClass.CANCEL, "cancelled_by_handler"),
        (LeaseLost("gone"), ErrorClass.RETRYABLE, "lease_lost"),
        (RetryTransaction("a rival"), ErrorClass.RETRYABLE, "retry_transaction"),
        (StoreBusy("locked"), ErrorClass.RETRYABLE, "store_busy"),
        (StoreUnavailable("gone"), ErrorClass.RETRYABLE, "store_unavailable"),
        (Misconfigured("no httpx2", hint="Install it."), ErrorClass.TERMINAL, "misconfigured"),
        (WrongDatabase("leads elsewhere"), ErrorClass.TERMINAL, "wrong_database"),
        (asyncio.CancelledError(), ErrorClass.UNKNOWN, "handler_cancelled_itself"),
        (SystemExit(0), ErrorClass.UNKNOWN, "system_exit"),
        (KeyboardInterrupt(), ErrorClass.UNKNOWN, "keyboard_interrupt"),
        (GeneratorExit(), ErrorClass.UNKNOWN, "generator_exit"),
        (ZeroDivisionError("x"), ErrorClass.UNKNOWN, "zero_division_error"),
        (ExceptionGroup("several", [ValueError("a")]), ErrorClass.UNKNOWN, "exception_group"),
    ],
)
def test_every_exception_has_a_class_and_a_code(
    run: Run, error: BaseException, error_class: ErrorClass, code: str
) -> None:
    said = judged(run, error)
    assert (said.error_class, said.code) == (error_class, code)


def test_a_mapped_exception_has_the_tasks_class(run: Run) -> None:
    said = judged(run, KeyError("x"), lambda error: (ErrorClass.TERMINAL, "no_key"))
    assert (said.error_class, said.code) == (ErrorClass.TERMINAL, "no_key")


def test_a_mapping_that_fails_itself_leaves_the_error_unknown(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    def classify(error: BaseException) -> None:
        raise RuntimeError("the mapping is broken")

    said = judged(run, KeyError("x"), classify)
    assert (said.error_class, said.code) == (ErrorClass.UNKNOWN, "key_error")
    assert "mapping of exceptions failed" in caplog.text


class Unprintable(Exception):
    def __str__(self) -> str:
        raise SystemExit


class NoText(Exception):
    def __str__(self) -> str:
        return 5  # type: ignore[return-value]


@pytest.mark.parametrize("error", [Unprintable(), NoText()])
def test_an_exception_that_cannot_be_printed_is_still_told(run: Run, error: Exception) -> None:
    said = judged(run, error)
    assert said.error.startswith(f"{type(error).__name__}: (its message cannot be shown")


class Hollow(Terminal):
    """Has nothing of what its ancestors set: they were never called."""

    def __init__(self) -> None:
        self.args = ("empty",)


def test_an_exception_that_cannot_be_judged_ends_its_attempt_all_the_same(run: Run) -> None:
    said = judged(run, Hollow())
    assert (said.error_class, said.code) == (ErrorClass.UNKNOWN, "broken_exception")


def test_whatever_stands_for_a_message_or_code_becomes_text(run: Run) -> None:
    said = judged(run, Terminal(404, threading.Lock()))  # type: ignore[arg-type]
    assert said.code == "404"
    assert "lock" in said.error


@pytest.mark.parametrize("wish", ["soon", float("nan"), float("inf"), 10**400, True])
def test_a_wish_that_is_no_number_of_seconds_is_none(run: Run, wish: object) -> None:
    assert judged(run, Retry("busy", retry_in=wish)).wait is None  # type: ignore[arg-type]
    assert judged(run, Throttled("slow", retry_after=wish)).wait is None  # type: ignore[arg-type]
    said = verdict.of_error(run, Snooze(wish), None)  # type: ignore[arg-type]
    assert isinstance(said, Snoozing)
    assert said.delay == 0.0


def test_the_cause_is_told_where_an_outcome_says_nothing_itself(run: Run) -> None:
    try:
        try:
            raise ValueError("the reason")
        except ValueError as error:
            raise Retry("busy") from error
    except Retry as caught:
        said = judged(run, caught)
    assert said.error == "ValueError: the reason"
    assert "ValueError: the reason" in (said.traceback or "")


def test_messages_are_cleaned_and_cut(run: Run) -> None:
    said = judged(run, ValueError("password=hunter2 \x00 \ud800 " + "é" * 10_000))
    assert "hunter2" not in said.error
    assert "\x00" not in said.error
    assert len(said.error.encode()) <= defaults.MESSAGE_BYTES


def test_endless_recursion_in_a_chain_of_causes_is_no_trouble(run: Run) -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert judged(run, first).code == "value_error"


def test_a_stop_of_the_process_has_its_own_outcome(run: Run) -> None:
    said = verdict.of_stop(run, StopReason.TIMED_OUT)
    assert (said.outcome, said.code, said.error) == (Outcome.TIMED_OUT, "timed_out", "stopped after 10 s")
    assert verdict.of_stop(run, StopReason.NO_PROGRESS).outcome is Outcome.NO_PROGRESS


def test_what_takes_a_refused_reports_place_carries_nothing_of_the_handlers(run: Run) -> None:
    run.note_progress('"who knows"')
    error = ValueError("bad \x00 text")
    success = verdict.of_refused(run, Completion(run.lease.job_id, run.lease.token, '"x"'), error)
    assert success is not None
    assert (success.error_class, success.code, success.progress) == (ErrorClass.TERMINAL, "report_refused", None)
    failure = verdict.of_refused(run, judged(run, Retry("busy")), error)
    assert failure is not None
    assert failure.error_class is ErrorClass.RETRYABLE
    assert verdict.of_refused(run, failure, error) is None
    assert verdict.of_refused(run, verdict.of_error(run, Snooze(1), None), error) is None


def test_what_is_misconfigured_is_told_in_words_and_with_what_to_do(run: Run) -> None:
    said = judged(run, Misconfigured("it needs httpx2", hint="Run pip install."))
    assert said.error == "it needs httpx2. Run pip install."


def test_a_task_may_say_for_itself_what_a_misconfiguration_means(run: Run) -> None:
    said = judged(run, Misconfigured("it needs httpx2"), lambda _error: (ErrorClass.RETRYABLE, "later"))
    assert (said.error_class, said.code) == (ErrorClass.RETRYABLE, "later")
