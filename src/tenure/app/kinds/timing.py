"""When a schedule occurs, and how: the arguments of `app.periodic`, `app.set_schedule` and `app.preview_schedule`."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypedDict

from tenure.app.saying import check_known
from tenure.core.scheduling.rule import Said


class When(TypedDict, total=False):
    """Exactly one of cron (five fields), every (seconds), rrule (RFC 5545) and dates (ISO 8601) says when.

    tz: an IANA name, UTC unless said. starts_at: nothing occurs before it; an interval is counted from it.
    """

    cron: str | None
    every: float | timedelta | None
    rrule: str | None
    dates: Sequence[str | datetime] | None
    tz: str | None
    starts_at: datetime | None


class Timing(When, total=False):
    """When, and how. queue, priority: of the jobs; the kind's unless said. occurrence_as: the member of the payload
    that is given the slot's instant. misfire: latest, all or none; misfire_cap: of all. grace: seconds that a slot may
    be late before it is missed, where none are made up for. overlap: allow, skip or queue_one.
    """

    queue: str | None
    priority: str | int | None
    occurrence_as: str | None
    misfire: str | None
    misfire_cap: int | None
    grace: float | timedelta | None
    overlap: str | None


def rule_said(said: Mapping[str, Any]) -> Said:
    """What is said of the rule."""
    return Said(**{name: said.get(name) for name in Said.__struct_fields__})


def options_said(said: Mapping[str, Any]) -> dict[str, Any]:
    """What is said beside the rule. Raises TypeError for an option that there is not."""
    check_known(said, Timing.__annotations__)
    return {name: said.get(name) for name in Timing.__annotations__ if name not in When.__annotations__}
