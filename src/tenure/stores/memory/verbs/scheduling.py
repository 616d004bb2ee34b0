"""The verbs of the memory store about schedules and occurrences."""

from collections.abc import Sequence
from datetime import timedelta

from tenure.core.job_filter import JobFilter
from tenure.core.scheduling.schedule import Occurrence, Schedule
from tenure.stores.memory.verbs.base import VerbsBase, within
from tenure.stores.scheduling import DueSchedules, HeldSchedule, ScheduleKey


class ScheduleVerbs(VerbsBase):
    """See `stores.scheduling.ScheduleVerbs`."""

    @within
    def add_schedule(self, schedule: Schedule) -> bool:
        rows = self._tables.schedules
        if (schedule.tenant, schedule.name) in rows or any(row.id == schedule.id for row in rows.values()):
            return False
        self._tables.put_schedule(schedule)
        return True

    @within
    def read_schedule(self, tenant: str, name: str) -> Schedule | None:
        return self._tables.schedules.get((tenant, name))

    @within
    def hold_schedule(self, tenant: str, name: str) -> HeldSchedule:
        return HeldSchedule(self._tables.now(), self._tables.schedules.get((tenant, name)))

    @within
    def take_schedule(self, tenant: str, name: str) -> HeldSchedule:
        return HeldSchedule(self._tables.now(), self._tables.schedules.get((tenant, name)))

    @within
    def write_schedule(self, before: Schedule, after: Schedule) -> bool:
        row = self._tables.schedules.get((before.tenant, before.name))
        if row is None or (row.id, row.revision) != (before.id, before.revision):
            return False
        self._tables.put_schedule(after)
        return True

    @within
    def drop_schedule(self, schedule: Schedule) -> bool:
        place = (schedule.tenant, schedule.name)
        row = self._tables.schedules.get(place)
        if row is None or (row.id, row.revision) != (schedule.id, schedule.revision):
            return False
        self._tables.drop_schedule(place)
        return True

    @within
    def due_schedules(self, limit: int) -> DueSchedules:
        now, rows = self._tables.now(), sorted(self._tables.schedules.items())
        ahead = sorted((row.next_at, place) for place, row in rows if row.next_at is not None)
        due = [place for next_at, place in ahead if next_at <= now][:limit]
        waiting = [place for place, row in rows if row.waiting_at is not None and row.paused_at is None][:limit]
        next_at = min((next_at for next_at, _ in ahead if next_at > now), default=None)
        return DueSchedules(now, tuple(dict.fromkeys((*due, *waiting))), next_at)

    @within
    def schedules(self, which: JobFilter, after: ScheduleKey | None, limit: int) -> list[Schedule]:
        rows = sorted(self._tables.schedules.items())
        return [row for place, row in rows if (after is None or place > after) and _is_of(row, which)][:limit]

    @within
    def schedules_of(self, declared_by: str) -> list[Schedule]:
        return [row for _, row in sorted(self._tables.schedules.items()) if row.declared_by == declared_by]

    @within
    def note_occurrences(self, rows: Sequence[Occurrence]) -> None:
        for row in rows:
            if (row.schedule_id, row.id) not in self._tables.occurrences:
                self._tables.put_occurrence(row)

    @within
    def occurrences(self, schedule_id: str, before: str | None, limit: int) -> list[Occurrence]:
        rows = sorted(self._tables.occurrences.items(), reverse=True)
        return [row for (of, row_id), row in rows if of == schedule_id and (before is None or row_id < before)][:limit]

    @within
    def prune_occurrences(self, period: timedelta, limit: int) -> int:
        cut = self._tables.now() - period
        past = sorted((row.decided_at, row.id, place) for place, row in self._tables.occurrences.items())
        gone = [place for decided_at, _, place in past if decided_at <= cut][:limit]
        for place in gone:
            self._tables.drop_occurrence(place)
        return len(gone)


def _is_of(row: Schedule, which: JobFilter) -> bool:
    return (
        (which.tenants is None or row.tenant in which.tenants)
        and (which.kinds is None or row.kind in which.kinds)
        and (which.queues is None or row.queue in which.queues)
    )
