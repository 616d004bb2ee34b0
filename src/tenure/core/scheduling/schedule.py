"""A schedule: when a job of a kind is enqueued again and again; and its occurrences.

Rules of this file:

1. An occurrence is one slot of a schedule: its id, its edition and an instant in UTC. These make the job's idempotency
   key, so that any number of schedulers make one job of it.
2. What a schedule says has an edition, which rises with each edit. An edit, and a resume, count from now.
3. `next_at` is the first slot that nobody has decided on; every slot before it is a job, or on record as skipped.
"""

from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from tenure.core.scheduling.rule import Form, Rule

MISFIRE_CAP: Final = 100
MISFIRE_CAPS: Final = (1, 1000)
GRACE: Final = 30.0
GRACES: Final = (0.0, 7 * 86_400.0)
OPEN_JOBS: Final = 100
"""Jobs that a schedule remembers as not having ended when it last looked; they matter only once its overlap is
edited."""
GUARDED_JOBS: Final = 10_000
"""The same where overlap is not allowed: all of them, as far as anybody can have asked for so many by hand."""
TAG: Final = "schedule:"
"""Before the schedule's name, a tag of its jobs."""


class Misfire(StrEnum):
    """What becomes of slots that passed while no scheduler looked: the newest one is made up for, or all up to a cap,
    or none."""

    LATEST = "latest"
    ALL = "all"
    NONE = "none"


class Overlap(StrEnum):
    """What becomes of a slot while a job of the schedule has not ended: it is enqueued all the same, or skipped, or one
    waits for that end and further ones are skipped."""

    ALLOW = "allow"
    SKIP = "skip"
    QUEUE_ONE = "queue_one"


class Flag(StrEnum):
    """Why a schedule makes no jobs although nobody has paused it."""

    UNDECLARED = "undeclared"  # the application that declared it does not declare it any more
    UNKNOWN_KIND = "unknown_kind"  # no kind of this name is in the database
    BROKEN = "broken"  # its rule or its payload cannot be read


class Cause(StrEnum):
    DUE = "due"
    RUN_NOW = "run_now"
    BACKFILL = "backfill"


class Skip(StrEnum):
    """Why slots made no job."""

    MISSED = "missed"  # they passed while no scheduler looked
    OVERLAP = "overlap"  # a job of the schedule had not ended
    UNKNOWN_KIND = "unknown_kind"
    CONFLICT = "conflict"  # a job with other arguments holds the key or the id of the occurrence


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """What a schedule says, checked.

    payload: JSON text of an object. occurrence_as: the member of the payload that is given the slot's instant. grace:
    seconds that a slot may be late before it is missed (`Misfire.NONE`). misfire_cap: of `Misfire.ALL`.
    """

    kind: str
    payload: str
    rule: Rule
    queue: str
    priority: int
    occurrence_as: str | None = None
    misfire: Misfire = Misfire.LATEST
    misfire_cap: int = MISFIRE_CAP
    grace: float = GRACE
    overlap: Overlap = Overlap.ALLOW


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `tenure_schedules`, whole. Its name is one within its tenant; its id is never used again.

    revision: rises with each write, and guards it; edition: with each edit. form, rule, tz, starts_at: its rule, as in
    `core.scheduling.rule.Rule`. next_at: None while it is paused or flagged, and when nothing occurs any more.
    waiting_at: the slot that waits for the end of a job. open_jobs: its jobs that had not ended when it was last looked
    at, the oldest first. declared_by, declared_as, declared_with: the application that declares it, a digest of what
    that said last, and the kinds that it had then.
    """

    id: str
    tenant: str
    name: str
    revision: int = 0
    edition: int = 1
    kind: str
    payload: str
    occurrence_as: str | None = None
    queue: str
    priority: int
    form: Form
    rule: str
    tz: str
    starts_at: datetime
    misfire: Misfire = Misfire.LATEST
    misfire_cap: int = MISFIRE_CAP
    grace: float = GRACE
    overlap: Overlap = Overlap.ALLOW
    next_at: datetime | None
    waiting_at: datetime | None = None
    open_jobs: tuple[str, ...] = ()
    flag: Flag | None = None
    paused_at: datetime | None = None
    paused_by: str | None = None
    paused_why: str | None = None
    declared_by: str | None = None
    declared_as: str | None = None
    declared_with: tuple[str, ...] = ()
    created_at: datetime
    created_by: str
    updated_at: datetime


COLUMNS: Final[tuple[str, ...]] = Schedule.__struct_fields__
"""The columns of `tenure_schedules`, in the order in which every store reads them."""


class Occurrence(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `tenure_occurrences`: a slot that became a job, or a run of slots that were skipped.

    at, until_at: the first slot and the last. slots: how many, None where they were not counted. job_id: None for
    skipped ones. skipped: why.
    """

    id: str
    schedule_id: str
    edition: int
    cause: Cause
    at: datetime
    until_at: datetime
    slots: int | None = 1
    skipped: Skip | None = None
    job_id: str | None = None
    decided_at: datetime


OCCURRENCE_COLUMNS: Final[tuple[str, ...]] = Occurrence.__struct_fields__
"""The columns of `tenure_occurrences`, in the order in which every store reads them."""
