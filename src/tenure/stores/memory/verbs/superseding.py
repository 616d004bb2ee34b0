"""Supersession in the memory store."""

from collections.abc import Collection, Sequence

from tenure.core import intake
from tenure.core.flow.newer_job import NewerJob
from tenure.core.flow.supersession import Standing, standing_of, stands
from tenure.stores.memory.tables import key_of
from tenure.stores.memory.verbs.base import VerbsBase, within
from tenure.stores.protocol import Inserted, Locked


class SupersedeVerbs(VerbsBase):
    """See `stores.superseding.SupersedeVerbs`."""

    @within
    def take_turns(self, places: Collection[Standing]) -> None:
        """Whoever runs a script here is alone."""

    @within
    def hold_standing(self, places: Collection[Standing]) -> Locked:
        found = (self._tables.jobs[job_id] for place in places for job_id in self._tables.at_standing(place))
        return Locked(self._tables.now(), {job.id: job for job in found if stands(job)})

    @within
    def insert_newer(self, jobs: Sequence[NewerJob]) -> Inserted:
        now, created = self._tables.now(), {}
        for new in jobs:
            is_held = new.superseded_by is None and self._stands_at(standing_of(new))
            if not is_held and not self._tables.holds(new.id, key_of(new)):
                created[new.id] = self._tables.next_seq()
                self._tables.put(intake.row(new, created[new.id], now))
        return Inserted(now, created)

    @within
    def newest_of(self, places: Collection[Standing]) -> dict[Standing, str]:
        rows = {place: [self._tables.jobs[job_id] for job_id in self._tables.at_standing(place)] for place in places}
        return {place: max(some, key=lambda job: job.seq).id for place, some in rows.items() if some}

    def _stands_at(self, place: Standing) -> bool:
        return any(stands(self._tables.jobs[job_id]) for job_id in self._tables.at_standing(place))
