"""What a cancellation came to: read off a job's row, its history and its effects."""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from tenure.core.attempt import Attempt, Outcome
from tenure.core.job import Job
from tenure.core.ledger.effect import OPEN, EffectState, Standing
from tenure.core.states import State


class Told(StrEnum):
    """NOT_STARTED: no attempt of it ever began. WAITED: it was cancelled between two attempts. STOPPED: its handler
    stopped at a safe point. INTERRUPTED: its attempt ended otherwise, after the cancellation was asked. TOO_LATE: it
    had ended by itself. ASKED: it runs, and has not answered. NOT_ASKED: nobody has cancelled it."""

    NOT_STARTED = "not_started"
    WAITED = "waited"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    TOO_LATE = "too_late"
    ASKED = "asked"
    NOT_ASKED = "not_asked"


class Cancellation(msgspec.Struct, frozen=True):
    """confirmed: names of the effects that have happened outside. open: of those of which nobody knows."""

    told: Told
    confirmed: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


def tell(job: Job, attempts: Sequence[Attempt], effects: Sequence[Standing]) -> Cancellation:
    """attempts: all that have ended, oldest first."""
    return Cancellation(
        _told(job, attempts[-1] if attempts else None),
        tuple(row.name for row in effects if row.state is EffectState.CONFIRMED),
        tuple(row.name for row in effects if row.state in OPEN),
    )


def _told(job: Job, last: Attempt | None) -> Told:
    match job.state:
        case State.CANCELLED:
            return Told.NOT_STARTED if last is None else _how(last)
        case State.SUCCEEDED | State.FAILED:
            return Told.TOO_LATE
        case State.RUNNING if job.cancel_requested_at is not None:
            return Told.ASKED
        case _:
            return Told.NOT_ASKED


def _how(last: Attempt) -> Told:
    if last.outcome is Outcome.CANCELLED:
        return Told.STOPPED
    return Told.INTERRUPTED if last.after_cancel else Told.WAITED
