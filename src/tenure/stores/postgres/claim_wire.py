"""What the statements of a claim answer."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, TypeVar

import msgspec

from tenure.core.claim import ClaimRequest
from tenure.core.flow.demand import Demand
from tenure.core.flow.place import Place
from tenure.core.flow.relief import Relief
from tenure.core.lease import Lease

A = TypeVar("A", datetime, datetime | None)


class LeaseColumns(msgspec.Struct, frozen=True, array_like=True):
    """Leases in claim order, as `claim.sql` answers them. nth: the place of each one's token among those given."""

    nth: list[int]
    job_id: list[str]
    fencing_token: list[int]
    attempt: list[int]
    kind: list[str]
    version: list[int]
    tenant: list[str]
    payload: list[str | None]
    run_at: list[datetime]
    lease_expires_at: list[datetime]
    must_end_at: list[datetime]
    deadline: list[datetime | None]
    tries: list[int]
    max_attempts: list[int]
    tags: list[tuple[str, ...]]
    trace: list[str | None]


class Past(msgspec.Struct, frozen=True, array_like=True):
    """A place in a lane: that of the job with this run_at and seq, whether it is there or gone."""

    priority: int
    tenant: str
    kind: str
    version: int
    run_at: datetime
    seq: int


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What one claim statement answers. priority: the level that it looked at, None when none is left. many: it takes
    from a level of one lane only, and this one has more.

    turns: the tenants of `core.flow.fairness` in turn order. rivals: whether others took some of the jobs that it meant
    to take. ruled: it took none, since a limit or a weight has a say. lower: whether ready jobs wait at lower
    priorities. spent: seconds from its `now` to its end, of a claim from one lane. lane: tenant, kind and version of
    the one job that was asked for. past: the last job that a claim from one lane took. leases: what differs from lease
    to lease, column by column; None for none.
    """

    now: datetime
    priority: int | None
    many: bool = False
    turns: list[str]
    rivals: bool
    ruled: bool = False
    lower: bool
    spent: float = 0.0
    lane: tuple[str, str, int] | None = None
    past: Past | None = None
    leases: LeaseColumns | None


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What `claim_look.sql` answers. priority, lower: as in a Step. held_back: whether a limit keeps a lane closed.

    lanes: those that are open, in turn order. places: of the limits that they have. weights: of their tenants that have
    one. oldest: run_at of the job at their heads that has waited longest. relief: of the queue. demands: of all kinds
    that are not plain.
    """

    now: datetime
    priority: int | None
    held_back: bool
    lower: bool
    lanes: list[tuple[str, str, int, str, int]]
    places: list[Place]
    weights: dict[str, int]
    demands: dict[str, Demand]
    oldest: datetime | None = None
    relief: Relief | None = None


class Candidate(msgspec.Struct, frozen=True, array_like=True):
    """A ready job."""

    tenant: str
    kind: str
    version: int
    id: str


class Candidates(msgspec.Struct, frozen=True):
    """running: jobs under live leases by queue, kind and tenant. jobs: by (run_at, seq)."""

    now: datetime
    running: list[tuple[str, str, str, int]]
    jobs: list[Candidate]


class TakenJobs(msgspec.Struct, frozen=True):
    now: datetime
    leases: LeaseColumns | None


class CompletedStep(msgspec.Struct, frozen=True):
    done: list[str]
    step: Step


STEP: Final = msgspec.json.Decoder(Step)
COMPLETED_STEP: Final = msgspec.json.Decoder(CompletedStep)
LOOK: Final = msgspec.json.Decoder(Look)
CANDIDATES: Final = msgspec.json.Decoder(Candidates)
TAKEN_JOBS: Final = msgspec.json.Decoder(TakenJobs)


def leases(
    told: LeaseColumns, tokens: Sequence[str], request: ClaimRequest, priority: int, now: datetime
) -> list[Lease]:
    """tokens: those that the statement was given. now: when it claimed, in UTC."""
    return [
        Lease(
            job_id=job_id, token=tokens[nth], fencing_token=fencing_token, attempt=attempt, kind=kind, version=version,
            tenant=tenant, queue=request.queue, priority=priority, payload=payload, run_at=run_at, started_at=now,
            lease_expires_at=lease_expires_at, must_end_at=must_end_at, lease_seconds=request.lease_seconds,
            deadline=deadline, tries=tries, max_attempts=max_attempts, tags=tags, trace=trace,
        )
        for (
            nth, job_id, fencing_token, attempt, kind, version, tenant, payload, tries, max_attempts, tags, trace,
            run_at, lease_expires_at, must_end_at, deadline,
        ) in zip(
            told.nth, told.job_id, told.fencing_token, told.attempt, told.kind, told.version, told.tenant, told.payload,
            told.tries, told.max_attempts, told.tags, told.trace,
            _in_utc(told.run_at), _in_utc(told.lease_expires_at), _in_utc(told.must_end_at), _in_utc(told.deadline),
            strict=True,
        )
    ]  # fmt: skip


def _in_utc(column: list[A]) -> list[A]:
    return [at if at is None or at.tzinfo is UTC else at.astimezone(UTC) for at in column]
