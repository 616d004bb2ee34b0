"""How long an ended job stays, how long its payload does, and what is left of it."""

from datetime import datetime, timedelta

import msgspec

from tenure.core import defaults
from tenure.core.job import Job
from tenure.core.states import State


class Retention(msgspec.Struct, frozen=True):
    """Periods after a job's last end, by its state; `keys` is how long an idempotency key answers at least.

    payload: how long the payload is kept, payload_failed: that of a failed job in its place; None is as long as the
    row. A shorter `Policy.payload_retention` of the job wins.
    """

    succeeded: timedelta = defaults.KEEP_SUCCEEDED
    cancelled: timedelta = defaults.KEEP_CANCELLED
    failed: timedelta = defaults.KEEP_FAILED
    keys: timedelta = defaults.KEEP_KEYS
    payload: timedelta | None = None
    payload_failed: timedelta | None = None

    def periods(self) -> dict[State, timedelta]:
        return {
            State.SUCCEEDED: self.succeeded,
            State.CANCELLED: self.cancelled,
            State.FAILED: self.failed,
        }

    def payload_periods(self) -> dict[State, timedelta]:
        """The states in which payloads expire before their row does."""
        failed = self.payload if self.payload_failed is None else self.payload_failed
        periods = {State.SUCCEEDED: self.payload, State.CANCELLED: self.payload, State.FAILED: failed}
        return {state: period for state, period in periods.items() if period is not None}


def is_past(job: Job, now: datetime, retention: Retention) -> bool:
    """Whether the job is terminal and past its period. Anything else is never pruned, whatever its age; nor is a job
    that stops its order key: its row is what holds the others back, and what an operator can redrive or cancel."""
    period = retention.periods().get(job.state)
    return period is not None and job.order_place is None and job.ended_at is not None and job.ended_at + period <= now


def is_payload_past(job: Job, now: datetime, retention: Retention) -> bool:
    """Whether the job has ended and its payload is past its period. A job that waits or runs keeps its payload."""
    if job.ended_at is None or job.payload_expired_at is not None:
        return False
    own = job.policy.payload_retention
    periods = (retention.payload_periods().get(job.state), None if own is None else timedelta(seconds=own))
    return any(period is not None and job.ended_at + period <= now for period in periods)


def without_payload(job: Job, now: datetime) -> Job:
    """The job when its payload has expired: everything else of it stays."""
    return msgspec.structs.replace(job, payload=None, payload_expired_at=now, updated_at=now, revision=job.revision + 1)


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
        payload_expired_at=job.payload_expired_at or now,
        updated_at=now,
        revision=job.revision + 1,
    )
