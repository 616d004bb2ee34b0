"""Kinds on the wire."""

from collections.abc import Sequence
from typing import Annotated, Any, Self

from msgspec import Meta

from tenure.core import defaults
from tenure.core.fields import LONGEST_DELAY, RUN_TIME_RANGE
from tenure.core.flow.demand import PLAIN, SLOTS, USES
from tenure.core.flow.limits import CONCURRENCY
from tenure.core.flow.order import OnFailure
from tenure.core.flow.supersession_policy import MEMBERS
from tenure.core.job import WhenFull
from tenure.core.kind import REMEDIES, Kind
from tenure.core.secrecy.secret_paths import MOST
from tenure.edge import words
from tenure.edge.body import Answer
from tenure.edge.jobs import raw
from tenure.edge.pauses import PauseBody
from tenure.edge.requests import Body, WhyInQuery
from tenure.edge.scalars import (
    Code,
    Instant,
    Name,
    Number,
    Remedy,
    Retries,
    RunTime,
    Seconds,
    SecretPath,
    Version,
    Wait,
    Words,
)
from tenure.edge.words import Label
from tenure.stores.reading import Slowdown


class SetKind(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind as data. What is left out takes its default. schema: a JSON Schema (2020-12) of the payload.

    backoff: first and longest wait before another try, in seconds. progress_timeout: seconds without a progress note
    after which an attempt is ended. payload_retention: seconds that a payload is kept after the end of its job, at most
    as the operators keep it. effects: names of those without which a job has not succeeded. on_failure: what becomes
    of the order key of a job that fails for good, unless the job says so. remedies: what to do
    about jobs that failed with a code, in words for operators. secret, secret_result: paths of members of payload and
    result (`card.number`, `items.*.token`) that are shown to nobody but the worker that claims; they join those that
    were declared before, and what the schema marks as `writeOnly`. slots: of its worker's, that one job takes, and that
    it counts in limits. uses: resources that it shares with other kinds. supersede_by: members of the payload; of a
    tenant's jobs that have the same values there at most one waits, the newest. debounce: seconds in which no newer one
    has come when it runs, max_wait: seconds after which it runs at the latest, ten debounces where nothing is said.
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


class SlowdownBody(Answer, frozen=True, kw_only=True):
    """No job of this tenant and kind starts before `until`."""

    tenant: str
    until: Instant
    code: str


class KindBody(Answer, frozen=True, kw_only=True):
    """schema: the stored JSON Schema, byte for byte. backoff: first and longest wait before another try.

    remedies: what the author of the task says of failures with a code. secret, secret_result: paths of members of
    payload and result that are shown to nobody but the worker that claims. when_full: what becomes of a new job where
    as many wait as may.
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
