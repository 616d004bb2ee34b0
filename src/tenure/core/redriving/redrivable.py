"""Whether a job can run again: the one place that decides it, for a redrive of one job as for one of many."""

from tenure.core.job import Job
from tenure.core.redriving.redrive import Left
from tenure.core.states import State


def refusal(job: Job) -> Left | None:
    """Why the job is not run again, None where it can be."""
    if job.state is not State.FAILED:
        return Left.NOT_FAILED
    return lost(has_payload=not job.unrecoverable, is_superseded=job.superseded_by is not None)


def lost(*, has_payload: bool, is_superseded: bool) -> Left | None:
    """Why a job that has failed is not run again, None where it can be."""
    if not has_payload:
        return Left.UNRECOVERABLE
    return Left.SUPERSEDED if is_superseded else None
