"""A schedule on a store, and schedulers that look at it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from tenure.core.job import Job
from tenure.core.job_filter import EVERY_JOB
from tenure.core.kind import Kind
from tenure.core.scheduling import rule as rules
from tenure.core.scheduling.schedule import Occurrence, Schedule
from tenure.core.scheduling.schedule_definition import partly
from tenure.engine.upkeep.scheduler import Scheduler
from tenure.operations.change_schedule import Change, ScheduleChange, change_schedule
from tenure.operations.set_schedule import SetSchedule, set_schedule
from tests.conformance.asking import Ask

WHEN = frozenset(rules.Said.__struct_fields__)


class Scheduled:
    """The schedule `nightly` of the default tenant, of kind `k`."""

    def __init__(self, ask: Ask, *, has_kind: bool = True, **said: Any) -> None:
        self.ask = ask
        if has_kind:
            ask.run(ask.verbs.put_kinds([Kind(name="k")], replace=False))
        self.made = self.set(**said)

    def set(self, payload: dict[str, Any] | None = None, **said: Any) -> SetSchedule:
        when = rules.Said(**{name: said.pop(name) for name in WHEN & said.keys()})
        says = partly(Kind(name="k"), payload, when, **said)
        verbs, key = self.ask.verbs, self.key
        return self.ask.run(set_schedule(verbs, str(uuid4()), "default", "nightly", says, key, who="op", why="test"))

    @property
    def key(self) -> bytes:
        return self.ask.run(self.ask.verbs.digest_key())

    def change(self, change: Change) -> ScheduleChange:
        return self.ask.run(change_schedule(self.ask.verbs, "default", "nightly", change, who="op", why="because"))

    def tick(self, seconds: float = 0.0, scheduler: Scheduler | None = None) -> None:
        """A scheduler that has just started, so many seconds later."""
        self.ask.clock.advance(seconds)
        (scheduler or Scheduler(self.ask.store)).tick()

    @property
    def row(self) -> Schedule:
        found = self.ask.run(self.ask.verbs.read_schedule("default", "nightly"))
        assert found is not None
        return found

    def jobs(self) -> list[Job]:
        """Its jobs, the first slot's first."""
        return self.ask.run(self.ask.verbs.list_jobs(EVERY_JOB, None, 10_000))[::-1]

    def slots(self) -> list[datetime]:
        """Those that became jobs."""
        return [job.run_at for job in self.jobs()]

    def occurrences(self) -> list[Occurrence]:
        return self.ask.run(self.ask.verbs.occurrences(self.row.id, None, 10_000))[::-1]

    def skipped(self) -> list[Occurrence]:
        return [row for row in self.occurrences() if row.skipped is not None]


def minutes(since: datetime, count: int) -> Sequence[datetime]:
    return [since + timedelta(minutes=number) for number in range(count)]
