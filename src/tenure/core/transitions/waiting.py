"""What ends, wakes or wants back a job that does not run."""

from datetime import datetime
from typing import Any

from tenure.core.flow import order
from tenure.core.job import Job
from tenure.core.redriving.redrivable import refusal
from tenure.core.secrecy import cleaning
from tenure.core.states import WAITING, Event, State
from tenure.core.transitions import codes
from tenure.core.transitions.move import IllegalTransition, Transition, move


def cancel(job: Job, now: datetime) -> Transition | None:
    """waiting → cancelled; running → running, asked; failed → cancelled, where it stops its order key. None: nothing to
    change (terminal, or asked already)."""
    if job.state in WAITING or order.stops_its_key(job):
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


def unblock(job: Job, now: datetime) -> Transition | None:
    """blocked → ready, or scheduled where it is not due: it is the head of its order key now. None: it is not
    blocked."""
    if job.state is not State.BLOCKED:
        return None
    state = State.READY if job.run_at <= now else State.SCHEDULED
    return move(job, Event.UNBLOCK, now, job, state=state, order_place=order.HEAD)


def redrive(job: Job, now: datetime, deadline: datetime | None = None, place: int | None = None) -> Transition | None:
    """failed → ready: the same job, attempt numbers go on, budgets start anew. Behind others of its order key blocked.
    None: it is refused (`core.redriving.redrivable`).

    place: at the tail of its line, for a job that must have one (`order.needs_place`).
    """
    if refusal(job) is not None:
        return None
    fresh: dict[str, Any] = dict.fromkeys(
        ("tries", "unknowns", "losses", "throttles", "releases", "returns", "snoozes"), 0
    )
    place = place if order.needs_place(job) else job.order_place
    if job.order_key is not None and place is None:
        raise IllegalTransition(f"job {job.id} joins the line of its order key without a place")
    return move(
        job,
        Event.REDRIVE,
        now,
        job,
        state=State.READY if place in (None, order.HEAD) else State.BLOCKED,
        order_place=place,
        run_at=now,
        deadline=deadline,
        ended_at=None,
        end_code=None,
        **fresh,
    )


def _end_waiting(job: Job, event: Event, now: datetime, state: State, code: str, **changes: Any) -> Transition:
    return move(job, event, now, job, state=state, ended_at=now, end_code=code, **changes)
