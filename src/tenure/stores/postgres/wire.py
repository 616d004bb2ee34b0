"""Values to and from the JSON texts that every statement takes and gives."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, TypeVar

import msgspec

from tenure.core.attempt import Attempt
from tenure.core.checkpoint import Checkpoint
from tenure.core.closing import Last
from tenure.core.credentials import Key
from tenure.core.dead_letter import DeadLetter, LastError
from tenure.core.effect import Effect, EffectState
from tenure.core.hints import Backlog, Taken
from tenure.core.job import Job
from tenure.core.kind import Kind
from tenure.core.lease import BeatAnswer, ClaimRequest, Lease, hosts_of
from tenure.core.redrive import Frozen, Redrive
from tenure.core.schedule import Occurrence, Schedule
from tenure.core.switch import Switch
from tenure.stores.ledger import HeldEffect
from tenure.stores.protocol import Inserted, Promoted
from tenure.stores.reading import AuditEntry, Burden, Count, NamedCount, Slowdown, WorkerCount
from tenure.stores.redriving import End, HeldRedrive
from tenure.stores.resealing import Kept, Waiting
from tenure.stores.scheduling import DueSchedules, HeldSchedule
from tenure.stores.script import Rows

S = TypeVar("S", bound=msgspec.Struct)
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


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What one claim statement answers. priority: the level that it looked at, None when none is left. many: it takes
    from a level of one lane only, and this one has more.

    turns: the tenants of `core.fairness` in turn order. rivals: whether others took some of the jobs that it meant to
    take. left_out: those for which a limited kind had no room. limited: it took none, since a kind whose limit it was
    not told has a turn. lower: whether ready jobs wait at lower priorities. leases: what differs from lease to lease,
    column by column; None for none. spent: seconds from its `now` to its end, of a claim from one lane.
    """

    now: datetime
    priority: int | None
    many: bool = False
    turns: list[str]
    rivals: bool
    left_out: int
    limited: bool
    lower: bool
    spent: float = 0.0
    leases: LeaseColumns | None


class CompletedStep(msgspec.Struct, frozen=True):
    done: list[str]
    step: Step


class LockedRows(msgspec.Struct, frozen=True):
    now: datetime
    jobs: list[Job]


class Meta(msgspec.Struct, frozen=True):
    database_id: str
    digest_key: str


class Counted(msgspec.Struct, frozen=True):
    count: int


class Seeded(msgspec.Struct, frozen=True):
    """How far a batch of hints came; None where nothing was left."""

    past: str | None


class WorkerRow(msgspec.Struct, frozen=True):
    """A WorkerCount before the hosts are told from the holders."""

    worker: str
    jobs: int
    started_at: datetime
    heartbeat_at: datetime
    holders: list[str | None]


encode: Final = msgspec.json.Encoder().encode

STEP: Final = msgspec.json.Decoder(Step)
COMPLETED_STEP: Final = msgspec.json.Decoder(CompletedStep)
LOCKED: Final = msgspec.json.Decoder(LockedRows)
JOBS: Final = msgspec.json.Decoder(list[Job])
ATTEMPTS: Final = msgspec.json.Decoder(list[Attempt])
LAST_ATTEMPTS: Final = msgspec.json.Decoder(list[Last])
INSERTED: Final = msgspec.json.Decoder(Inserted)
PROMOTED: Final = msgspec.json.Decoder(Promoted)
COUNTED: Final = msgspec.json.Decoder(Counted)
ANSWERS: Final = msgspec.json.Decoder(list[BeatAnswer])
IDS: Final = msgspec.json.Decoder(list[str])
COUNTS: Final = msgspec.json.Decoder(list[Count])
NAMED_COUNTS: Final = msgspec.json.Decoder(list[NamedCount])
WORKERS: Final = msgspec.json.Decoder(list[WorkerRow])
KINDS: Final = msgspec.json.Decoder(list[Kind])
SLOWDOWNS: Final = msgspec.json.Decoder(list[Slowdown])
CREDENTIALS: Final = msgspec.json.Decoder(list[Key])
EFFECTS: Final = msgspec.json.Decoder(list[Effect])
LAST_ERRORS: Final = msgspec.json.Decoder(dict[str, LastError])
STANDINGS: Final = msgspec.json.Decoder(list[tuple[str, EffectState]])
HELD_EFFECT: Final = msgspec.json.Decoder(HeldEffect)
CHECKPOINTS: Final = msgspec.json.Decoder(list[Checkpoint])
BURDEN: Final = msgspec.json.Decoder(Burden)
META: Final = msgspec.json.Decoder(Meta)
INSTANT: Final = msgspec.json.Decoder(datetime)
NUMBERS: Final = msgspec.json.Decoder(dict[str, int])
LETTERS: Final = msgspec.json.Decoder(list[DeadLetter])
REDRIVES: Final = msgspec.json.Decoder(list[Redrive])
HELD_REDRIVE: Final = msgspec.json.Decoder(HeldRedrive)
FROZEN: Final = msgspec.json.Decoder(list[Frozen])
ENDS: Final = msgspec.json.Decoder(list[End])
LANES: Final = msgspec.json.Decoder(list[tuple[str, str, int]])
SCHEDULES: Final = msgspec.json.Decoder(list[Schedule])
HELD_SCHEDULE: Final = msgspec.json.Decoder(HeldSchedule)
DUE_SCHEDULES: Final = msgspec.json.Decoder(DueSchedules)
OCCURRENCES: Final = msgspec.json.Decoder(list[Occurrence])
SWITCHES: Final = msgspec.json.Decoder(list[Switch])
KEPT: Final = msgspec.json.Decoder(list[Kept])
WAITING: Final = msgspec.json.Decoder(list[Waiting])
TAKEN: Final = msgspec.json.Decoder(Taken)
BACKLOG: Final = msgspec.json.Decoder(Backlog)
SEEDED: Final = msgspec.json.Decoder(Seeded)
ENTRIES: Final = msgspec.json.Decoder(list[AuditEntry])

_INSTANTS: Final = {
    Job: (
        "created_at", "run_at", "deadline", "ended_at", "updated_at", "started_at", "heartbeat_at",
        "lease_expires_at", "must_end_at", "progress_at", "cancel_requested_at", "pruned_at",
        "payload_expired_at",
    ),
    Lease: ("run_at", "started_at", "lease_expires_at", "must_end_at", "deadline"),
    Attempt: ("claimed_run_at", "started_at", "heartbeat_at", "lease_lost_at", "ended_at"),
    Last: ("claimed_run_at", "started_at"),
    BeatAnswer: ("expires_at",),
    Count: ("oldest_run_at",),
    NamedCount: ("oldest_run_at",),
    WorkerCount: ("started_at", "heartbeat_at"),
    AuditEntry: ("at",),
    Slowdown: ("until",),
    Key: ("created_at", "expires_at", "revoked_at"),
    Effect: ("started_at", "call_ends_by", "settled_at", "updated_at"),
    Checkpoint: ("saved_at",),
    HeldEffect: ("now",),
    DeadLetter: ("ended_at",),
    Redrive: ("created_at", "updated_at", "counts_from", "ended_at"),
    HeldRedrive: ("now",),
    Frozen: ("sent_at", "settled_at"),
    End: ("ended_at",),
    Switch: ("at",),
    Schedule: ("starts_at", "next_at", "waiting_at", "paused_at", "created_at", "updated_at"),
    HeldSchedule: ("now",),
    DueSchedules: ("now", "next_at"),
    Occurrence: ("at", "until_at", "decided_at"),
    Taken: ("now",),
    Backlog: ("now", "oldest_due_at"),
    Promoted: ("now", "next_run_at"),
    Inserted: ("now",),
    Step: ("now",),
    LockedRows: ("now",),
}  # fmt: skip


_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch


def ids(texts: Iterable[str]) -> list[str]:
    """Those of `texts` that can be the id of a job. Others name no job, and the column's type would refuse them."""
    return [text for text in texts if _ID(text)]


def answer(rows: Rows) -> str:
    """The text of a statement that always answers with one row."""
    return str(rows[0][0])


def utc(item: S) -> S:
    """`item` with its instants in UTC: a session may show them in another zone."""
    moved = {
        name: at.astimezone(UTC)
        for name in _INSTANTS[type(item)]
        if (at := getattr(item, name)) is not None and at.tzinfo is not UTC
    }
    return msgspec.structs.replace(item, **moved) if moved else item


def utc_all(items: Iterable[S]) -> list[S]:
    return [utc(item) for item in items]


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


def by_id(jobs: Iterable[Job]) -> dict[str, Job]:
    return {job.id: utc(job) for job in jobs}


def worker_count(row: WorkerRow) -> WorkerCount:
    told = {name: getattr(row, name) for name in ("worker", "jobs", "started_at", "heartbeat_at")}
    return utc(WorkerCount(**told, hosts=hosts_of(row.holders)))
