"""Supersede: waiting work ends in favour of a newer job."""

from enum import StrEnum

import msgspec

from tenure.core import transitions
from tenure.core.errors import InvalidInput
from tenure.core.job import Job
from tenure.core.states import WAITING, State
from tenure.operations.audit import of_job
from tenure.operations.order import written
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Superseded(StrEnum):
    """What a supersede did. NOT_WAITING: the job runs or has ended, and goes its way."""

    SUPERSEDED = "superseded"
    NOT_WAITING = "not_waiting"
    UNKNOWN = "unknown"


class SupersedeAnswer(msgspec.Struct, frozen=True):
    """What happened, and the older job's state after it (None: no such job). queues: whose workers have something to
    do."""

    job_id: str
    happened: Superseded
    state: State | None = None
    queues: frozenset[str] = frozenset()


def supersede(verbs: Verbs, job_id: str, newer_id: str, *, who: str, why: str = "") -> Script[SupersedeAnswer]:
    """The job is cancelled with the code `superseded` and names the newer one; nothing brings it back.

    Raises InvalidInput for a newer job that is not there, is of another tenant or kind, is not newer, or was
    superseded.
    """
    locked = yield from verbs.lock([job_id, newer_id])
    job = locked.jobs.get(job_id)
    if job is None:
        return SupersedeAnswer(job_id, Superseded.UNKNOWN)
    _check_newer(job, locked.jobs.get(newer_id))
    transition = transitions.supersede(job, locked.now, newer_id) if job.state in WAITING else None
    if transition is None:
        same = job.superseded_by == newer_id
        return SupersedeAnswer(job_id, Superseded.SUPERSEDED if same else Superseded.NOT_WAITING, job.state)
    done = yield from written(verbs, [transition])
    yield from verbs.audit(of_job(job, who, "supersede", why, f"in favour of job {newer_id}"))
    return SupersedeAnswer(job_id, Superseded.SUPERSEDED, transition.after.state, done.queues)


def _check_newer(job: Job, newer: Job | None) -> None:
    """Raises InvalidInput. Since the newer one is newer, no two jobs supersede each other."""
    if newer is None or (newer.tenant, newer.kind) != (job.tenant, job.kind):
        raise no_such_newer()
    if newer.seq <= job.seq:
        raise InvalidInput("newer", "was enqueued before the job, or is the same", code="not_newer")
    if newer.superseded_by is not None:
        raise InvalidInput("newer", f"was superseded itself, by {newer.superseded_by}", code="superseded")


def no_such_newer() -> InvalidInput:
    """The same words for a job that is not there and for one that cannot stand in the other's place."""
    return InvalidInput("newer", "is no job of this tenant and kind", code="no_such_job")
