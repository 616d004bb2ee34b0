"""Supersession in PostgreSQL."""

from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from tenure.core.flow.newer_job import NewerJob
from tenure.core.flow.supersession import Standing, standing_of
from tenure.stores.postgres import wire
from tenure.stores.postgres.verbs.reading import Asking
from tenure.stores.protocol import Inserted, Locked
from tenure.stores.script import Script

_TURNS: Final = 256
_NEWEST: Final = msgspec.json.Decoder(list[tuple[str, str, str, str]])


class SupersedeVerbs(Asking):
    """See `stores.superseding.SupersedeVerbs`."""

    def take_turns(self, places: Collection[Standing]) -> Script[None]:
        """The server has room for some thousands of such locks in all."""
        if len(places) <= _TURNS:
            yield self.ask("take_turns", places=_told(places))

    def hold_standing(self, places: Collection[Standing]) -> Script[Locked]:
        rows = yield self.ask("hold_standing", places=_told(places))
        held = wire.utc(wire.LOCKED.decode(wire.answer(rows)))
        return Locked(held.now, wire.by_id(held.jobs))

    def insert_newer(self, jobs: Sequence[NewerJob]) -> Script[Inserted]:
        """In the order of the supersession keys, so that two producers who share some cannot wait in a circle. They are
        numbered in their own order."""
        places = sorted(range(len(jobs)), key=lambda place: standing_of(jobs[place]))
        told = [msgspec.structs.asdict(jobs[place]) | {"place": place + 1} for place in places]
        rows = yield self.ask("insert_newer", jobs=told)
        return wire.utc(wire.INSERTED.decode(wire.answer(rows)))

    def newest_of(self, places: Collection[Standing]) -> Script[dict[Standing, str]]:
        rows = yield self.ask("newest_of", places=_told(places))
        return {(tenant, kind, key): job_id for tenant, kind, key, job_id in _NEWEST.decode(wire.answer(rows))}


def _told(places: Collection[Standing]) -> list[dict[str, str]]:
    return [{"tenant": tenant, "kind": kind, "key": key} for tenant, kind, key in sorted(places)]
