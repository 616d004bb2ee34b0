"""Cancel: waiting work ends at once, running work is asked to stop."""

from enum import StrEnum

import msgspec

from tenure.core import transitions
from tenure.core.states import State
from tenure.operations.audit import of_job
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Happened(StrEnum):
    """What a cancel did."""

    CANCELLED = "cancelled"
    REQUESTED = "requested"
    ALREADY_REQUESTED = "already_requested"
    ALREADY_ENDED = "already_ended"
    UNKNOWN = "unknown"


class CancelAnswer(msgspec.Struct, frozen=True):
    """What happened, and the job's state after it (None: no such job)."""

    job_id: str
    happened: Happened
    state: State | None = None


def cancel(verbs: Verbs, job_id: str, *, who: str, why: str = "") -> Script[CancelAnswer]:
    """A terminal job is answered with its state, unchanged. why: kept as far as it can be stored, up to 4 KiB."""
    locked = yield from verbs.lock([job_id])
    job = locked.jobs.get(job_id)
    if job is None:
        return CancelAnswer(job_id, Happened.UNKNOWN)
    transition = transitions.cancel(job, locked.now)
    if transition is None:
        running = job.state is State.RUNNING
        return CancelAnswer(job_id, Happened.ALREADY_REQUESTED if running else Happened.ALREADY_ENDED, job.state)
    yield from verbs.apply([transition])
    yield from verbs.audit(of_job(job, who, "cancel", why))
    state = transition.after.state
    return CancelAnswer(job_id, Happened.REQUESTED if state is State.RUNNING else Happened.CANCELLED, state)
