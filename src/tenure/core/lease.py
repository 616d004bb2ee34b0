"""A lease: temporary ownership of a job by a worker."""

import hashlib
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Final

import msgspec

from tenure.core import defaults
from tenure.core.flow.demand import NONE, Demands, of
from tenure.core.flow.limits import frees
from tenure.core.flow.place import Place, places
from tenure.core.job import Job


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """What a claim hands to a worker: the job's work and the proof of ownership.

    `token` is the secret that every later write of this attempt names; `fencing_token` rises over all attempts
    of the database and is for outside resources that can refuse a lower one. `slots`: how many of its worker's it
    takes. `frees`: what `core.flow.limits.frees` says of it.
    """

    job_id: str
    token: str
    fencing_token: int
    attempt: int
    kind: str
    version: int
    tenant: str
    queue: str
    priority: int
    payload: str | None
    run_at: datetime
    started_at: datetime
    lease_expires_at: datetime
    must_end_at: datetime
    lease_seconds: float
    deadline: datetime | None = None
    tries: int = 0
    max_attempts: int = defaults.MAX_ATTEMPTS
    tags: tuple[str, ...] = ()
    trace: str | None = None
    slots: int = 1
    frees: str | None = None

    def __repr__(self) -> str:
        """Without the token and the payload, which are for the worker alone."""
        return f"<Lease of job {self.job_id} {self.kind} attempt {self.attempt}>"

    @property
    def tries_left(self) -> int:
        """Tries that remain, this one included."""
        return max(0, self.max_attempts - self.tries)


FIELDS: Final[tuple[str, ...]] = tuple(
    {"job_id": "id", "token": "lease_token"}.get(name, name)
    for name in Lease.__struct_fields__
    if name not in ("slots", "frees")
)
"""The columns of `tenure_jobs` that make a Lease, in the order of its fields; `slots` and `frees` are the claim's to
say."""


class _Holder(msgspec.Struct, frozen=True):
    host: str | None = None


_decode_holder = msgspec.json.Decoder(_Holder).decode

_COLUMN_OF = dict(zip(Lease.__struct_fields__, FIELDS, strict=False))


class Beat(msgspec.Struct, frozen=True):
    """A sign of life of one attempt; `progress` is JSON text, None to leave the note as it is."""

    job_id: str
    token: str
    progress: str | None = None


class BeatAnswer(msgspec.Struct, frozen=True):
    """`held`: the lease stands. `expires_at` is its new end, or None when the row was locked by somebody's
    transaction and skipped (the lease is held as long as that lock lasts)."""

    job_id: str
    held: bool
    expires_at: datetime | None = None
    cancel_requested: bool = False


def of_job(job: Job, demands: Demands = NONE) -> Lease:
    """The lease that a running job's row describes."""
    slots = of(demands, job.kind).slots
    return Lease(**{field: getattr(job, column) for field, column in _COLUMN_OF.items()}, slots=slots)


def with_frees(leases: Iterable[Lease], full: Collection[Place], demands: Demands) -> tuple[Lease, ...]:
    """Those of a claim that left these limits full."""
    found = tuple(leases)
    if not full:
        return found
    return tuple(
        msgspec.structs.replace(
            lease, frees=frees(full, places(lease.queue, lease.kind, lease.tenant, of(demands, lease.kind).uses))
        )
        for lease in found
    )


def with_slots(leases: Iterable[Lease], demands: Demands) -> tuple[Lease, ...]:
    """Those that were read without what their kinds take."""
    return tuple(
        msgspec.structs.replace(lease, slots=demands[lease.kind].slots) if lease.kind in demands else lease
        for lease in leases
    )


def hosts_of(holders: Iterable[str | None]) -> tuple[str, ...]:
    """The hosts that holders name, sorted. A holder is JSON text, an object as a rule; others name none."""
    return tuple(sorted({host for holder in holders if (host := _host_of(holder)) is not None}))


def _host_of(holder: str | None) -> str | None:
    try:
        return None if holder is None else _decode_holder(holder).host
    except msgspec.DecodeError:
        return None


def hash_token(token: str) -> str:
    """SHA-256 of a lease token in hexadecimal: what history keeps of it."""
    return hashlib.sha256(token.encode()).hexdigest()


def must_end_at(started_at: datetime, run_time_limit: float, deadline: datetime | None) -> datetime:
    """The earliest of start + run-time limit and deadline."""
    end = started_at + timedelta(seconds=run_time_limit)
    return end if deadline is None else min(end, deadline)


def expires_at(job: Job, now: datetime, lease_seconds: float) -> datetime:
    """A lease's end when it is taken or renewed at `now`.

    Never later than the end grace after `must_end_at`, nor after the progress deadline where the policy sets
    one: a heartbeat does not keep a stuck job alive.
    """
    grace = timedelta(seconds=defaults.END_GRACE)
    ends = [now + timedelta(seconds=lease_seconds)]
    if job.must_end_at is not None:
        ends.append(job.must_end_at + grace)
    due = progress_due_at(job)
    if due is not None:
        ends.append(due + grace)
    return min(ends)


def progress_due_at(job: Job) -> datetime | None:
    """When the running attempt must next have reported progress; None without a progress deadline."""
    if job.policy.progress_timeout is None or job.started_at is None:
        return None
    return (job.progress_at or job.started_at) + timedelta(seconds=job.policy.progress_timeout)


def heartbeat_within(lease_seconds: float) -> float:
    """How long after a heartbeat the next one is sent, at most, unless a worker was told otherwise."""
    return lease_seconds * defaults.HEARTBEAT_SHARE


def safe_seconds(lease_seconds: float) -> float:
    """How long after *sending* a claim or heartbeat a worker may believe in its lease: the lease less its margin."""
    return lease_seconds * (1 - defaults.LEASE_MARGIN_SHARE)
