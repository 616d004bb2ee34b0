"""Supersession in SQLite."""

from collections.abc import Collection, Sequence

from tenure.core.flow.newer_job import NewerJob
from tenure.core.flow.supersession import Standing
from tenure.stores.protocol import Inserted, Locked
from tenure.stores.script import Script
from tenure.stores.sqlite.instants import of_micros
from tenure.stores.sqlite.new_rows import newer_row
from tenure.stores.sqlite.rows import job_of
from tenure.stores.sqlite.verbs.base import VerbsBase


class SupersedeVerbs(VerbsBase):
    """See `stores.superseding.SupersedeVerbs`."""

    def take_turns(self, places: Collection[Standing]) -> Script[None]:
        """There is one writer: the first to write has the others wait."""
        yield from self._tick()

    def hold_standing(self, places: Collection[Standing]) -> Script[Locked]:
        now = yield from self._tick()
        found = []
        for place in sorted(places):
            found += yield from self._ask("hold_standing", *place)
        return Locked(of_micros(now), {job.id: job for job in map(job_of, found)})

    def insert_newer(self, jobs: Sequence[NewerJob]) -> Script[Inserted]:
        now = yield from self._tick()
        created: dict[str, int] = {}
        for job in jobs:
            created |= dict((yield from self._ask("insert_newer", *newer_row(job, now))))
        return Inserted(of_micros(now), created)

    def newest_of(self, places: Collection[Standing]) -> Script[dict[Standing, str]]:
        newest: dict[Standing, str] = {}
        for place in sorted(places):
            for (job_id,) in (yield from self._ask("newest_of", *place)):
                newest[place] = job_id
        return newest
