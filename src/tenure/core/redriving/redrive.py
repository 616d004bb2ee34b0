"""A redrive of a selection: failed jobs that run again, some first, the rest by a pace, until a rule stops it.

Rules of this file:

1. The selection is frozen at the start: which jobs, and the number of each one's newest attempt. It is written down in
   short transactions, and nothing is sent before it is whole. What fails after the start is not part of it.
2. A job of it is sent at most once. What failed again or was redriven meanwhile is left.
3. The counts on the redrive's row change together with the rows of its jobs, under the redrive's lock.
"""

from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec
from msgspec.structs import replace

from tenure.core.job_filter import JobFilter

CANARY: Final = 10
"""Jobs that are sent first, or a hundredth of the selection where that is more."""
CANARY_SHARE: Final = 0.01
PACE: Final = 10.0
"""Jobs a second of one kind and tenant."""
PACES: Final = (0.001, 100_000.0)
STOP_SHARE: Final = 0.2
STOP_WINDOW: Final = 50
WINDOWS: Final = (1, 10_000)
MOST_JOBS: Final = 100_000
"""Jobs of one selection."""


Lane = tuple[str, str]
"""(tenant, kind)."""


class RedriveState(StrEnum):
    """FREEZING writes its selection down; RUNNING sends; PAUSED by hand, STOPPED by the rule; the others are over."""

    FREEZING = "freezing"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class RedriveEvent(StrEnum):
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    STOP = "stop"
    FINISH = "finish"


class FrozenState(StrEnum):
    """Of one job in a redrive: WAITING for its turn, REDRIVEN without an outcome yet, or settled."""

    WAITING = "waiting"
    REDRIVEN = "redriven"
    SUCCEEDED = "succeeded"
    FAILED_AGAIN = "failed_again"
    LEFT = "left"


class Left(StrEnum):
    """Why a job of the selection is not run again, or has no outcome."""

    UNRECOVERABLE = "unrecoverable"  # its payload has expired
    SUPERSEDED = "superseded"  # a newer job stands in its place
    SINGLE_ATTEMPT = "single_attempt"  # it may be tried once only, and nobody said that such jobs are meant too
    NOT_FAILED = "not_failed"  # redriven by somebody else meanwhile, it waits, runs or has ended otherwise
    FAILED_AGAIN_MEANWHILE = "failed_again_meanwhile"  # it has an attempt that the selection does not know
    GONE = "gone"  # deleted by retention
    BROKEN = "broken"  # its row cannot be read
    CANCELLED = "cancelled"  # the job was cancelled after it was sent
    REDRIVE_CANCELLED = "redrive_cancelled"  # the redrive was cancelled before its turn


class Guard(msgspec.Struct, frozen=True, kw_only=True):
    """How a redrive holds itself back.

    canary: jobs sent first, None for the default share. pace: jobs a second of each kind and tenant. It stops when
    more than `stop_share` of the last `stop_window` outcomes are failures with one code. single_attempts: jobs that
    may be tried once only are meant too.
    """

    canary: int | None = None
    pace: float = PACE
    stop_share: float = STOP_SHARE
    stop_window: int = STOP_WINDOW
    single_attempts: bool = False


class Redrive(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `tenure_redrives`, whole.

    which: the selection as it was asked for, narrowed to the scope of who asked. canary: how many are sent first;
    canary_open: those of them without an outcome. canary_said: as it was asked for. sendable: jobs that would run
    again, counted before the selection was frozen. frozen_at, frozen_id: of the newest dead letter that is frozen.
    counts_from: outcomes before it are not judged. stop_code: the code that recurred. left_out: those that are left,
    with a reason on each row.
    """

    id: str
    revision: int = 0
    state: RedriveState = RedriveState.RUNNING
    which: JobFilter
    canary: int
    pace: float
    stop_share: float
    stop_window: int
    single_attempts: bool
    total: int
    waiting: int
    redriven: int = 0
    succeeded: int = 0
    failed_again: int = 0
    left_out: int = 0
    canary_open: int
    stop_code: str | None = None
    stop_reason: str | None = None
    who: str
    why: str
    created_at: datetime
    updated_at: datetime
    counts_from: datetime
    ended_at: datetime | None = None
    canary_said: int | None = None
    sendable: int
    frozen_at: datetime | None = None
    frozen_id: str | None = None


COLUMNS: Final[tuple[str, ...]] = Redrive.__struct_fields__
"""The columns of `tenure_redrives`, in the order in which every store reads them."""


class Frozen(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `tenure_redrive_jobs`: one job of the selection. Its identity is (redrive_id, place).

    attempt: the number of its newest attempt at the start. cause: the code that it had failed with. reason: why it is
    left. code: that of its failure after it was sent. settled_at: when the job ended, or was left.
    """

    redrive_id: str
    place: int
    job_id: str
    tenant: str
    kind: str
    attempt: int
    cause: str
    is_canary: bool = False
    state: FrozenState = FrozenState.WAITING
    reason: Left | None = None
    code: str | None = None
    sent_at: datetime | None = None
    settled_at: datetime | None = None

    @property
    def lane(self) -> Lane:
        """What a pace is for."""
        return self.tenant, self.kind


FROZEN_COLUMNS: Final[tuple[str, ...]] = Frozen.__struct_fields__
"""The columns of `tenure_redrive_jobs`, in the order in which every store reads them."""

OVER: Final = frozenset({RedriveState.FINISHED, RedriveState.CANCELLED})
"""States of a redrive that it never leaves."""


def left(row: Frozen, reason: Left, at: datetime) -> Frozen:
    """The row of a job that is not run again, or has no outcome."""
    return replace(row, state=FrozenState.LEFT, reason=reason, settled_at=at)
