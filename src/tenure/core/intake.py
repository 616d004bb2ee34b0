"""How a submission becomes a row."""

from datetime import datetime

import msgspec

from tenure.core import retry
from tenure.core.errors import InvalidInput
from tenure.core.flow.newer_job import NewerJob
from tenure.core.job import Job, NewJob
from tenure.core.states import State
from tenure.core.transitions import codes


def run_at(new: NewJob, now: datetime) -> datetime:
    """When it is due: its run_at, or `now` plus its delay. Of a debounced one before a burst has its say."""
    if new.policy.debounce is not None and isinstance(new, NewerJob) and new.burst_at is None:
        return retry.later(now, new.policy.debounce)
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


def of_item(place: int, refusal: InvalidInput) -> InvalidInput:
    """The refusal of one of many, which says which."""
    words = refusal.message.removeprefix(f"{refusal.field}: ")
    return InvalidInput(f"items[{place}].{refusal.field}", words, code=refusal.code, hint=refusal.hint)


def row(new: NewJob, seq: int, now: datetime, place: int | None = None) -> Job:
    """The row that `new` becomes when it is inserted at `now`. place: in the line of its order key; whoever is first
    there is made its head at once (`transitions.unblock`)."""
    due = run_at(new, now)
    plain = Job(
        id=new.id,
        seq=seq,
        tenant=new.tenant,
        queue=new.queue,
        kind=new.kind,
        version=new.version,
        priority=new.priority,
        state=_state(new, due, now),
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
        order_key=new.order_key,
        order_place=place,
        on_failure=None if new.order_key is None else new.on_failure or new.policy.on_failure,
    )
    return _with_key(plain, new, now) if isinstance(new, NewerJob) else plain


def _with_key(plain: Job, new: NewerJob, now: datetime) -> Job:
    """One that was not the last of its batch has given way already."""
    job = msgspec.structs.replace(
        plain, supersession_key=new.supersession_key, supersedes=new.supersedes, burst_at=new.burst_at
    )
    if new.superseded_by is None:
        return job
    return msgspec.structs.replace(
        job,
        state=State.CANCELLED,
        ended_at=now,
        end_code=codes.SUPERSEDED,
        superseded_by=new.superseded_by,
    )


def _state(new: NewJob, due: datetime, now: datetime) -> State:
    if new.order_key is not None:
        return State.BLOCKED
    return State.SCHEDULED if due > now else State.READY
