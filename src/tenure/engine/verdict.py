"""What an exception out of a handler means. Errors travel as text only: no object of the handler is kept."""

import asyncio
import random
import re
import traceback
from collections.abc import Callable
from typing import Final

from tenure.core import cleaning, defaults
from tenure.core.attempt import ErrorClass, Outcome
from tenure.core.errors import LeaseLost
from tenure.core.outcomes import HandlerOutcome, Retry, Snooze, Throttled
from tenure.core.reports import Failure, Report, Snoozing
from tenure.engine.handler import Classify
from tenure.engine.run import Run, StopReason

chance: Callable[[], float] = random.random

_STOPPED: Final = {StopReason.TIMED_OUT: Outcome.TIMED_OUT, StopReason.NO_PROGRESS: Outcome.NO_PROGRESS}


def of_error(run: Run, error: BaseException, classify: Classify | None) -> Report:
    """The report of an attempt whose handler raised `error`."""
    if isinstance(error, Snooze):
        return Snoozing(job_id=run.lease.job_id, token=run.lease.token, delay=error.delay, progress=run.progress)
    if isinstance(error, HandlerOutcome) and error.error_class is not None:
        return _of_outcome(run, error, error.error_class)
    error_class, code = _class_of(error, classify)
    return failure(run, error_class, code, describe(error), trace=_trace(error))


def of_stop(run: Run, reason: StopReason) -> Failure:
    """The report of an attempt that this process ended because its time was over."""
    limit = run.lease.must_end_at - run.lease.started_at
    message = f"stopped after {limit.total_seconds():g} s" if reason is StopReason.TIMED_OUT else "made no progress"
    return failure(run, ErrorClass.RETRYABLE, reason.value, message, outcome=_STOPPED[reason])


def of_rollback(run: Run) -> Failure:
    """The handler completed the job in a transaction of its own, which then was not committed."""
    message = "the handler completed the job in its own transaction, which was not committed"
    return failure(run, ErrorClass.RETRYABLE, "completion_rolled_back", message)


def describe(error: BaseException) -> str:
    """Type and message of an exception, also of one that cannot be printed."""
    try:
        message = str(error)
    except Exception as broken:  # noqa: BLE001 (the user's __str__ may raise anything; its own name is told instead)
        message = f"(its message cannot be shown: {type(broken).__name__})"
    name = type(error).__qualname__
    return f"{name}: {message}" if message else name


def _of_outcome(run: Run, error: HandlerOutcome, error_class: ErrorClass) -> Failure:
    message = error.message or describe(error.__cause__ or error.__context__ or error)
    if isinstance(error, Throttled):
        return failure(run, error_class, error.code, message, wait=error.retry_after, scope=error.scope)
    wait = error.retry_in if isinstance(error, Retry) else None
    return failure(run, error_class, error.code, message, wait=wait, trace=_trace(error))


def _class_of(error: BaseException, classify: Classify | None) -> tuple[ErrorClass, str]:
    mapped = classify(error) if classify is not None else None
    if mapped is not None:
        return mapped
    if isinstance(error, LeaseLost):
        return ErrorClass.RETRYABLE, error.code
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
    return Failure(
        job_id=run.lease.job_id,
        token=run.lease.token,
        error_class=error_class,
        code=cleaning.cut(code, defaults.CODE_CHARACTERS),
        error=cleaning.message(message),
        traceback=trace,
        wait=wait,
        scope=scope,
        outcome=outcome,
        progress=run.progress,
        chance=chance(),
    )


def _trace(error: BaseException) -> str:
    try:
        return cleaning.traceback("".join(traceback.format_exception(error)))
    except Exception as broken:  # noqa: BLE001 (an exception of the user's that cannot be formatted is still an error)
        return f"(no traceback: {describe(broken)})"


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
