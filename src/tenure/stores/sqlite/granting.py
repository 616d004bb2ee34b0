"""A job that a claim has chosen: what is written of it, and the lease that its worker gets."""

from typing import Any

from tenure.core import defaults
from tenure.core.claim import ClaimRequest
from tenure.core.lease import Lease
from tenure.stores.sqlite.instants import instant_or_none, of_micros, span
from tenure.stores.sqlite.rows import Picked, progress_due, tags_of

Granted = tuple[tuple[Any, ...], Lease]
"""An item of `claim_take.sql`, whose first is the job's seq; and the lease."""


class Granting:
    """Of one claim, at the instant `now` in microseconds: each grant takes the next of its tokens."""

    def __init__(self, request: ClaimRequest, now: int) -> None:
        self._request, self._now = request, now
        self._tokens = iter(request.tokens)

    def grant(self, job: Picked, fencing_token: int, ran_version: int, slots: int) -> Granted:
        """ran_version: of the handler that will run it. slots: that it takes."""
        must_end_at = self._now + span(job.run_time_limit)
        if job.deadline is not None:
            must_end_at = min(must_end_at, job.deadline)
        expires_at = self._expires_at(job, must_end_at)
        lease = Lease(
            job_id=job.id,
            token=next(self._tokens),
            fencing_token=fencing_token,
            attempt=job.attempt + 1,
            kind=job.kind,
            version=job.version,
            tenant=job.tenant,
            queue=self._request.queue,
            priority=job.priority,
            payload=job.payload,
            run_at=of_micros(job.run_at),
            started_at=of_micros(self._now),
            lease_expires_at=of_micros(expires_at),
            must_end_at=of_micros(must_end_at),
            lease_seconds=self._request.lease_seconds,
            deadline=instant_or_none(job.deadline),
            tries=job.tries,
            max_attempts=job.max_attempts,
            tags=tags_of(job.tags),
            trace=job.trace,
            slots=slots,
        )
        return (job.seq, lease.token, ran_version, expires_at, must_end_at), lease

    def _expires_at(self, job: Picked, must_end_at: int) -> int:
        grace = span(defaults.END_GRACE)
        end = min(self._now + span(self._request.lease_seconds), must_end_at + grace)
        due = progress_due(job.policy, self._now)
        return end if due is None else min(end, due + grace)
