"""The bodies of answers about schedules."""

from collections.abc import Callable
from typing import Any, Final, Self

from msgspec import UNSET, Raw, UnsetType

from tenure.core.fields import EARLIEST
from tenure.core.principal import Action, Detail, Principal
from tenure.core.scheduling.rule import Form
from tenure.core.scheduling.schedule import Cause, Flag, Misfire, Occurrence, Overlap, Schedule, Skip
from tenure.core.secrecy.secret_fields import SecretFields, shown_schedule
from tenure.edge import words
from tenure.edge.body import Answer
from tenure.edge.jobs import raw
from tenure.edge.scalars import Id, Instant


class ScheduleBody(Answer, frozen=True, kw_only=True):
    """A schedule. Of cron, every, rrule and dates the one that says when. payload: by role. paused_by, paused_why: for
    those who read the audit."""

    id: Id
    tenant: str
    name: str
    type: str
    queue: str
    priority: words.Label | int
    payload: Raw | UnsetType | None = UNSET
    occurrence_as: str | None
    cron: str | None
    every: float | None
    rrule: str | None
    dates: list[str] | None
    tz: str
    starts_at: Instant | None
    misfire: Misfire
    misfire_cap: int
    grace: float
    overlap: Overlap
    next_at: Instant | None
    waiting_at: Instant | None
    flag: Flag | None
    edition: int
    paused_at: Instant | None
    paused_by: str | UnsetType | None = UNSET
    paused_why: str | UnsetType | None = UNSET
    declared_by: str | None
    created_at: Instant
    created_by: str
    updated_at: Instant

    @classmethod
    def of(cls, row: Schedule, principal: Principal, secret: SecretFields) -> Self:
        """The schedule as `principal` may see it. secret: of its kind."""
        told = {name: getattr(row, name) for name in cls.__struct_fields__ if hasattr(row, name)}
        if not principal.may(Action.READ_AUDIT):
            told |= {"paused_by": UNSET, "paused_why": UNSET}
        form = {str(form): None for form in Form} | {str(row.form): _FORMS[row.form](row.rule)}
        return cls(
            **told
            | form
            | {
                "type": row.kind,
                "priority": words.priority_of(row.priority),
                "payload": raw(shown_schedule(row, secret).payload) if principal.sees(Detail.PAYLOAD) else UNSET,
                "starts_at": None if row.starts_at == EARLIEST else row.starts_at,
            }
        )


_FORMS: Final[dict[Form, Callable[[str], Any]]] = {
    Form.CRON: str,
    Form.EVERY: float,
    Form.RRULE: str,
    Form.DATES: lambda text: text.split(","),
}


class SchedulePage(Answer, frozen=True, kw_only=True):
    """By tenant and name. next: the cursor of the following page, null at the end."""

    schedules: list[ScheduleBody]
    next: str | None


class ScheduleSet(Answer, frozen=True, kw_only=True):
    """created: whether it was made. changed: whether it says something else than before."""

    created: bool
    changed: bool
    schedule: ScheduleBody


class ScheduleChanged(Answer, frozen=True, kw_only=True):
    """changed: whether it was not so already."""

    changed: bool
    schedule: ScheduleBody


class ScheduleSlots(Answer, frozen=True, kw_only=True):
    """The next slots of a rule. follows_real_time: whether a clock change moves none of them."""

    slots: list[Instant]
    tz: str
    follows_real_time: bool


class OccurrenceBody(Answer, frozen=True, kw_only=True):
    """A slot that became a job, or a run of slots that were skipped."""

    id: Id
    at: Instant
    until_at: Instant
    slots: int | None
    cause: Cause
    skipped: Skip | None
    job_id: Id | None
    edition: int
    decided_at: Instant

    @classmethod
    def of(cls, row: Occurrence) -> Self:
        return cls(**{name: getattr(row, name) for name in cls.__struct_fields__})


class OccurrencePage(Answer, frozen=True, kw_only=True):
    """Newest first. next: the cursor of the following page, null at the end."""

    occurrences: list[OccurrenceBody]
    next: Id | None


class ScheduleRun(Answer, frozen=True, kw_only=True):
    """id: of the job. created: whether this request made it, or met it."""

    id: Id
    created: bool


class ScheduleBackfilled(Answer, frozen=True, kw_only=True):
    """ids: of the new jobs, in the order of their slots. known: slots whose jobs were there. conflicts: slots whose key
    a job with other arguments holds."""

    ids: list[Id]
    known: int
    conflicts: int
