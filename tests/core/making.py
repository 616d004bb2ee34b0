"""Jobs in every state, made by the decisions themselves."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from tenure.core import intake, transitions
from tenure.core.attempt import ErrorClass
from tenure.core.job import Job, NewJob
from tenure.core.reports import Completion, Failure
from tenure.core.states import State
from tenure.core.transitions import Grant, Transition

NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
GRANT = Grant(
    lease_token="token", fencing_token=1, claim_id="c", worker="w", holder=None, ran_version=1, lease_seconds=60.0
)


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def waiting(**fields: Any) -> Job:
    new = NewJob(id="j", kind="k", payload="1", args_digest="d", **fields)
    return intake.row(new, 1, NOW)


def running(now: datetime = NOW, **fields: Any) -> Job:
    job = waiting(**{name: fields.pop(name) for name in tuple(fields) if name in NewJob.__struct_fields__})
    return msgspec.structs.replace(transitions.claim(job, now, GRANT).after, **fields)


def failure(error_class: ErrorClass = ErrorClass.RETRYABLE, code: str = "e", **facts: Any) -> Failure:
    return Failure(job_id="j", token="token", error_class=error_class, code=code, **facts)


def job_in(state: State) -> Job:
    """A job that has come to `state` by legal moves."""
    match state:
        case State.SCHEDULED:
            return waiting(delay=30.0)
        case State.READY:
            return waiting()
        case State.BLOCKED:
            return msgspec.structs.replace(waiting(), state=State.BLOCKED)
        case State.RUNNING:
            return running()
        case State.SUCCEEDED:
            return transitions.complete(running(), NOW, Completion("j", "token")).after
        case State.FAILED:
            return transitions.fail(running(), NOW, failure(ErrorClass.TERMINAL)).after
        case State.CANCELLED:
            return applied(transitions.cancel(waiting(), NOW))


def applied(move: Transition | None) -> Job:
    assert move is not None
    return move.after
