"""What ends, wakes or wants back a job that does not run."""

from datetime import datetime
from typing import Any

from tenure.core import cleaning
from tenure.core.job import Job
from tenure.core.redrivable import refusal
from tenure.core.states import WAITING, Event, State
from tenure.core.transitions import codes
from tenure.core.transitions.move import Transition, move


def cancel(job: Job, now: datetime) -> Transition | None:
    """waiting → cancelled; running → running, asked. None: nothing to change (terminal, or asked already)."""
    if job.state in WAITING:
        return _end_waiting(job, Event.CANCEL, now, State.CANCELLED, codes.CANCELLED)
    if job.state is State.RUNNING and job.cancel_requested_at is None:
        return move(job, Event.CANCEL, now, job, state=State.RUNNING, cancel_requested_at=now)
    return None


def supersede(job: Job, now: datetime, newer_id: str) -> Transition | None:
    """waiting → cancelled in favour of `newer_id`; failed → failed, never to be redriven. None: the job runs, has ended
    otherwise, or was superseded."""
    if job.state is State.FAILED and job.superseded_by is None:
        return move(job, Event.SUPERSEDE, now, job, state=State.FAILED, superseded_by=newer_id)
    if job.state not in WAITING:
        return None
    return _end_waiting(job, Event.SUPERSEDE, now, State.CANCELLED, codes.SUPERSEDED, superseded_by=newer_id)


def pass_deadline(job: Job, now: datetime) -> Transition | None:
    """waiting → failed, never started. None: the deadline stands or the job no longer waits."""
    if job.state not in WAITING or job.deadline is None or job.deadline > now:
        return None
    return _end_waiting(job, Event.PASS_DEADLINE, now, State.FAILED, codes.DEADLINE_EXCEEDED)


def promote(job: Job, now: datetime) -> Transition | None:
    """scheduled → ready at run_at. None: not due, or no longer scheduled."""
    if job.state is not State.SCHEDULED or job.run_at > now:
        return None
    return move(job, Event.DUE, now, job, state=State.READY)


def set_aside(job: Job, now: datetime, reason: str) -> Transition | None:
    """waiting → failed, because its row broke a batch; `reason` says how, and is cleaned."""
    if job.state not in WAITING:
        return None
    return _end_waiting(job, Event.SET_ASIDE, now, State.FAILED, codes.SET_ASIDE, error=cleaning.message(reason))


def redrive(job: Job, now: datetime, deadline: datetime | None = None) -> Transition | None:
    """failed → ready: the same job, attempt numbers go on, budgets start anew. None: it is refused
    (`core.redrivable`)."""
    if refusal(job) is not None:
        return None
    fresh: dict[str, Any] = dict.fromkeys(
        ("tries", "unknowns", "losses", "throttles", "releases", "returns", "snoozes"), 0
    )
    return move(
        job,
        Event.REDRIVE,
        now,
        job,
        state=State.READY,
        run_at=now,
        deadline=deadline,
        ended_at=None,
        end_code=None,
        **fresh,
    )


def _end_waiting(job: Job, event: Event, now: datetime, state: State, code: str, **changes: Any) -> Transition:
    return move(job, event, now, job, state=state, ended_at=now, end_code=code, **changes)
