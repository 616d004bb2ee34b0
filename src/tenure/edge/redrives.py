"""The bodies of answers about dead letters, redrives of selections, and cancels of many."""

from collections.abc import Sequence
from typing import Self

from msgspec import UNSET, UnsetType

from tenure.core.job_filter import JobFilter
from tenure.core.principal import Action, Detail, Principal
from tenure.core.redriving.failures import Group, Met
from tenure.core.redriving.redrive import Frozen, FrozenState, Left, Redrive, RedriveState
from tenure.core.redriving.redrive_start import RedrivePreview
from tenure.core.states import State
from tenure.edge.body import Answer
from tenure.edge.scalars import Id, Instant
from tenure.stores.reading import Count


class MetBody(Answer, frozen=True, kw_only=True):
    """One failure of a group. error: its words, by role."""

    id: Id
    at: Instant
    code: str
    error: str | UnsetType | None = UNSET

    @classmethod
    def of(cls, met: Met, principal: Principal) -> Self:
        error = met.message if principal.sees(Detail.ERROR) else UNSET
        return cls(id=met.job_id, at=met.at, code=met.code, error=error)


class FailureGroup(Answer, frozen=True, kw_only=True):
    """Jobs that failed together. samples: ids of the newest. remedy: what the author of the task says of the code, or
    else Tenure itself. unrecoverable_jobs: how many have lost their payload, and never run again."""

    type: str
    code: str
    version: int
    jobs: int
    first: MetBody
    last: MetBody
    samples: list[Id]
    remedy: str | None
    unrecoverable_jobs: int

    @classmethod
    def of(cls, group: Group, principal: Principal) -> Self:
        return cls(
            type=group.kind,
            code=group.code,
            version=group.version,
            jobs=group.jobs,
            first=MetBody.of(group.first, principal),
            last=MetBody.of(group.last, principal),
            samples=list(group.samples),
            remedy=group.remedy,
            unrecoverable_jobs=group.unrecoverable_jobs,
        )


class FailuresBody(Answer, frozen=True, kw_only=True):
    """The largest group first. read: jobs that were counted. at_least: there are more than were looked at."""

    groups: list[FailureGroup]
    read: int
    at_least: bool


class SelectionBody(Answer, frozen=True, kw_only=True):
    """Which jobs are meant; null does not narrow."""

    types: list[str] | None
    tenants: list[str] | None
    queues: list[str] | None
    code: str | None
    tag: str | None
    order_key: str | None = None
    version: int | None
    ids: list[Id] | None
    since: Instant | None
    until: Instant | None

    @classmethod
    def of(cls, which: JobFilter) -> Self:
        return cls(
            types=_list(which.kinds),
            tenants=_list(which.tenants),
            queues=_list(which.queues),
            code=which.code,
            tag=which.tag,
            order_key=which.order_key,
            version=which.version,
            ids=_list(which.ids),
            since=which.since,
            until=which.until,
        )


class RedriveBody(Answer, frozen=True, kw_only=True):
    """A redrive and its counts. left: jobs that are not run again, or have no outcome; each says why.

    canary_open: jobs of the canary without an outcome. who, why: for those who read the audit.
    """

    id: Id
    state: RedriveState
    selection: SelectionBody
    total: int
    waiting: int
    redriven: int
    succeeded: int
    failed_again: int
    left: int
    canary: int
    canary_open: int
    pace: float
    stop_share: float
    stop_window: int
    single_attempts: bool
    stop_code: str | None
    stop_reason: str | None
    created_at: Instant
    updated_at: Instant
    ended_at: Instant | None
    who: str | UnsetType = UNSET
    why: str | UnsetType = UNSET

    @classmethod
    def of(cls, row: Redrive, principal: Principal) -> Self:
        told = {name: getattr(row, name) for name in cls.__struct_fields__ if hasattr(row, name)}
        if not principal.may(Action.READ_AUDIT):
            told |= {"who": UNSET, "why": UNSET}
        return cls(**told | {"selection": SelectionBody.of(row.which), "left": row.left_out})


class RedrivePage(Answer, frozen=True, kw_only=True):
    """Newest first. forbidden: none starts or sends at present. next: the cursor of the following page, null at the
    end."""

    redrives: list[RedriveBody]
    forbidden: bool
    next: Id | None


class RedriveChanged(Answer, frozen=True, kw_only=True):
    """changed: whether its state let that happen."""

    changed: bool
    redrive: RedriveBody


class RedrivePreviewBody(Answer, frozen=True, kw_only=True):
    """What a start would do. sendable: jobs that would run again, canary: those of them that go first.

    left: how many would be left, by reason. groups: all of them by cause, the largest first.
    """

    total: int
    sendable: int
    canary: int
    left: dict[Left, int]
    groups: list[FailureGroup]

    @classmethod
    def of(cls, preview: RedrivePreview, principal: Principal) -> Self:
        return cls(
            total=preview.total,
            sendable=preview.sendable,
            canary=preview.canary,
            left=preview.left,
            groups=[FailureGroup.of(group, principal) for group in preview.groups],
        )


class FrozenBody(Answer, frozen=True, kw_only=True):
    """One job of a redrive. attempt: its newest one at the start, which had failed with `cause`. reason: why it is
    left.

    code: of its failure after it was sent.
    """

    place: int
    id: Id
    tenant: str
    type: str
    attempt: int
    cause: str
    is_canary: bool
    state: FrozenState
    reason: Left | None
    code: str | None
    sent_at: Instant | None
    settled_at: Instant | None

    @classmethod
    def of(cls, row: Frozen) -> Self:
        told = {name: getattr(row, name) for name in cls.__struct_fields__ if hasattr(row, name)}
        return cls(**told | {"id": row.job_id, "type": row.kind})


class FrozenPage(Answer, frozen=True, kw_only=True):
    """In the order of the selection. next: the cursor of the following page, null at the end."""

    jobs: list[FrozenBody]
    next: int | None


class Forbidding(Answer, frozen=True, kw_only=True):
    """forbidden: whether redrives of selections are forbidden now. changed: whether they were otherwise before."""

    forbidden: bool
    changed: bool


class Meant(Answer, frozen=True, kw_only=True):
    """How many jobs of a queue and type are in a state."""

    queue: str
    type: str
    state: State
    jobs: int

    @classmethod
    def of(cls, count: Count) -> Self:
        return cls(queue=count.queue, type=count.kind, state=count.state, jobs=count.jobs)


class CancelledMany(Answer, frozen=True, kw_only=True):
    """cancelled: waiting jobs that ended. requested: running ones that were asked to stop. next: the cursor of the
    following call, null at the end. meant: only in a preview, what is there to cancel."""

    cancelled: int
    requested: int
    next: Id | None
    meant: list[Meant] | UnsetType = UNSET


def _list(names: Sequence[str] | None) -> list[str] | None:
    return None if names is None else list(names)
