"""Schedules, their occurrences, and their rows."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any, Final

import msgspec

from tenure.core.job_filter import JobFilter
from tenure.core.scheduling import schedule as words
from tenure.core.scheduling.rule import Form
from tenure.core.scheduling.schedule import Cause, Flag, Misfire, Occurrence, Overlap, Schedule, Skip
from tenure.stores.scheduling import DueSchedules, HeldSchedule, ScheduleKey
from tenure.stores.script import Row, Script
from tenure.stores.sqlite.instants import instant_or_none, micros_or_none, of_micros
from tenure.stores.sqlite.rows import json_text
from tenure.stores.sqlite.verbs.base import VerbsBase

_PAST_ALL: Final = "~"
_INSTANTS: Final = ("starts_at", "next_at", "waiting_at", "paused_at", "created_at", "updated_at")
_OCCURRENCE_INSTANTS: Final = ("at", "until_at", "decided_at")
_decode_names = msgspec.json.Decoder(tuple[str, ...]).decode


class ScheduleVerbs(VerbsBase):
    """See `stores.scheduling.ScheduleVerbs`."""

    def add_schedule(self, schedule: Schedule) -> Script[bool]:
        yield from self._tick()
        return bool((yield from self._ask("add_schedule", *_row_of(schedule))))

    def read_schedule(self, tenant: str, name: str) -> Script[Schedule | None]:
        found = yield from self._ask("read_schedule", tenant, name)
        return _schedule_of(found[0]) if found else None

    def hold_schedule(self, tenant: str, name: str) -> Script[HeldSchedule]:
        now = yield from self._tick()
        return HeldSchedule(of_micros(now), (yield from self.read_schedule(tenant, name)))

    def take_schedule(self, tenant: str, name: str) -> Script[HeldSchedule]:
        return (yield from self.hold_schedule(tenant, name))

    def write_schedule(self, before: Schedule, after: Schedule) -> Script[bool]:
        yield from self._tick()
        return bool((yield from self._ask("write_schedule", *_row_of(after), before.id, before.revision)))

    def drop_schedule(self, schedule: Schedule) -> Script[bool]:
        yield from self._tick()
        return bool((yield from self._ask("drop_schedule", schedule.id, schedule.revision)))

    def due_schedules(self, limit: int) -> Script[DueSchedules]:
        now = yield from self._instant()
        due = yield from self._ask("due_schedules", now, limit)
        waiting = yield from self._ask("waiting_schedules", limit)
        following = yield from self._ask("next_schedule", now)
        names = dict.fromkeys((tenant, name) for tenant, name in (*due, *waiting))
        return DueSchedules(of_micros(now), tuple(names), instant_or_none(following[0][0]))

    def _instant(self) -> Script[int]:
        """Without writing: schedulers ask every second."""
        found = yield from self._ask("now", self._wall.micros())
        return int(found[0][0])

    def schedules(self, which: JobFilter, after: ScheduleKey | None, limit: int) -> Script[list[Schedule]]:
        narrowing = (_names(which.tenants), _names(which.kinds), _names(which.queues))
        return list(map(_schedule_of, (yield from self._ask("schedules", *(after or ("", "")), *narrowing, limit))))

    def schedules_of(self, declared_by: str) -> Script[list[Schedule]]:
        return list(map(_schedule_of, (yield from self._ask("schedules_of", declared_by))))

    def note_occurrences(self, rows: Sequence[Occurrence]) -> Script[None]:
        yield from self._tick()
        for row in rows:
            yield from self._ask("note_occurrence", *_occurrence_row(row))

    def occurrences(self, schedule_id: str, before: str | None, limit: int) -> Script[list[Occurrence]]:
        return list(map(_occurrence_of, (yield from self._ask("occurrences", schedule_id, before or _PAST_ALL, limit))))

    def prune_occurrences(self, period: timedelta, limit: int) -> Script[int]:
        cut = (yield from self._tick()) - period // timedelta(microseconds=1)
        return len((yield from self._ask("prune_occurrences", cut, limit)))


def _names(names: Collection[str] | None) -> str | None:
    return None if names is None else json_text(list(names))


def _row_of(schedule: Schedule) -> tuple[Any, ...]:
    """A schedule's row, in the order of `core.scheduling.schedule.COLUMNS`."""
    values = {name: getattr(schedule, name) for name in words.COLUMNS}
    told = {name: micros_or_none(values[name]) for name in _INSTANTS}
    texts = {name: str(values[name]) for name in ("form", "misfire", "overlap")}
    texts |= {name: json_text(values[name]) for name in ("open_jobs", "declared_with")}
    flag = None if schedule.flag is None else str(schedule.flag)
    return tuple((values | told | texts | {"flag": flag}).values())


def _schedule_of(row: Row) -> Schedule:
    values = dict(zip(words.COLUMNS, row, strict=True))
    told = {name: instant_or_none(values[name]) for name in _INSTANTS}
    return Schedule(
        **values
        | told
        | {
            "form": Form(values["form"]),
            "misfire": Misfire(values["misfire"]),
            "overlap": Overlap(values["overlap"]),
            "flag": None if values["flag"] is None else Flag(values["flag"]),
            "open_jobs": _decode_names(values["open_jobs"]),
            "declared_with": _decode_names(values["declared_with"]),
        }
    )


def _occurrence_row(row: Occurrence) -> tuple[Any, ...]:
    """An occurrence's row, in the order of `core.scheduling.schedule.OCCURRENCE_COLUMNS`."""
    values = {name: getattr(row, name) for name in words.OCCURRENCE_COLUMNS}
    told = {name: micros_or_none(values[name]) for name in _OCCURRENCE_INSTANTS}
    skipped = None if row.skipped is None else str(row.skipped)
    return tuple((values | told | {"cause": str(row.cause), "skipped": skipped}).values())


def _occurrence_of(row: Row) -> Occurrence:
    values = dict(zip(words.OCCURRENCE_COLUMNS, row, strict=True))
    told = {name: instant_or_none(values[name]) for name in _OCCURRENCE_INSTANTS}
    skipped = None if values["skipped"] is None else Skip(values["skipped"])
    return Occurrence(**values | told | {"cause": Cause(values["cause"]), "skipped": skipped})
