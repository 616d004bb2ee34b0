"""The bodies and queries of requests about schedules."""

from typing import Annotated, Any

from msgspec import Meta

from tenure.core.scheduling import cron, rule
from tenure.core.scheduling.schedule import GRACES, MISFIRE_CAPS, Misfire, Overlap
from tenure.edge.requests import Body
from tenure.edge.scalars import Id, Instant, Key, Name, Number, PageSize, Words, WordsOfQuery
from tenure.edge.words import Label

_Text = Annotated[str, Meta(min_length=1, max_length=cron.CHARACTERS)]
_Interval = Annotated[float, Meta(ge=rule.SHORTEST, le=rule.LONGEST)]
_Dates = Annotated[list[_Text], Meta(min_length=1, max_length=rule.DATES)]


class SetSchedule(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said of a schedule; what is left out of one that is there stays as it is. Of a new one `type` and exactly
    one of cron, every, rrule and dates are needed. preview: only tell the next slots of the rule, and write nothing.
    """

    tenant: Name | None = None
    type: Name | None = None
    payload: dict[str, Any] | None = None
    cron: _Text | None = None
    every: _Interval | None = None
    rrule: _Text | None = None
    dates: _Dates | None = None
    tz: Name | None = None
    starts_at: Instant | None = None
    queue: Name | None = None
    priority: Label | Number | None = None
    occurrence_as: Name | None = None
    misfire: Misfire | None = None
    misfire_cap: Annotated[int, Meta(ge=MISFIRE_CAPS[0], le=MISFIRE_CAPS[1])] | None = None
    grace: Annotated[float, Meta(ge=GRACES[0], le=GRACES[1])] | None = None
    overlap: Overlap | None = None
    preview: bool = False
    why: Words = ""


class ListSchedules(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """cursor: `next` of the page before."""

    tenant: Name | None = None
    type: Name | None = None
    queue: Name | None = None
    cursor: Key | None = None
    limit: PageSize = 50


class OneSchedule(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    tenant: Name | None = None


class ListSlots(OneSchedule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    limit: PageSize = 10


class ListOccurrences(OneSchedule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """cursor: `next` of the page before."""

    cursor: Id | None = None
    limit: PageSize = 50


class DeleteSchedule(OneSchedule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """why: kept in the audit."""

    why: WordsOfQuery = ""


class ChangeSchedule(OneSchedule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """why: kept in the audit."""

    why: Words = ""


class RunSchedule(ChangeSchedule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """id: of the job, which makes the request repeatable."""

    id: Id | None = None


class BackfillSchedule(ChangeSchedule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """since, until: the first slot and the last, both of the past."""

    since: Instant
    until: Instant
