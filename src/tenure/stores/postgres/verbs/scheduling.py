"""The scripts about schedules and occurrences."""

from collections.abc import Sequence
from datetime import timedelta

from tenure.core.job_filter import JobFilter
from tenure.core.scheduling.schedule import Occurrence, Schedule
from tenure.stores.postgres import wire
from tenure.stores.postgres.verbs.reading import Asking
from tenure.stores.scheduling import DueSchedules, HeldSchedule, ScheduleKey
from tenure.stores.script import Script


class ScheduleVerbs(Asking):
    def add_schedule(self, schedule: Schedule) -> Script[bool]:
        rows = yield self.ask("add_schedule", schedule=schedule)
        return wire.COUNTED.decode(wire.answer(rows)).count > 0

    def read_schedule(self, tenant: str, name: str) -> Script[Schedule | None]:
        rows = yield self.look("read_schedule", tenant=tenant, schedule=name)
        return next(iter(wire.utc_all(wire.SCHEDULES.decode(wire.answer(rows)))), None)

    def hold_schedule(self, tenant: str, name: str) -> Script[HeldSchedule]:
        return (yield from self._held("hold_schedule", tenant, name))

    def take_schedule(self, tenant: str, name: str) -> Script[HeldSchedule]:
        return (yield from self._held("take_schedule", tenant, name))

    def _held(self, statement: str, tenant: str, name: str) -> Script[HeldSchedule]:
        rows = yield self.ask(statement, tenant=tenant, schedule=name)
        held = wire.utc(wire.HELD_SCHEDULE.decode(wire.answer(rows)))
        return HeldSchedule(held.now, None if held.schedule is None else wire.utc(held.schedule))

    def write_schedule(self, before: Schedule, after: Schedule) -> Script[bool]:
        rows = yield self.ask("write_schedule", schedule=after, seen=before.revision)
        return wire.COUNTED.decode(wire.answer(rows)).count > 0

    def drop_schedule(self, schedule: Schedule) -> Script[bool]:
        rows = yield self.ask("drop_schedule", id=schedule.id, seen=schedule.revision)
        return wire.COUNTED.decode(wire.answer(rows)).count > 0

    def due_schedules(self, limit: int) -> Script[DueSchedules]:
        rows = yield self.look("due_schedules", limit=limit)
        return wire.utc(wire.DUE_SCHEDULES.decode(wire.answer(rows)))

    def schedules(self, which: JobFilter, after: ScheduleKey | None, limit: int) -> Script[list[Schedule]]:
        tenant, name = after or ("", "")
        narrowing = {"tenants": which.tenants, "kinds": which.kinds, "queues": which.queues}
        rows = yield self.look("schedules", tenant_after=tenant, name_after=name, limit=limit, **narrowing)
        return wire.utc_all(wire.SCHEDULES.decode(wire.answer(rows)))

    def schedules_of(self, declared_by: str) -> Script[list[Schedule]]:
        rows = yield self.look("schedules_of", declared_by=declared_by)
        return wire.utc_all(wire.SCHEDULES.decode(wire.answer(rows)))

    def note_occurrences(self, rows: Sequence[Occurrence]) -> Script[None]:
        yield self.ask("note_occurrences", rows=rows)

    def occurrences(self, schedule_id: str, before: str | None, limit: int) -> Script[list[Occurrence]]:
        rows = yield self.look("occurrences", id=schedule_id, before=before, limit=limit)
        return wire.utc_all(wire.OCCURRENCES.decode(wire.answer(rows)))

    def prune_occurrences(self, period: timedelta, limit: int) -> Script[int]:
        rows = yield self.ask("prune_occurrences", seconds=period.total_seconds(), limit=limit, commits=True)
        return wire.COUNTED.decode(wire.answer(rows)).count
