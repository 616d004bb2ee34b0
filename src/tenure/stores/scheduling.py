"""What every store can be asked about schedules and their occurrences. The rules are in `core.scheduling.schedule`."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

import msgspec

from tenure.core.job_filter import JobFilter
from tenure.core.scheduling.schedule import Occurrence, Schedule
from tenure.stores.script import Script

ScheduleKey = tuple[str, str]
"""(tenant, name)."""


class HeldSchedule(msgspec.Struct, frozen=True):
    """A schedule's row, held for the rest of the transaction, or None; and the store's instant."""

    now: datetime
    schedule: Schedule | None


class DueSchedules(msgspec.Struct, frozen=True):
    """names: schedules with a slot that has passed, the oldest slot first, then those with one that waits. next_at: the
    first slot that has not passed."""

    now: datetime
    names: tuple[ScheduleKey, ...]
    next_at: datetime | None


class ScheduleVerbs(Protocol):
    """Part of `stores.protocol.Verbs`."""

    def add_schedule(self, schedule: Schedule) -> Script[bool]:
        """Whether it is a row now: False where one has its id, or its name in its tenant."""

    def read_schedule(self, tenant: str, name: str) -> Script[Schedule | None]:
        """None where the tenant has none of this name."""

    def hold_schedule(self, tenant: str, name: str) -> Script[HeldSchedule]:
        """Waits for whoever holds the row."""

    def take_schedule(self, tenant: str, name: str) -> Script[HeldSchedule]:
        """As `hold_schedule`; a row that somebody else holds is answered as None."""

    def write_schedule(self, before: Schedule, after: Schedule) -> Script[bool]:
        """G9: where the row still has `before`'s revision; whether it did so."""

    def drop_schedule(self, schedule: Schedule) -> Script[bool]:
        """G9: deletes the row where it still has this revision; whether it did so. Its occurrences stay."""

    def due_schedules(self, limit: int) -> Script[DueSchedules]:
        """Up to `limit` of each sort."""

    def schedules(self, which: JobFilter, after: ScheduleKey | None, limit: int) -> Script[list[Schedule]]:
        """By tenant and name, past the place `after`. which: of its tenants, kinds and queues."""

    def schedules_of(self, declared_by: str) -> Script[list[Schedule]]:
        """Those that an application has declared, by tenant and name."""

    def note_occurrences(self, rows: Sequence[Occurrence]) -> Script[None]:
        """Writes those that are not there yet."""

    def occurrences(self, schedule_id: str, before: str | None, limit: int) -> Script[list[Occurrence]]:
        """Newest first, by id; `before` is the id of the last one of the page before."""

    def prune_occurrences(self, period: timedelta, limit: int) -> Script[int]:
        """Deletes up to `limit` that were decided on so long ago; how many."""
