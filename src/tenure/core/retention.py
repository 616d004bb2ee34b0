"""How long an ended job stays, and what is left of it."""

from datetime import datetime, timedelta

import msgspec

from tenure.core import defaults
from tenure.core.job import Job
from tenure.core.states import State


class Retention(msgspec.Struct, frozen=True):
    """Periods after a job's last end, by its state; `keys` is how long an idempotency key answers at least."""

    succeeded: timedelta = defaults.KEEP_SUCCEEDED
    cancelled: timedelta = defaults.KEEP_CANCELLED
    failed: timedelta = defaults.KEEP_FAILED
    keys: timedelta = defaults.KEEP_KEYS

    def periods(self) -> dict[State, timedelta]:
        return {
            State.SUCCEEDED: self.succeeded,
            State.CANCELLED: self.cancelled,
            State.FAILED: self.failed,
        }


def is_past(job: Job, now: datetime, retention: Retention) -> bool:
    """Whether the job is terminal and past its period. Anything else is never pruned, whatever its age."""
    period = retention.periods().get(job.state)
    return period is not None and job.ended_at is not None and job.ended_at + period <= now


def leaves_tombstone(job: Job, now: datetime, retention: Retention) -> bool:
    """Whether its idempotency key must go on answering after the job is pruned."""
    return job.idempotency_key is not None and job.ended_at is not None and job.ended_at + retention.keys > now


def tombstone(job: Job, now: datetime) -> Job:
    """What a pruned job leaves: identity, kind, state, times and codes; no payload, result or message."""
    if job.pruned_at is not None:
        return job
    return msgspec.structs.replace(
        job,
        payload=None,
        result=None,
        error=None,
        tags=(),
        pruned_at=now,
        updated_at=now,
        revision=job.revision + 1,
    )
