"""The steps of a sequence about schedules and their occurrences."""

from datetime import timedelta
from typing import TYPE_CHECKING, Final
from uuid import UUID

from tenure.core.job_filter import JobFilter
from tenure.core.kind import Kind
from tenure.core.scheduling import rule as rules
from tenure.core.scheduling import schedules as decisions
from tenure.core.scheduling.schedule import Misfire, Overlap
from tenure.core.scheduling.schedule_definition import Says, partly, wholly
from tenure.operations.advance_schedule import advance_schedule
from tenure.operations.change_schedule import Change, change_schedule
from tenure.operations.declare_schedules import Declaration, declare_schedule, flag_undeclared
from tenure.operations.run_schedule import backfill, run_now
from tenure.operations.set_schedule import set_schedule

if TYPE_CHECKING:
    from tests.conformance.sequences import World

_BASE: Final = (0xACE << 112) | (7 << 76) | (2 << 62)
KEY: Final = b"secret"
PLACES: Final = (("a", "nightly"), ("a", "é"), ("é", "nightly"), ("𝒳", "x"))
RULES: Final = (
    {"cron": "* * * * *"},
    {"cron": "30 2 * * *", "tz": "America/New_York"},
    {"every": 7},
    {"every": 3600.5},
    {"rrule": "FREQ=DAILY;BYHOUR=3"},
    {"rrule": "FREQ=HOURLY;COUNT=3"},
)
APPS: Final = ("billing:app", "mail:app")


class ScheduleSteps:
    """Draws its questions from the chance of the sequence that it is part of."""

    def __init__(self, world: "World") -> None:
        self._world, self._number = world, 0

    def step(self) -> None:
        choices = [(4, self.set), (8, self.advance), (3, self.change), (2, self.run_now), (2, self.backfill),
                   (2, self.declare), (3, self.look), (1, self.race), (1, self.prune)]  # fmt: skip
        weights = [weight for weight, _ in choices]
        for _, step in self._world.chance.choices(choices, weights, k=3):
            step()

    def set(self) -> None:
        (tenant, name), said, schedule_id = self._place(), self._said(), self._fresh_id()
        self._world.parties.ask(
            "set schedule",
            lambda verbs: set_schedule(verbs, schedule_id, tenant, name, said, KEY, who="op", why="test"),
        )

    def advance(self) -> None:
        """What a scheduler's tick does."""
        due = self._world.parties.ask("due schedules", lambda verbs: verbs.due_schedules(3))
        for tenant, name in due.names or [self._place()]:
            self._world.parties.ask("advance schedule", lambda verbs: advance_schedule(verbs, tenant, name, KEY))  # noqa: B023

    def change(self) -> None:
        (tenant, name), pick = self._place(), self._world.chance.choice
        change = pick((Change.PAUSE, Change.RESUME, Change.RESUME, Change.DELETE))
        self._world.parties.ask(
            f"{change} schedule", lambda verbs: change_schedule(verbs, tenant, name, change, who="op", why="")
        )

    def run_now(self) -> None:
        (tenant, name), job_id = self._place(), self._fresh_id()
        for _ in range(self._world.chance.choice((1, 1, 2))):
            self._world.parties.ask("run now", lambda verbs: run_now(verbs, tenant, name, job_id, KEY, who="op"))

    def backfill(self) -> None:
        tenant, name = self._place()
        until = self._world.clock() - timedelta(seconds=self._world.chance.choice((0, 0, 60, -5)))
        since = until - timedelta(seconds=self._world.chance.choice((0, 100, 7300)))
        self._world.parties.ask(
            "backfill", lambda verbs: backfill(verbs, tenant, name, since, until, KEY, who="op", why="test")
        )

    def declare(self) -> None:
        """An application starts."""
        chance = self._world.chance
        by, places = chance.choice(APPS), chance.sample(PLACES, chance.choice((0, 1, 2)))
        for tenant, name in places:
            said = self._said()
            digest = chance.choice("xy")
            declared = Declaration(tenant, name, self._fresh_id(), digest, ("a", "b"), said)
            self._world.parties.ask("declare", lambda verbs: declare_schedule(verbs, by, declared, KEY))  # noqa: B023
        self._world.parties.ask("flag", lambda verbs: flag_undeclared(verbs, by, places, ("b", "c")))

    def look(self) -> None:
        world, pick = self._world, self._world.chance.choice
        which = JobFilter(
            tenants=pick((None, None, ("a", "é"))),
            kinds=pick((None, None, ("a",))),
            queues=pick((None, None, ("mail",))),
        )
        after = pick((None, None, ("a", "nightly")))
        found = world.parties.ask("schedules", lambda verbs: verbs.schedules(which, after, 3))
        world.parties.ask("schedules of", lambda verbs: verbs.schedules_of(APPS[0]))
        for schedule in found:
            rows = world.parties.ask("occurrences", lambda verbs: verbs.occurrences(schedule.id, None, 5))  # noqa: B023
            if rows:
                world.parties.ask("older", lambda verbs: verbs.occurrences(schedule.id, rows[-1].id, 5))  # noqa: B023

    def race(self) -> None:
        """A write and a delete by the revision that somebody saw, and a second row of one name."""
        tenant, name = self._place()
        row = self._world.parties.ask("read schedule", lambda verbs: verbs.read_schedule(tenant, name))
        if row is None:
            return
        after = decisions.written(row, row, self._world.clock())
        self._world.parties.ask("write schedule", lambda verbs: verbs.write_schedule(row, after))
        self._world.parties.ask("write schedule again", lambda verbs: verbs.write_schedule(row, after))
        self._world.parties.ask("drop schedule", lambda verbs: verbs.drop_schedule(row))
        self._world.parties.ask("add schedule", lambda verbs: verbs.add_schedule(row))

    def prune(self) -> None:
        period = timedelta(seconds=self._world.chance.choice((0, 60, 4000)))
        self._world.parties.ask("prune occurrences", lambda verbs: verbs.prune_occurrences(period, 2))

    def _place(self) -> tuple[str, str]:
        return self._world.chance.choice(PLACES)

    def _said(self) -> Says:
        pick = self._world.chance.choice
        kind = Kind(name=pick(("a", "b", "ç", "ghost")), priority=pick((0, 10)))
        rule = rules.Said(**pick(RULES))
        options = {
            "queue": pick((None, "mail")), "occurrence_as": pick((None, "at")), "misfire": pick(tuple(Misfire)),
            "misfire_cap": pick((None, 3)), "grace": pick((None, 0.0)), "overlap": pick(tuple(Overlap)),
        }  # fmt: skip
        payload = pick(({}, {"é": [1, 2.5, None]}))

        says = pick((wholly, partly))
        return says(kind, payload, rule, **options)

    def _fresh_id(self) -> str:
        self._number += 1
        return str(UUID(int=_BASE | self._number))
