"""The history row of the attempt that a running job's row describes."""

from datetime import datetime
from typing import Any

from tenure.core import lease
from tenure.core.attempt import Attempt, EndedBy, Outcome
from tenure.core.job import Job
from tenure.core.reports import Report
from tenure.core.transitions.move import IllegalTransition


def reported(job: Job, now: datetime, report: Report, outcome: Outcome, **facts: Any) -> Attempt:
    return history(job, report.verb, now, outcome, said=report.progress, **facts)


def history(
    job: Job, ended_by: EndedBy, ended_at: datetime, outcome: Outcome, said: str | None = None, **facts: Any
) -> Attempt:
    """As it ended; `said` is a newer progress note than the row's."""
    if job.lease_token is None or job.fencing_token is None or job.worker is None or job.started_at is None:
        raise IllegalTransition(f"job {job.id} has no running attempt to end")
    asked = job.cancel_requested_at is not None
    return Attempt(
        job_id=job.id,
        number=job.attempt,
        fencing_token=job.fencing_token,
        token_hash=lease.hash_token(job.lease_token),
        worker=job.worker,
        holder=job.holder,
        version=job.version,
        ran_version=job.ran_version,
        claimed_run_at=job.run_at,
        started_at=job.started_at,
        heartbeat_at=job.heartbeat_at,
        ended_at=ended_at,
        ended_by=ended_by,
        outcome=outcome,
        progress=job.progress if said is None else said,
        after_cancel=asked,
        after_deadline=job.deadline is not None and ended_at > job.deadline,
        **facts,
    )
