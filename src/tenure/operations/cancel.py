"""Cancel: waiting work ends at once, running work is asked to stop; and what it came to."""

from enum import StrEnum

import msgspec

from tenure.core import transitions
from tenure.core.cancellation import Cancellation, tell
from tenure.core.job import Job
from tenure.core.states import State
from tenure.operations.audit import of_job
from tenure.operations.order import written
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
    """What happened, the job's state after it (None: no such job), and what the cancellation has come to so far.
    queues: whose workers have something to do, since it was the head of an order key."""

    job_id: str
    happened: Happened
    state: State | None = None
    cancellation: Cancellation | None = None
    queues: frozenset[str] = frozenset()


def cancel(verbs: Verbs, job_id: str, *, who: str, why: str = "") -> Script[CancelAnswer]:
    """A terminal job is answered with its state, unchanged, unless it stops its order key. why: kept as far as it can
    be stored, up to 4 KiB."""
    locked = yield from verbs.lock([job_id])
    job = locked.jobs.get(job_id)
    if job is None:
        return CancelAnswer(job_id, Happened.UNKNOWN)
    transition = transitions.cancel(job, locked.now)
    if transition is None:
        happened = Happened.ALREADY_REQUESTED if job.state is State.RUNNING else Happened.ALREADY_ENDED
        return CancelAnswer(job_id, happened, job.state, (yield from _told(verbs, job)))
    done = yield from written(verbs, [transition])
    yield from verbs.audit(of_job(job, who, "cancel", why))
    after = transition.after
    happened = Happened.REQUESTED if after.state is State.RUNNING else Happened.CANCELLED
    return CancelAnswer(job_id, happened, after.state, (yield from _told(verbs, after)), done.queues)


def told_again(verbs: Verbs, answer: CancelAnswer) -> Script[CancelAnswer]:
    """The answer of an earlier cancel as it is by now."""
    job = (yield from verbs.read([answer.job_id])).get(answer.job_id)
    if job is None:
        return CancelAnswer(answer.job_id, answer.happened)
    return CancelAnswer(job.id, answer.happened, job.state, (yield from _told(verbs, job)))


def _told(verbs: Verbs, job: Job) -> Script[Cancellation]:
    attempts = yield from verbs.attempts([job.id])
    effects = yield from verbs.effect_standings(job.id)
    return tell(job, attempts[job.id], effects)
