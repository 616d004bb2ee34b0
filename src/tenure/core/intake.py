"""How a submission becomes a row."""

from datetime import datetime

from tenure.core import retry
from tenure.core.errors import InvalidInput
from tenure.core.job import Job, NewJob
from tenure.core.states import State


def run_at(new: NewJob, now: datetime) -> datetime:
    """When it is due: its run_at, or `now` plus its delay."""
    if new.run_at is not None:
        return new.run_at
    return now if new.delay is None else retry.later(now, new.delay)


def check_deadline(new: NewJob, now: datetime) -> None:
    """Raises InvalidInput when the job could never start before its deadline."""
    if new.deadline is not None and (new.deadline < run_at(new, now) or new.deadline <= now):
        raise InvalidInput(
            "deadline",
            f"{new.deadline.isoformat()} is before the job is due",
            code="deadline_before_run_at",
            hint="Give a later deadline, or an earlier run_at.",
        )


def row(new: NewJob, seq: int, now: datetime) -> Job:
    """The row that `new` becomes when it is inserted at `now`."""
    due = run_at(new, now)
    return Job(
        id=new.id,
        seq=seq,
        tenant=new.tenant,
        queue=new.queue,
        kind=new.kind,
        version=new.version,
        priority=new.priority,
        state=State.SCHEDULED if due > now else State.READY,
        payload=new.payload,
        args_digest=new.args_digest,
        idempotency_key=new.idempotency_key,
        tags=new.tags,
        trace=new.trace,
        created_at=now,
        run_at=due,
        deadline=new.deadline,
        updated_at=now,
        max_attempts=new.max_attempts,
        run_time_limit=new.run_time_limit,
        policy=new.policy,
    )
