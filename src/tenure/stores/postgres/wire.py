"""Values to and from the JSON texts that every statement takes and gives."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, TypeVar

import msgspec

from tenure.core.attempt import Attempt
from tenure.core.closing import Last
from tenure.core.flow.demand import Demand
from tenure.core.flow.limits import Limit
from tenure.core.flow.pause import Pause
from tenure.core.flow.relief import Relief
from tenure.core.hints import Backlog, Taken
from tenure.core.job import Job
from tenure.core.kind import Kind
from tenure.core.lease import BeatAnswer, Lease, hosts_of
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import Effect, EffectState
from tenure.core.redriving.dead_letter import DeadLetter, LastError
from tenure.core.redriving.redrive import Frozen, Redrive
from tenure.core.scheduling.schedule import Occurrence, Schedule
from tenure.core.secrecy.credentials import Key
from tenure.core.switch import Switch
from tenure.stores.ledger import HeldEffect
from tenure.stores.limiting import HeldLimits
from tenure.stores.ordering import Turn, Unseen
from tenure.stores.pool import Room
from tenure.stores.protocol import Inserted, Promoted
from tenure.stores.reading import AuditEntry, Burden, Count, NamedCount, Slowdown, WorkerCount
from tenure.stores.redriving import End, HeldRedrive
from tenure.stores.resealing import Kept, Waiting
from tenure.stores.scheduling import DueSchedules, HeldSchedule
from tenure.stores.script import Rows

S = TypeVar("S", bound=msgspec.Struct)


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

LIMITS: Final = msgspec.json.Decoder(list[Limit])
DEMANDS: Final = msgspec.json.Decoder(dict[str, Demand])
RUNNING: Final = msgspec.json.Decoder(list[tuple[str, str, str, int]])
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
ROOM: Final = msgspec.json.Decoder(Room)
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
PAUSES: Final = msgspec.json.Decoder(list[Pause])
SWITCHES: Final = msgspec.json.Decoder(list[Switch])
KEPT: Final = msgspec.json.Decoder(list[Kept])
WAITING: Final = msgspec.json.Decoder(list[Waiting])
TAKEN: Final = msgspec.json.Decoder(Taken)
BACKLOG: Final = msgspec.json.Decoder(Backlog)
SEEDED: Final = msgspec.json.Decoder(Seeded)
RELIEFS: Final = msgspec.json.Decoder(dict[str, Relief])
HELD_LIMITS: Final = msgspec.json.Decoder(HeldLimits)
TURNS: Final = msgspec.json.Decoder(list[Turn])
LINES: Final = msgspec.json.Decoder(list[tuple[str, str]])
UNSEEN: Final = msgspec.json.Decoder(Unseen)
PLACES: Final = msgspec.json.Decoder(list[int])
ENTRIES: Final = msgspec.json.Decoder(list[AuditEntry])

_INSTANTS: Final = {
    Job: (
        "created_at", "run_at", "deadline", "ended_at", "updated_at", "started_at", "heartbeat_at",
        "lease_expires_at", "must_end_at", "progress_at", "cancel_requested_at", "pruned_at",
        "payload_expired_at", "burst_at",
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
    Pause: ("at",),
    Limit: ("filled_at",),
    Promoted: ("now", "next_run_at"),
    Inserted: ("now",),
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


def held_limits(rows: Rows) -> HeldLimits:
    held = HELD_LIMITS.decode(answer(rows))
    return HeldLimits(held.now.astimezone(UTC), utc_all(held.limits))


def by_id(jobs: Iterable[Job]) -> dict[str, Job]:
    return {job.id: utc(job) for job in jobs}


def worker_count(row: WorkerRow) -> WorkerCount:
    told = {name: getattr(row, name) for name in ("worker", "jobs", "started_at", "heartbeat_at")}
    return utc(WorkerCount(**told, hosts=hosts_of(row.holders)))
