"""What a claim makes of a ready job."""

from datetime import datetime

import msgspec

from tenure.core import lease
from tenure.core.job import Job
from tenure.core.states import Event, State
from tenure.core.transitions.move import Transition, move


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """What a claim gives to one job: all of it is made by the claimer or the store, none of it decided here."""

    lease_token: str
    fencing_token: int
    claim_id: str
    worker: str
    holder: str | None
    ran_version: int
    lease_seconds: float


def claim(job: Job, now: datetime, grant: Grant) -> Transition:
    """ready → running. The attempt counts from here: a job that kills its worker still spends its tries."""
    running = msgspec.structs.replace(
        job,
        attempt=job.attempt + 1,
        lease_token=grant.lease_token,
        fencing_token=grant.fencing_token,
        claim_id=grant.claim_id,
        worker=grant.worker,
        holder=grant.holder,
        ran_version=grant.ran_version,
        lease_seconds=grant.lease_seconds,
        started_at=now,
        heartbeat_at=now,
        must_end_at=lease.must_end_at(now, job.run_time_limit, job.deadline),
    )
    return move(
        job,
        Event.CLAIM,
        now,
        running,
        state=State.RUNNING,
        lease_expires_at=lease.expires_at(running, now, grant.lease_seconds),
    )
