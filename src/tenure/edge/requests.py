"""The bodies and queries of requests. An unknown member is refused."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta

from tenure.core import defaults
from tenure.core.fields import LONGEST_DELAY, RUN_TIME_RANGE
from tenure.core.flow.demand import PLAIN, SLOTS, USES
from tenure.core.flow.limits import CONCURRENCY
from tenure.core.flow.order import OnFailure
from tenure.core.flow.supersession_policy import MEMBERS
from tenure.core.job import WhenFull
from tenure.core.kind import REMEDIES
from tenure.core.principal import Role
from tenure.core.secrecy.secret_paths import MOST
from tenure.core.states import State
from tenure.edge.scalars import (
    Code,
    CodeReported,
    Id,
    Instant,
    Key,
    Name,
    Number,
    PageSize,
    Remedy,
    Retries,
    RunTime,
    Seconds,
    SecretPath,
    Token,
    Version,
    Wait,
    Words,
    WordsOfQuery,
    WordsReported,
)
from tenure.edge.words import Label, Status

_OF_KEYS = {
    "must": "must begin with a letter or digit, and have nothing but letters from a to z, digits, `.`, `_` and `-`"
}
LONGEST_POLL = 30.0
MOST_CLAIMED = 1000
MOST_SLOTS = 1_000_000
MOST_QUEUES = 100
LEASE_RANGE = (1.0, 3600.0)


class Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all of them."""


class Enqueue(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One submission. Members left out, or null, take the defaults of the kind.

    when_full: where as many jobs wait as may, `refuse` answers 429, `delay` puts the job off; `accept` takes it all the
    same, where the kind says so or for an admin.
    """

    type: Name
    payload: dict[str, Any] = {}
    priority: Label | Number | None = None
    idempotency_key: Key | None = None
    max_retries: Retries | None = None
    queue: Name | None = None
    tenant: Name | None = None
    run_at: Instant | None = None
    delay: Seconds | None = None
    deadline: Instant | None = None
    timeout: RunTime | None = None
    tags: Annotated[list[Name], Meta(max_length=defaults.TAGS)] | None = None
    id: Id | None = None
    supersede: Literal["latest"] | None = None
    supersession_key: Key | None = None
    debounce: Seconds | None = None
    max_wait: Seconds | None = None
    when_full: WhenFull | None = None
    order_key: Key | None = None
    on_failure: OnFailure | None = None


class EnqueueMany(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Up to 1,000 submissions. Each gets its own verdict; a bad one never stops the others."""

    jobs: Annotated[list[Any], Meta(min_length=1, max_length=defaults.BATCH)]


class ListJobs(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """cursor: `next` of the page before."""

    status: Status | None = None
    state: State | None = None
    type: Name | None = None
    tenant: Name | None = None
    queue: Name | None = None
    code: Code | None = None
    tag: Name | None = None
    order_key: Key | None = None
    cursor: Id | None = None
    limit: PageSize = 50


class Page(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """cursor: `next` of the page before."""

    cursor: Annotated[int, Meta(ge=1, le=2**63 - 1)] | None = None
    limit: PageSize = 50


class PageInOrder(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """cursor: `next` of the page before."""

    cursor: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None
    limit: PageSize = 500


class PageOfIds(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """cursor: `next` of the page before."""

    cursor: Id | None = None
    limit: PageSize = 500


class PageOfNames(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """cursor: `next` of the page before."""

    cursor: Name | None = None
    limit: PageSize = 500


class Holder(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the attempt runs, for people."""

    host: Annotated[str, Meta(max_length=200)] = ""
    process: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    code_version: Annotated[str, Meta(max_length=200)] = ""


class Claim(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the worker can take.

    claim_id: makes the claim repeatable: the same id answers the same live leases. types: kinds; left out, all of the
    scope. versions: of a type, the handler versions that the worker runs; left out, all that are declared. queues:
    they take turns; left out, those of the types and the default one. limit: answers a list of jobs that take at most so
    many slots; with 0 of the leases that this claim_id holds already, and takes nothing. slots: those of the whole worker,
    where they are more. wait: seconds to wait for work.
    """

    claim_id: Key | None = None
    worker_id: Name | None = None
    types: Annotated[list[Name], Meta(min_length=1, max_length=1000)] | None = None
    versions: dict[Name, Annotated[list[Version], Meta(min_length=1, max_length=1000)]] | None = None
    queues: Annotated[list[Name], Meta(min_length=1, max_length=MOST_QUEUES)] | None = None
    limit: Annotated[int, Meta(ge=0, le=MOST_CLAIMED)] | None = None
    slots: Annotated[int, Meta(ge=1, le=MOST_SLOTS)] | None = None
    wait: Annotated[float, Meta(ge=0, le=LONGEST_POLL)] = 0.0
    lease_seconds: Annotated[float, Meta(ge=LEASE_RANGE[0], le=LEASE_RANGE[1])] = defaults.LEASE
    holder: Holder | None = None


class Told(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a worker tells of work that is done or under way. What no store can hold is replaced in its texts, and judged
    in its result when the rest stands: refused, it would have the work done again."""


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
    least, up to the cap of its back-off and unless it would miss its deadline; the other jobs of the tenant and kind wait
    so long too, 5 min at most.
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


class Why(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """why: kept in the audit."""

    why: Words = ""


class WhyInQuery(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """why: kept in the audit."""

    why: WordsOfQuery = ""


class Redrive(Why, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """deadline: a new one; left out, none."""

    deadline: Instant | None = None


class SetKind(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind as data. What is left out takes its default. schema: a JSON Schema (2020-12) of the payload.

    backoff: first and longest wait before another try, in seconds. progress_timeout: seconds without a progress note
    after which an attempt is ended. payload_retention: seconds that a payload is kept after the end of its job, at most
    as the operators keep it. effects: names of those without which a job has not succeeded. on_failure: what becomes
    of the order key of a job that fails for good, unless the job says so. remedies: what to do
    about jobs that failed with a code, in words for operators. secret, secret_result: paths of members of payload and
    result (`card.number`, `items.*.token`) that are shown to nobody but the worker that claims; they join those that were
    declared before, and what the schema marks as `writeOnly`. slots: of its worker's, that one job takes, and that it counts in
    limits. uses: resources that it shares with other kinds. supersede_by: members of the payload; of a tenant's jobs that
    have the same values there at most one waits, the newest. debounce: seconds in which no newer one has come when it runs,
    max_wait: seconds after which it runs at the latest, ten debounces where nothing is said.
    when_full: what becomes of a new job where as many wait as may.
    """

    versions: Annotated[tuple[Version, ...], Meta(min_length=1, max_length=1000)] = (defaults.HANDLER_VERSION,)
    schema: dict[str, Any] | None = None
    queue: Name = defaults.QUEUE
    max_retries: Retries = defaults.MAX_ATTEMPTS - 1
    timeout: RunTime = defaults.RUN_TIME_LIMIT
    concurrency: Annotated[int, Meta(ge=CONCURRENCY[0], le=CONCURRENCY[1])] | None = None
    slots: Annotated[int, Meta(ge=SLOTS[0], le=SLOTS[1])] = PLAIN.slots
    uses: Annotated[tuple[Name, ...], Meta(max_length=USES)] = ()
    priority: Label | Number = "low"
    backoff: tuple[Wait, Wait] = (defaults.BACKOFF_BASE, defaults.BACKOFF_CAP)
    progress_timeout: Annotated[float, Meta(ge=RUN_TIME_RANGE[0], le=LONGEST_DELAY)] | None = None
    payload_retention: Seconds | None = None
    supersede_by: Annotated[tuple[Name, ...], Meta(max_length=MEMBERS)] | None = None
    debounce: Seconds | None = None
    max_wait: Seconds | None = None
    effects: Annotated[tuple[Name, ...], Meta(max_length=1000)] = ()
    on_failure: OnFailure = OnFailure.STOP
    remedies: Annotated[dict[Code, Remedy], Meta(max_length=REMEDIES)] = {}
    secret: Annotated[tuple[SecretPath, ...], Meta(max_length=MOST)] = ()
    secret_result: Annotated[tuple[SecretPath, ...], Meta(max_length=MOST)] = ()
    when_full: WhenFull = "refuse"
    why: Words = ""


class OfTenant(WhyInQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    tenant: Name = defaults.TENANT


class CreateKey(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`*` among tenants, kinds or queues is every one. Left out: tenants is `default` (operator and admin: every one);
    kinds and queues: every one; max_priority is `medium` (operator and admin: the highest).
    """

    name: Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", extra=_OF_KEYS)]
    role: Role
    tenants: Annotated[list[Name], Meta(min_length=1, max_length=10_000)] | None = None
    kinds: Annotated[list[Name], Meta(min_length=1, max_length=10_000)] | None = None
    queues: Annotated[list[Name], Meta(min_length=1, max_length=10_000)] | None = None
    max_priority: Label | Number | None = None
    expires_at: Instant | None = None
    why: Words = ""
