"""The ways out of running: requeued, retried at the cost of a try, or finished.

The order in which an ended attempt is judged is at the head of the package.
"""

from datetime import datetime
from typing import Any, Final

from tenure.core import retry as waits
from tenure.core.attempt import Attempt
from tenure.core.job import Job
from tenure.core.states import Event, State
from tenure.core.transitions import codes
from tenure.core.transitions.move import Transition, move

NO_LEASE: Final[dict[str, Any]] = dict.fromkeys((
    "lease_token", "fencing_token", "claim_id", "worker", "holder", "ran_version", "lease_seconds", "started_at",
    "heartbeat_at", "lease_expires_at", "must_end_at", "progress", "progress_at", "cancel_requested_at",
))  # fmt: skip


def retry(
    job: Job,
    event: Event,
    now: datetime,
    attempt: Attempt,
    changes: dict[str, Any],
    code: str,
    wait: float,
    *,
    spent: bool = False,
) -> Transition:
    """Spends a try; the last one ends the job."""
    changes["tries"] = job.tries + 1
    if spent or job.tries + 1 >= job.max_attempts:
        return finish(job, event, now, attempt, State.FAILED, code, **changes)
    return requeue(job, event, now, attempt, wait, **changes)


def requeue(job: Job, event: Event, now: datetime, attempt: Attempt, wait: float, **changes: Any) -> Transition:
    run_at = waits.later(now, wait)
    if job.deadline is not None and run_at > job.deadline:
        return finish(job, event, now, attempt, State.FAILED, codes.DEADLINE_EXCEEDED, **changes)
    if job.cancel_requested_at is not None or job.superseded_by is not None:
        return finish(job, event, now, attempt, State.CANCELLED, codes.CANCELLED, **changes)
    state = State.READY if run_at <= now else State.SCHEDULED
    return leave(job, event, now, attempt, state, run_at=run_at, **changes)


def finish(
    job: Job, event: Event, now: datetime, attempt: Attempt, state: State, code: str, **changes: Any
) -> Transition:
    """Ends the job; a cancellation that was asked wins over every end but success, and after it a newer job."""
    if job.cancel_requested_at is not None:
        state, code = State.CANCELLED, codes.CANCELLED
    elif job.superseded_by is not None:
        state, code = State.CANCELLED, codes.SUPERSEDED
    return leave(job, event, now, attempt, state, ended_at=now, end_code=code, **changes)


def leave(job: Job, event: Event, now: datetime, attempt: Attempt, state: State, **changes: Any) -> Transition:
    return move(job, event, now, job, attempt, state=state, **(NO_LEASE | changes))
