"""A job: durable intent. One frozen value, one row."""

from datetime import datetime
from typing import Final, Literal

import msgspec

from tenure.core import defaults
from tenure.core.flow.order import OnFailure
from tenure.core.secrecy.secret_paths import MASK
from tenure.core.states import State

_DOCUMENTS: Final = frozenset({"payload", "result", "progress"})

WhenFull = Literal["refuse", "accept", "delay"]
"""What a job is to meet where its queue is full: it is optional, or must be done, or can wait."""


class Policy(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a job's attempts are spaced and bounded, as its task declared it. Durations in seconds.

    effects: names of the effects that must be confirmed before the job has succeeded. payload_retention: how long the
    payload is kept after the job's end, where that is shorter than what the pruner is told. secret, secret_result:
    paths of the members of payload and result that are shown to nobody but the handler (`core.secrecy.secret_fields`).
    when_full: what becomes of a new job that meets a full queue (`core.flow.capacity`). supersede_by, debounce,
    max_wait: whose place a new job takes, and how long it waits for newer ones (`core.flow.supersession`). on_failure:
    what becomes of the order key of a job that fails, unless the job says it itself (`core.flow.order`).
    """

    backoff_base: float = defaults.BACKOFF_BASE
    backoff_cap: float = defaults.BACKOFF_CAP
    progress_timeout: float | None = None
    effects: tuple[str, ...] = ()
    payload_retention: float | None = None
    secret: tuple[str, ...] = ()
    secret_result: tuple[str, ...] = ()
    when_full: WhenFull = "refuse"
    supersede_by: tuple[str, ...] | None = None
    debounce: float | None = None
    max_wait: float | None = None
    on_failure: OnFailure = OnFailure.STOP


class NewJob(msgspec.Struct, frozen=True, kw_only=True):
    """What a producer hands to the store. Every field is validated already (`core.intake`).

    `payload` is JSON text; `args_digest` is the keyed digest of its canonical form (`core.dedupe`).
    `run_at` and `delay` exclude each other; with neither the job is due at once.
    """

    id: str
    kind: str
    payload: str
    args_digest: str
    version: int = defaults.HANDLER_VERSION
    tenant: str = defaults.TENANT
    queue: str = defaults.QUEUE
    priority: int = defaults.PRIORITY
    idempotency_key: str | None = None
    run_at: datetime | None = None
    delay: float | None = None
    deadline: datetime | None = None
    max_attempts: int = defaults.MAX_ATTEMPTS
    run_time_limit: float = defaults.RUN_TIME_LIMIT
    policy: Policy = Policy()
    tags: tuple[str, ...] = ()
    trace: str | None = None
    order_key: str | None = None
    on_failure: OnFailure | None = None

    def __repr__(self) -> str:
        return f"<NewJob {self.id} {self.kind}>"


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `tenure_jobs`, whole. All instants are aware UTC.

    `revision` rises with every write except a heartbeat and a reseal; each decided write names the revision that it
    saw. `attempt` is the number of the newest attempt; `tries` counts the attempts that spent a try since the last
    redrive. The fields from `lease_token` to `cancel_requested_at` describe the running attempt and are None in every
    other state. `payload` is None since `payload_expired_at`, and before that never. Of the jobs of one
    `supersession_key` at most one waits; `supersedes` is the one whose place it took, and `burst_at` when the first of
    those that gave way, one to the next, was enqueued. `order_place` is None for a job that stands in no line
    (`core.flow.order`); `on_failure` only for one without an order key.
    """

    id: str
    seq: int
    tenant: str
    queue: str
    kind: str
    version: int
    priority: int
    state: State
    revision: int = 0
    payload: str | None
    result: str | None = None
    args_digest: str
    idempotency_key: str | None = None
    tags: tuple[str, ...] = ()
    trace: str | None = None

    created_at: datetime
    run_at: datetime
    deadline: datetime | None = None
    ended_at: datetime | None = None
    updated_at: datetime

    max_attempts: int = defaults.MAX_ATTEMPTS
    run_time_limit: float = defaults.RUN_TIME_LIMIT
    policy: Policy = Policy()

    attempt: int = 0
    tries: int = 0
    unknowns: int = 0
    losses: int = 0
    throttles: int = 0
    releases: int = 0
    returns: int = 0
    snoozes: int = 0

    first_error_code: str | None = None
    last_error_code: str | None = None
    error: str | None = None
    end_code: str | None = None
    superseded_by: str | None = None
    pruned_at: datetime | None = None
    payload_expired_at: datetime | None = None

    lease_token: str | None = None
    fencing_token: int | None = None
    claim_id: str | None = None
    worker: str | None = None
    holder: str | None = None
    ran_version: int | None = None
    lease_seconds: float | None = None
    started_at: datetime | None = None
    heartbeat_at: datetime | None = None
    lease_expires_at: datetime | None = None
    must_end_at: datetime | None = None
    progress: str | None = None
    progress_at: datetime | None = None
    cancel_requested_at: datetime | None = None

    supersession_key: str | None = None
    supersedes: str | None = None
    burst_at: datetime | None = None
    order_key: str | None = None
    order_place: int | None = None
    on_failure: OnFailure | None = None

    def __repr__(self) -> str:
        told = ((name, getattr(self, name)) for name in self.__struct_fields__)
        hidden = _DOCUMENTS if self.policy.secret or self.policy.secret_result else ()
        shown = (f"{name}={MASK if value is not None and name in hidden else repr(value)}" for name, value in told)
        return f"Job({', '.join(shown)})"

    @property
    def unrecoverable(self) -> bool:
        """Whether its payload has expired, so that it never runs again."""
        return self.payload is None

    @property
    def tries_left(self) -> int:
        return max(0, self.max_attempts - self.tries)

    @property
    def free_ends(self) -> int:
        """Attempts since the last redrive that ended without costing a try."""
        return self.throttles + self.releases + self.returns + self.snoozes

    @property
    def attempts_before_redrive(self) -> int:
        """The number of the last attempt before the last redrive of a running job, 0 where there was none; never
        more."""
        return max(0, self.attempt - 1 - self.tries - self.free_ends)


COLUMNS: Final[tuple[str, ...]] = Job.__struct_fields__
"""The columns of `tenure_jobs`, in the order in which every store reads them."""

FIXED: Final = frozenset({
    "id", "seq", "tenant", "kind", "args_digest", "idempotency_key", "created_at", "trace",
    "supersession_key", "supersedes", "burst_at", "order_key", "on_failure",
})  # fmt: skip
"""Columns that no transition may change."""

CHANGING: Final = tuple(name for name in COLUMNS if name not in FIXED)
"""Columns that `Verbs.apply` writes."""
