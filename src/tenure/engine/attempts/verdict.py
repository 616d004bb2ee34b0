"""What an exception out of a handler means. Errors travel as text only: no object of the handler is kept."""

import asyncio
import logging
import random
import re
import traceback
from collections.abc import Callable
from typing import Any, Final

import msgspec

from tenure.core import reports
from tenure.core.attempt import ErrorClass, Outcome
from tenure.core.errors import LeaseLost, Misconfigured, RetryTransaction, StoreBusy, StoreUnavailable, WrongDatabase
from tenure.core.outcomes import HandlerOutcome, Retry, Snooze, Throttled, Uncertain
from tenure.core.reports import Completion, Failure, Report, Snoozing
from tenure.engine.attempts.handler import Classify
from tenure.engine.attempts.run import Run, StopReason

log = logging.getLogger("tenure.engine")

REPORT_REFUSED: Final = "report_refused"

chance: Callable[[], float] = random.random

_ENDLESS: Final = 1e300

_OF_THE_DATABASE: Final = (LeaseLost, RetryTransaction, StoreBusy, StoreUnavailable)
"""What `ctx.complete` and an enqueue inside a handler may raise through no fault of it: retryable, by their code."""

OF_THE_CODE: Final = (Misconfigured, WrongDatabase)
"""What Tenure's own helpers raise where a declaration, an installation or a connection cannot work: no retry can
help."""

_INNERMOST: Final = 100
"""Frames of a traceback that are written down: more than what is kept of the text. A deep recursion costs no more."""

_STOPPED: Final = {StopReason.TIMED_OUT: Outcome.TIMED_OUT, StopReason.NO_PROGRESS: Outcome.NO_PROGRESS}


def of_error(run: Run, error: BaseException, classify: Classify | None) -> Report:
    """The report of an attempt whose handler raised `error`. Never raises: without a report the attempt would count as
    running until its time limit."""
    try:
        return _of_error(run, error, classify)
    except BaseException as broken:  # noqa: BLE001 (an exception of the user's may raise whatever it is asked)
        message = f"the handler's exception cannot be judged: {describe(broken)}"
        return failure(run, ErrorClass.UNKNOWN, "broken_exception", message, trace=trace(broken))


def _of_error(run: Run, error: BaseException, classify: Classify | None) -> Report:
    if isinstance(error, Snooze):
        delay = _seconds("delay", error.delay) or 0.0
        return Snoozing(job_id=run.lease.job_id, token=run.lease.token, delay=delay, progress=run.progress)
    if isinstance(error, HandlerOutcome) and error.error_class is not None:
        return _of_outcome(run, error, error.error_class)
    error_class, code = _class_of(run, error, classify)
    message = f"{error.message}. {error.hint}".rstrip() if isinstance(error, OF_THE_CODE) else describe(error)
    return failure(run, error_class, code, message, trace=trace(error))


def of_stop(run: Run, reason: StopReason) -> Failure:
    """The report of an attempt that this process ended because its time was over."""
    limit = run.lease.must_end_at - run.lease.started_at
    message = f"stopped after {limit.total_seconds():g} s" if reason is StopReason.TIMED_OUT else "made no progress"
    return failure(run, ErrorClass.RETRYABLE, reason.value, message, outcome=_STOPPED[reason])


def of_rollback(run: Run) -> Failure:
    """The handler completed the job in a transaction of its own, which then was not committed."""
    message = "the handler completed the job in its own transaction, which was not committed"
    return failure(run, ErrorClass.RETRYABLE, "completion_rolled_back", message)


def of_no_text(run: Run, result: object) -> Failure:
    """The handler's binding answered something else than JSON text: a fault of the declaration."""
    message = f"the handler's binding answered a {type(result).__name__}, not JSON text"
    return failure(run, ErrorClass.TERMINAL, "result_not_text", message)


def of_refused(run: Run, said: Report, error: Exception) -> Failure | None:
    """The report that takes the place of one which the database refuses: nothing that the handler said is in it.

    A success ends terminally, so that the work is not run again; a failure keeps its class. None: let the lease end.
    """
    if isinstance(said, Failure) and said.code == REPORT_REFUSED:
        return None
    if not isinstance(said, (Completion, Failure)):
        return None
    error_class = said.error_class if isinstance(said, Failure) else ErrorClass.TERMINAL
    message = f"what the handler said at its end cannot be stored: {describe(error)}"
    return msgspec.structs.replace(failure(run, error_class, REPORT_REFUSED, message), progress=None)


def describe(error: BaseException) -> str:
    """Type and message of an exception, also of one that cannot be printed."""
    message, name = _text(error), type(error).__qualname__
    return f"{name}: {message}" if message else name


def _text(value: Any) -> str:
    """What the user's object says of itself."""
    try:
        return f"{value}"
    except BaseException as broken:  # noqa: BLE001 (a __str__ of the user's may raise anything; that is told instead)
        return f"(its message cannot be shown: {type(broken).__name__})"


def _seconds(field: str, value: Any) -> float | None:
    """A wish in seconds, as far as it is one: the outcome itself is not lost by a wish that is none."""
    if value is None or (type(value) in (int, float) and abs(value) < _ENDLESS):
        return None if value is None else float(value)
    log.warning("%s is no number of seconds, but a %s; it is passed over", field, type(value).__name__)
    return None


def _of_outcome(run: Run, error: HandlerOutcome, error_class: ErrorClass) -> Failure:
    said = describe(error.message) if isinstance(error.message, BaseException) else _text(error.message)
    code = _text(error.code)
    message = said or _of_cause(error)
    if isinstance(error, Throttled):
        scope = "kind" if error.scope == "kind" else "job"
        return failure(run, error_class, code, message, wait=_seconds("retry_after", error.retry_after), scope=scope)
    wait = _seconds("retry_in", error.retry_in) if isinstance(error, Retry) else None
    failed = failure(run, error_class, code, message, wait=wait, trace=trace(error))
    of_own_call = isinstance(error, Uncertain) and error.of_own_call
    return msgspec.structs.replace(failed, of_own_call=True) if of_own_call else failed


def _of_cause(error: HandlerOutcome) -> str:
    """Words for an outcome that has none: those of what led to it, or else the name of a class of the user's. The code
    stands beside them anyway."""
    cause = error.__cause__ or error.__context__
    if cause is not None:
        return describe(cause)
    return "" if type(error).__module__ == HandlerOutcome.__module__ else type(error).__qualname__


def _mapped(run: Run, error: BaseException, classify: Classify | None) -> tuple[ErrorClass, str] | None:
    try:
        return classify(error) if classify is not None else None
    except Exception as broken:  # noqa: BLE001 (the user's own may raise anything; the error is told besides)
        told = run.without_secrets(trace(broken), keeps_end=True)
        log.error("the task's mapping of exceptions failed; the error counts as unknown\n%s", told)
        return None


def _class_of(run: Run, error: BaseException, classify: Classify | None) -> tuple[ErrorClass, str]:
    mapped = _mapped(run, error, classify)
    if mapped is not None:
        return mapped
    if isinstance(error, _OF_THE_DATABASE):
        return ErrorClass.RETRYABLE, error.code
    if isinstance(error, OF_THE_CODE):
        return ErrorClass.TERMINAL, error.code
    if isinstance(error, asyncio.CancelledError):
        return ErrorClass.UNKNOWN, "handler_cancelled_itself"
    if isinstance(error, SystemExit):
        return ErrorClass.UNKNOWN, "system_exit"
    return ErrorClass.UNKNOWN, _snake(type(error).__name__)


def failure(
    run: Run,
    error_class: ErrorClass,
    code: str,
    message: str,
    *,
    wait: float | None = None,
    scope: str = "job",
    outcome: Outcome = Outcome.FAILED,
    trace: str | None = None,
) -> Failure:
    return reports.failure(
        run.lease.job_id,
        run.lease.token,
        error_class,
        run.without_secrets(code),
        run.without_secrets(message),
        traceback=None if trace is None else run.without_secrets(trace, keeps_end=True),
        wait=wait,
        scope=scope,
        outcome=outcome,
        progress=run.progress,
        chance=chance(),
    )


def trace(error: BaseException) -> str:
    """Its traceback as text, the innermost frames."""
    try:
        return "".join(traceback.format_exception(error, limit=-_INNERMOST))
    except BaseException as broken:  # noqa: BLE001 (a user's exception that cannot be formatted is still an error)
        return f"(no traceback: {describe(broken)})"


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
