"""Promote: what is due becomes ready."""

from tenure.core import transitions
from tenure.operations.order import written
from tenure.stores.protocol import Promoted, Verbs
from tenure.stores.script import Script


def promote(verbs: Verbs, limit: int = 1000) -> Script[Promoted]:
    """Up to `limit` due jobs, in one statement."""
    return (yield from verbs.promote(limit))


def due_ids(verbs: Verbs, limit: int = 1000) -> Script[list[str]]:
    """The jobs that a failed batch must take one by one."""
    return list((yield from verbs.due(limit)).jobs)


def promote_one(verbs: Verbs, job_id: str) -> Script[bool]:
    """One due job by itself; whether it was made ready."""
    locked = yield from verbs.lock([job_id])
    job = locked.jobs.get(job_id)
    transition = transitions.promote(job, locked.now) if job else None
    return bool(transition and (yield from written(verbs, [transition])).applied)


def set_aside(verbs: Verbs, job_id: str, reason: str) -> Script[bool]:
    """Ends a waiting job that broke a batch; whether that was written."""
    locked = yield from verbs.lock([job_id])
    job = locked.jobs.get(job_id)
    transition = transitions.set_aside(job, locked.now, reason) if job else None
    return bool(transition and (yield from written(verbs, [transition])).applied)
