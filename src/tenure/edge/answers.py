"""The bodies of answers, beside the job itself (`edge.jobs`)."""

from collections.abc import Sequence
from typing import Annotated, Any, Self

import msgspec
from msgspec import Meta

from tenure.core.cancellation import Told
from tenure.core.flow.order import OnFailure
from tenure.core.job import WhenFull
from tenure.core.kind import Kind
from tenure.core.principal import Principal, Role
from tenure.core.secrecy.credentials import Key
from tenure.core.states import State
from tenure.edge import words
from tenure.edge.body import Answer
from tenure.edge.jobs import AttemptBody, ClaimedBody, EnqueuedBody, JobBody, raw
from tenure.edge.pauses import PauseBody
from tenure.edge.reliefs import ReserveBody
from tenure.edge.scalars import Id, Instant
from tenure.edge.words import Status
from tenure.operations.lanes import Lane
from tenure.stores.reading import Slowdown


class Problem(Answer, frozen=True, kw_only=True):
    """RFC 9457. code: stable, machine-readable. field: the argument; pointer: the same as RFC 6901 into the body.

    hint: what to do next. job_id: the job that a conflict names. queue, tenant: what is full; waiting, capacity: how many
    jobs wait there, about, and may, for who has all of it; drain_seconds: until they are worked off, null: unknown.
    """

    type: str
    title: str
    status: int
    code: str
    detail: str
    request_id: str = ""
    hint: str | msgspec.UnsetType = msgspec.UNSET
    field: str | msgspec.UnsetType = msgspec.UNSET
    pointer: str | msgspec.UnsetType = msgspec.UNSET
    job_id: Id | msgspec.UnsetType = msgspec.UNSET
    retry_after: float | msgspec.UnsetType = msgspec.UNSET
    queue: str | msgspec.UnsetType | None = msgspec.UNSET
    tenant: str | msgspec.UnsetType | None = msgspec.UNSET
    waiting: int | msgspec.UnsetType = msgspec.UNSET
    capacity: int | msgspec.UnsetType = msgspec.UNSET
    drain_seconds: float | msgspec.UnsetType | None = msgspec.UNSET


class MetJob(Answer, frozen=True, kw_only=True):
    """The job that an idempotency key already named, where the caller may not read it."""

    id: Id
    created: bool


class BatchItem(Answer, frozen=True, kw_only=True):
    """The verdict on one submission: status as of a lone POST /jobs, and the job or the problem, whose `field` and
    `pointer` lead into the submission.

    job: null too where the caller may not read the one that the key already named, and past 4 MiB of an answer; then only
    its id is told.
    """

    status: int
    id: Id | None = None
    created: bool = False
    job: EnqueuedBody | None = None
    problem: Problem | None = None


class Batch(Answer, frozen=True, kw_only=True):
    jobs: list[BatchItem]


class JobPage(Answer, frozen=True, kw_only=True):
    """Newest first. next: the cursor of the following page, null at the end."""

    jobs: list[JobBody]
    next: str | None


class Attempts(Answer, frozen=True, kw_only=True):
    """Oldest first; the running attempt is not among them. next: the cursor of the following page, null at the end."""

    attempts: list[AttemptBody]
    next: int | None = None


class ClaimedJobs(Answer, frozen=True, kw_only=True):
    """held_back: whether a limit keeps more from being taken. waits_for: slots that the worker must have free for the job
    whose turn it is; 0 where none waits for it."""

    claim_id: str
    jobs: list[ClaimedBody]
    held_back: bool = False
    waits_for: int = 0


class Beat(Answer, frozen=True, kw_only=True):
    """held: the lease stands. lease_expires_at: null when the row was locked by somebody's transaction (held meanwhile).

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


class Happened(Answer, frozen=True, kw_only=True):
    """What a cancel or redrive did, and the job's state after it."""

    id: Id
    happened: str
    state: State
    status: Status


class Cancelled(Happened, frozen=True, kw_only=True):
    """told: what the cancellation has come to so far: `asked` (no answer yet), `not_started`, `waited` (between two
    attempts), `stopped` at a safe point, `interrupted` (its attempt ended otherwise) or `too_late`. Ask again to hear more.

    confirmed: names of the effects that have happened outside; open: of those of which nobody knows.
    """

    told: Told
    confirmed: list[str]
    open: list[str]


class SlowdownBody(Answer, frozen=True, kw_only=True):
    """No job of this tenant and kind starts before `until`."""

    tenant: str
    until: Instant
    code: str


class KindBody(Answer, frozen=True, kw_only=True):
    """schema: the stored JSON Schema, byte for byte. backoff: first and longest wait before another try.

    remedies: what the author of the task says of failures with a code. secret, secret_result: paths of members of payload
    and result that are shown to nobody but the worker that claims. when_full: what becomes of a new job where as many wait
    as may.
    """

    name: str
    versions: list[int]
    schema: Annotated[Any, Meta(extra_json_schema={"type": ["object", "null"]})]
    queue: str
    max_retries: int
    timeout: float
    concurrency: int | None
    slots: int = 1
    uses: tuple[str, ...] = ()
    priority: words.Label | int
    backoff: tuple[float, float]
    progress_timeout: float | None
    payload_retention: float | None
    on_failure: OnFailure = OnFailure.STOP
    effects: tuple[str, ...]
    remedies: dict[str, str]
    secret: tuple[str, ...]
    secret_result: tuple[str, ...]
    slowdowns: list[SlowdownBody]
    pause: PauseBody | None = None
    supersede_by: tuple[str, ...] | None = None
    debounce: float | None = None
    max_wait: float | None = None
    when_full: WhenFull = "refuse"

    @classmethod
    def of(cls, kind: Kind, slowdowns: Sequence[Slowdown], pause: PauseBody | None) -> Self:
        """slowdowns: those of the kind that the caller may see."""
        return cls(
            name=kind.name,
            versions=list(kind.versions),
            schema=raw(kind.schema),
            queue=kind.queue,
            max_retries=words.max_retries(kind.max_attempts),
            timeout=kind.run_time_limit,
            concurrency=kind.concurrency,
            slots=kind.slots,
            uses=kind.uses,
            priority=words.priority_of(kind.priority),
            backoff=(kind.policy.backoff_base, kind.policy.backoff_cap),
            progress_timeout=kind.policy.progress_timeout,
            payload_retention=kind.policy.payload_retention,
            on_failure=kind.policy.on_failure,
            effects=kind.policy.effects,
            remedies=kind.remedies,
            secret=kind.secret,
            secret_result=kind.secret_result,
            slowdowns=[SlowdownBody(tenant=one.tenant, until=one.until, code=one.code) for one in slowdowns],
            pause=pause,
            supersede_by=kind.policy.supersede_by,
            debounce=kind.policy.debounce,
            max_wait=kind.policy.max_wait,
            when_full=kind.policy.when_full,
        )


class Kinds(Answer, frozen=True, kw_only=True):
    """By name. next: the cursor of the following page, null at the end."""

    kinds: list[KindBody]
    next: str | None = None


class Cleared(Answer, frozen=True, kw_only=True):
    """Whether the kind was slowed down."""

    cleared: bool


class LaneBody(Answer, frozen=True, kw_only=True):
    """Jobs of a queue or tenant by state; oldest_run_at: of its ready jobs. pause: null where it is not paused.
    weight: of a tenant, slots in each round of turns; of a queue null. aging, reserve: of a queue, what low priorities
    get; null where nothing is said, and of a tenant."""

    name: str
    jobs: dict[str, int]
    oldest_run_at: Instant | None
    pause: PauseBody | None = None
    weight: int | None = None
    aging: float | None = None
    reserve: ReserveBody | None = None

    @classmethod
    def of(cls, lane: Lane, principal: Principal) -> Self:
        return cls(
            name=lane.name,
            jobs={state.value: jobs for state, jobs in lane.jobs.items()},
            oldest_run_at=lane.oldest_run_at,
            pause=PauseBody.of(lane.pause, principal),
            weight=lane.weight,
            aging=lane.relief.aging,
            reserve=ReserveBody.of(lane.relief.reserve),
        )


class Queues(Answer, frozen=True, kw_only=True):
    """By name. next: the cursor of the following page, null at the end."""

    queues: list[LaneBody]
    next: str | None = None


class Tenants(Answer, frozen=True, kw_only=True):
    """By name. next: the cursor of the following page, null at the end."""

    tenants: list[LaneBody]
    next: str | None


class WorkerBody(Answer, frozen=True, kw_only=True):
    """A worker that holds leases now. hosts: for operators; empty for others."""

    worker_id: str
    running: int
    oldest_started_at: Instant
    newest_heartbeat_at: Instant
    hosts: list[str]


class Workers(Answer, frozen=True, kw_only=True):
    """By name. next: the cursor of the following page, null at the end."""

    workers: list[WorkerBody]
    next: str | None = None


class KeyBody(Answer, frozen=True, kw_only=True):
    """A key; null in tenants, kinds or queues is every one. The key itself is shown by its creation only."""

    id: Id
    name: str
    role: Role
    tenants: list[str] | None
    kinds: list[str] | None
    queues: list[str] | None
    max_priority: words.Label | int
    created_at: Instant
    created_by: str
    expires_at: Instant | None
    revoked_at: Instant | None

    @classmethod
    def of(cls, row: Key, **more: Any) -> Self:
        """more: the members of a subclass."""
        return cls(
            id=row.id,
            name=row.name,
            role=row.role,
            tenants=_names(row.scope.tenants),
            kinds=_names(row.scope.kinds),
            queues=_names(row.scope.queues),
            max_priority=words.priority_of(row.scope.max_priority),
            created_at=row.created_at,
            created_by=row.created_by,
            expires_at=row.expires_at,
            revoked_at=row.revoked_at,
            **more,
        )


class CreatedKey(KeyBody, frozen=True, kw_only=True):
    """key: shown this once."""

    key: str


class Keys(Answer, frozen=True, kw_only=True):
    """Newest first. next: the cursor of the following page, null at the end."""

    keys: list[KeyBody]
    next: Id | None = None


class AuditBody(Answer, frozen=True, kw_only=True):
    """tenant, kind, queue: what the line concerns; null is all of them."""

    seq: int
    at: Instant
    who: str
    verb: str
    subject: str
    tenant: str | None
    kind: str | None
    queue: str | None
    why: str
    detail: str


class Audit(Answer, frozen=True, kw_only=True):
    """Newest first, those that concern what lies in the scope; lines of all tenants, kinds or queues are for those with
    all of them.

    next: the cursor of the following page, null at the end.
    """

    lines: list[AuditBody]
    next: int | None


class Health(Answer, frozen=True, kw_only=True):
    """ready: whether the database answers, takes writes and fits; troubles: what stands in the way."""

    ready: bool
    troubles: list[str]


class Alive(Answer, frozen=True, kw_only=True):
    alive: bool


def _names(scope: frozenset[str] | None) -> list[str] | None:
    return None if scope is None else sorted(scope)
