"""The calls about schedules."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from tenure.app.submitting.ids import new_id
from tenure.client import shapes
from tenure.client.call import Call, made
from tenure.edge.schedules import (
    OccurrencePage,
    ScheduleBackfilled,
    ScheduleBody,
    ScheduleChanged,
    SchedulePage,
    ScheduleRun,
    ScheduleSet,
    ScheduleSlots,
)

Id = str | UUID


def schedule_page(
    *,
    tenant: str | None = None,
    type: str | None = None,  # noqa: A002 (the word of the wire)
    queue: str | None = None,
    cursor: str | None = None,
    limit: int | None = None,
) -> Call[SchedulePage]:
    """One page of schedules, by tenant and name. cursor: `next` of the page before."""
    said = {"tenant": tenant, "type": type, "queue": queue, "cursor": cursor, "limit": limit}
    return made("list_schedules", said, shapes.reader(SchedulePage))


def schedule(name: str, *, tenant: str | None = None) -> Call[ScheduleBody]:
    """One schedule. Raises NotFound."""
    return made("show_schedule", {"name": name, "tenant": tenant}, shapes.reader(ScheduleBody))


def set_schedule(
    name: str,
    *,
    tenant: str | None = None,
    type: str | None = None,  # noqa: A002 (the word of the wire)
    payload: Mapping[str, Any] | None = None,
    cron: str | None = None,
    every: float | None = None,
    rrule: str | None = None,
    dates: Sequence[str] | None = None,
    tz: str | None = None,
    starts_at: datetime | None = None,
    queue: str | None = None,
    priority: str | int | None = None,
    occurrence_as: str | None = None,
    misfire: str | None = None,
    misfire_cap: int | None = None,
    grace: float | None = None,
    overlap: str | None = None,
    preview: bool = False,
    why: str | None = None,
) -> Call[ScheduleSet | ScheduleSlots]:
    """Makes a schedule, or changes it: what is not said stays as it is. preview: only tells the next slots of the rule.

    Raises InvalidInput, UnknownKind, NotFound, Forbidden.
    """
    said = {
        "name": name, "tenant": tenant, "type": type, "payload": payload, "cron": cron, "every": every, "rrule": rrule,
        "dates": dates, "tz": tz, "starts_at": starts_at, "queue": queue, "priority": priority,
        "occurrence_as": occurrence_as, "misfire": misfire, "misfire_cap": misfire_cap, "grace": grace,
        "overlap": overlap, "preview": preview, "why": why,
    }  # fmt: skip
    return made("set_schedule", said, shapes.reader(ScheduleSlots if preview else ScheduleSet))


def delete_schedule(name: str, *, tenant: str | None = None, why: str | None = None) -> Call[ScheduleChanged]:
    """Its jobs go their way. Raises NotFound."""
    return made("delete_schedule", {"name": name, "tenant": tenant, "why": why}, shapes.reader(ScheduleChanged))


def pause_schedule(name: str, *, tenant: str | None = None, why: str | None = None) -> Call[ScheduleChanged]:
    """It makes no jobs until it is resumed. Raises NotFound."""
    return made("pause_schedule", {"name": name, "tenant": tenant, "why": why}, shapes.reader(ScheduleChanged))


def resume_schedule(name: str, *, tenant: str | None = None, why: str | None = None) -> Call[ScheduleChanged]:
    """It counts from now. Raises NotFound."""
    return made("resume_schedule", {"name": name, "tenant": tenant, "why": why}, shapes.reader(ScheduleChanged))


def run_schedule(
    name: str,
    *,
    tenant: str | None = None,
    id: Id | None = None,  # noqa: A002 (the word of the product)
    why: str | None = None,
) -> Call[ScheduleRun]:
    """One job now, beside those of the slots. id: of the job; made here unless said. Raises NotFound, UnknownKind."""
    said = {"name": name, "tenant": tenant, "id": new_id() if id is None else id, "why": why}
    return made("run_schedule", said, shapes.reader(ScheduleRun))


def backfill_schedule(
    name: str, since: datetime, until: datetime, *, tenant: str | None = None, why: str | None = None
) -> Call[ScheduleBackfilled]:
    """A job for every slot from `since` to `until` that has none. Raises NotFound, InvalidInput, UnknownKind."""
    said = {"name": name, "since": since, "until": until, "tenant": tenant, "why": why}
    return made("backfill_schedule", said, shapes.reader(ScheduleBackfilled))


def preview_schedule(name: str, *, tenant: str | None = None, limit: int | None = None) -> Call[ScheduleSlots]:
    """The next slots of a schedule. Raises NotFound."""
    return made("preview_schedule", {"name": name, "tenant": tenant, "limit": limit}, shapes.reader(ScheduleSlots))


def occurrence_page(
    name: str, *, tenant: str | None = None, cursor: Id | None = None, limit: int | None = None
) -> Call[OccurrencePage]:
    """One page of what became of a schedule's slots, newest first. Raises NotFound."""
    said = {"name": name, "tenant": tenant, "cursor": cursor, "limit": limit}
    return made("list_occurrences", said, shapes.reader(OccurrencePage))
