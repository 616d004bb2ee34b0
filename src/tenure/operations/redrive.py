"""Redrive: a failed job runs again, with its id and its history."""

from datetime import datetime
from enum import StrEnum

import msgspec

from tenure.core import transitions
from tenure.core.errors import InvalidInput
from tenure.core.states import State
from tenure.operations.audit import of_job
from tenure.operations.order import tails, written
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Redriven(StrEnum):
    """What a redrive did. UNRECOVERABLE: the payload has expired, or a newer job stands in its place."""

    REDRIVEN = "redriven"
    NOT_FAILED = "not_failed"
    UNRECOVERABLE = "unrecoverable"
    UNKNOWN = "unknown"


class RedriveAnswer(msgspec.Struct, frozen=True):
    """What happened, and the job's state after it (None: no such job). queue: whose workers have something to do."""

    job_id: str
    happened: Redriven
    state: State | None = None
    queue: str | None = None


def redrive(
    verbs: Verbs, job_id: str, *, who: str, why: str = "", deadline: datetime | None = None
) -> Script[RedriveAnswer]:
    """The same job, ready at once; its tries and other budgets are counted from here. Any other is left as it is. One
    that has kept its place in the line of its order key goes on there, another waits at its tail (`core.flow.order`).

    deadline: a new one; the old one does not hold any more. Raises InvalidInput for one that has passed.
    """
    locked = yield from verbs.lock([job_id])
    if deadline is not None and deadline <= locked.now:
        raise InvalidInput("deadline", f"{deadline.isoformat()} has passed", code="deadline_before_run_at")
    job = locked.jobs.get(job_id)
    if job is None:
        return RedriveAnswer(job_id, Redriven.UNKNOWN)
    places = yield from tails(verbs, [job])
    transition = transitions.redrive(job, locked.now, deadline, places.get(job_id))
    if transition is None:
        refusal = Redriven.UNRECOVERABLE if job.state is State.FAILED else Redriven.NOT_FAILED
        return RedriveAnswer(job_id, refusal, job.state)
    done = yield from written(verbs, [transition])
    detail = f"after {job.end_code}, attempt {job.attempt}"
    yield from verbs.audit(of_job(job, who, "redrive", why, detail))
    after = transition.after
    if after.state is State.BLOCKED and done.next:
        after = (yield from verbs.read([job_id]))[job_id]
    return RedriveAnswer(job_id, Redriven.REDRIVEN, after.state, after.queue)
