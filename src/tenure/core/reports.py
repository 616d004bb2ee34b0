"""What a worker says about the end of an attempt, and what it is answered."""

from enum import StrEnum

import msgspec

from tenure.core.attempt import EndedBy, ErrorClass, Outcome
from tenure.core.secrecy import cleaning
from tenure.core.states import State


class Completion(msgspec.Struct, frozen=True):
    """The handler returned. `result` is JSON text, checked (`core.payloads.documents`)."""

    job_id: str
    token: str
    result: str | None = None
    progress: str | None = None

    verb = EndedBy.COMPLETE


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """The attempt failed. `wait` is the wish of a retryable or throttled failure, in seconds.

    `outcome` differs from FAILED only where the worker ended the attempt itself (TIMED_OUT, NO_PROGRESS).
    `scope` "kind" slows the other jobs of the tenant and kind too (throttled only).
    `delay`: a retry waits at least so many seconds, up to the cap of its back-off, unless its deadline passes
    meanwhile. `slow`: the other jobs of the tenant and kind wait so many seconds too. `of_own_call`: an uncertain one,
    whose call this very attempt has made. `chance` in [0, 1) is the die for the jitter, thrown by the caller.
    """

    job_id: str
    token: str
    error_class: ErrorClass
    code: str
    error: str = ""
    traceback: str | None = None
    wait: float | None = None
    scope: str = "job"
    outcome: Outcome = Outcome.FAILED
    progress: str | None = None
    chance: float = 0.5
    delay: float = 0.0
    slow: float = 0.0
    of_own_call: bool = False

    verb = EndedBy.FAIL


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """The worker gives the job back unharmed. `begun`: whether the handler had started."""

    job_id: str
    token: str
    begun: bool
    code: str = "interrupted"
    progress: str | None = None
    chance: float = 0.5

    verb = EndedBy.RELEASE


class Unopened(Release, frozen=True, kw_only=True):
    """Whoever claimed the job lacks the key of its payload, and others may have it. `error` says which key.

    It goes back for a while; after `defaults.UNOPENED_RETURNS` returns it fails with `code`. A claim says so itself, in
    the transaction that made it.
    """

    error: str
    begun: bool = False


class Snoozing(msgspec.Struct, frozen=True, kw_only=True):
    """The handler's word that nothing happened and that it is too early. `delay` in seconds."""

    job_id: str
    token: str
    delay: float
    progress: str | None = None

    verb = EndedBy.SNOOZE


Report = Completion | Failure | Release | Snoozing


def failure(
    job_id: str,
    token: str,
    error_class: ErrorClass,
    code: str,
    message: str,
    *,
    traceback: str | None = None,
    wait: float | None = None,
    scope: str = "job",
    outcome: Outcome = Outcome.FAILED,
    progress: str | None = None,
    chance: float = 0.5,
    delay: float = 0.0,
    slow: float = 0.0,
) -> Failure:
    """A Failure whose words may be stored: cleaned, and cut to their limits."""
    return Failure(
        job_id=job_id,
        token=token,
        error_class=error_class,
        code=cleaning.code(code),
        error=cleaning.message(message),
        traceback=None if traceback is None else cleaning.traceback(traceback),
        wait=wait,
        scope=scope,
        outcome=outcome,
        progress=progress,
        chance=chance,
        delay=delay,
        slow=slow,
    )


class Standing(StrEnum):
    """How a report was taken."""

    DONE = "done"
    REPEATED = "repeated"
    STALE = "stale"
    UNKNOWN = "unknown"


class Answer(msgspec.Struct, frozen=True):
    """The answer to one report: how it was taken, the job's state after it, and the attempt's stored outcome.

    `state` and `outcome` are None when the job is not known; `outcome` also for a stale report. next_queue: of the next
    job of its order key, where that is ready since this one has ended.
    """

    job_id: str
    standing: Standing
    state: State | None = None
    outcome: Outcome | None = None
    end_code: str | None = None
    next_queue: str | None = None
