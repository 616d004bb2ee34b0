"""An attempt: one execution under one lease. Written once, when it ends, whatever the end."""

from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec


class Outcome(StrEnum):
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    THROTTLED = "throttled"
    UNCERTAIN = "uncertain"
    SNOOZED = "snoozed"
    RELEASED = "released"
    LEASE_EXPIRED = "lease_expired"
    TIMED_OUT = "timed_out"
    NO_PROGRESS = "no_progress"
    CANCELLED = "cancelled"


class ErrorClass(StrEnum):
    """How a failed attempt is to be taken; the paths are in `core.transitions.fail`."""

    RETRYABLE = "retryable"
    THROTTLED = "throttled"
    TERMINAL = "terminal"
    UNCERTAIN = "uncertain"
    UNKNOWN = "unknown"
    CANCEL = "cancel"


class EndedBy(StrEnum):
    """The verb that ended the attempt. The same verb under the same token is a repeat, not a stale write."""

    COMPLETE = "complete"
    FAIL = "fail"
    RELEASE = "release"
    SNOOZE = "snooze"
    EXPIRE = "expire"


class Holder(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where an attempt ran: told by the worker at the claim, kept for people, decided on by nobody."""

    host: str = ""
    process: int = 0
    code_version: str = ""


class LateReport(msgspec.Struct, frozen=True):
    """What an attempt said after it had lost its job: the verb, when it came, and its code."""

    verb: str
    at: datetime
    code: str | None = None


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `tenure_attempts`, whole. Its identity is (job_id, number).

    `lease_lost_at` and `ended_at` of a lost lease are the lease's expiry, not the sweep that found it.
    `version` is the handler version that the job asked for, `ran_version` the one that ran it.
    """

    job_id: str
    number: int
    fencing_token: int
    token_hash: str
    worker: str
    holder: str | None
    version: int
    ran_version: int | None = None
    claimed_run_at: datetime
    started_at: datetime
    heartbeat_at: datetime | None = None
    lease_lost_at: datetime | None = None
    ended_at: datetime
    ended_by: EndedBy
    outcome: Outcome
    begun: bool = True
    error_class: ErrorClass | None = None
    error_code: str | None = None
    error: str | None = None
    traceback: str | None = None
    progress: str | None = None
    after_cancel: bool = False
    after_deadline: bool = False
    late_report: LateReport | None = None

    @property
    def id(self) -> str:
        """Stable identity of this attempt, `<job id>/<number>`."""
        return f"{self.job_id}/{self.number}"


COLUMNS: Final[tuple[str, ...]] = Attempt.__struct_fields__
"""The columns of `tenure_attempts`, in the order in which every store reads them."""
