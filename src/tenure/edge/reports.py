"""Heartbeats and the ends of attempts on the wire."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta

from tenure.core import defaults
from tenure.core.states import State
from tenure.edge.body import Answer
from tenure.edge.claims import Claim, ClaimedJobs
from tenure.edge.requests import Body
from tenure.edge.scalars import CodeReported, Id, Instant, Name, Seconds, Token, WordsReported
from tenure.edge.words import Status


class Told(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a worker tells of work that is done or under way. What no store can hold is replaced in its texts, and
    judged in its result when the rest stands: refused, it would have the work done again."""


class Heartbeat(Told, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """progress: any JSON up to 1 KiB; left out, the note stays as it is."""

    lease_token: Token
    worker_id: Name | None = None
    progress: Any = UNSET


class Complete(Told, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """result: any JSON up to 64 KiB; one that cannot be stored ends the job as failed."""

    lease_token: Token
    worker_id: Name | None = None
    result: Any = None
    progress: Any = UNSET


ErrorClassWord = Literal["retryable", "throttled", "terminal", "uncertain", "unknown", "cancel"]


class Fail(Told, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`error` alone is retryable with the full budget. retry_in: seconds; 0 requeues at once.

    scope: with throttled and `kind` the other jobs of the tenant and kind wait too. outcome: what the worker itself
    ended for a reason of time. least_wait, rest: what a worker makes of a storm, in seconds: a retry waits so long at
    least, up to the cap of its back-off and unless it would miss its deadline; the other jobs of the tenant and kind
    wait so long too, 5 min at most.
    """

    lease_token: Token
    worker_id: Name | None = None
    error_class: ErrorClassWord = msgspec.field(default="retryable", name="class")
    code: CodeReported | None = None
    error: WordsReported = ""
    retry_in: Seconds | None = None
    scope: Literal["job", "kind"] = "job"
    least_wait: Seconds = 0.0
    rest: Seconds = 0.0
    outcome: Literal["failed", "timed_out", "no_progress"] = "failed"
    traceback: WordsReported | None = None
    progress: Any = UNSET


class Release(Told, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Gives the job back unharmed. begun: whether the work had started."""

    lease_token: Token
    worker_id: Name | None = None
    begun: bool = True
    code: CodeReported = "interrupted"
    progress: Any = UNSET


class Snooze(Told, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Nothing happened and it is too early. delay: seconds."""

    lease_token: Token
    worker_id: Name | None = None
    delay: Seconds
    progress: Any = UNSET


class HeartbeatOf(Heartbeat, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: Id


class CompleteOf(Complete, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="verb", tag="complete"):
    id: Id


class FailOf(Fail, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="verb", tag="fail"):
    id: Id


class ReleaseOf(Release, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="verb", tag="release"):
    id: Id


class SnoozeOf(Snooze, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="verb", tag="snooze"):
    id: Id


AnyReport = CompleteOf | FailOf | ReleaseOf | SnoozeOf


class Heartbeats(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """For everything that a worker runs, in one call."""

    beats: Annotated[list[HeartbeatOf], Meta(min_length=1, max_length=defaults.BATCH)]


class Reports(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ends of several attempts, and the next claim (which does not wait) in the same call."""

    reports: Annotated[list[AnyReport], Meta(max_length=defaults.BATCH)]
    claim: Claim | None = None


class Beat(Answer, frozen=True, kw_only=True):
    """held: the lease stands. lease_expires_at: null when the row was locked by somebody's transaction (held
    meanwhile).

    cancel_requested: stop at the next safe point.
    """

    id: Id
    held: bool
    lease_expires_at: Instant | None
    cancel_requested: bool


class Beats(Answer, frozen=True, kw_only=True):
    beats: list[Beat]


class Reported(Answer, frozen=True, kw_only=True):
    """standing: done, repeated, stale or unknown."""

    id: Id
    standing: str
    state: State | None
    status: Status | None
    outcome: str | None
    end_code: str | None


class ReportsTaken(Answer, frozen=True, kw_only=True):
    """claimed: where the call asked for a claim."""

    reports: list[Reported]
    claimed: ClaimedJobs | None = None
