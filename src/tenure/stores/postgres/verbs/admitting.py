"""The scripts about capacities, what waits under them, and how things go."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from tenure.core.flow.capacity import Capacity
from tenure.core.flow.drain import Sample, Seen
from tenure.core.flow.lateness import Head, Objective
from tenure.core.flow.place import Place
from tenure.stores.postgres import wire
from tenure.stores.postgres.verbs.reading import Asking
from tenure.stores.script import Script

_Row = tuple[str, int, str, str, datetime, datetime, datetime | None]


class _Sample(msgspec.Struct, frozen=True):
    """jobs: that ended, with their attempts in `ended` as far as they have any."""

    now: datetime
    jobs: int
    oldest: datetime | None
    ended: list[_Row]
    running: list[_Row]


_SAMPLE: Final = msgspec.json.Decoder(_Sample)
_HEADS: Final = msgspec.json.Decoder(list[tuple[int, str, str, datetime]])
_OBJECTIVES: Final = msgspec.json.Decoder(list[tuple[str, float, float]])
_CAPACITIES: Final = msgspec.json.Decoder(list[tuple[str, str, int]])


class AdmissionVerbs(Asking):
    def put_capacity(self, place: Place, jobs: int | None) -> Script[None]:
        if jobs is None:
            yield self.ask("drop_capacity", queue=place.queue, tenant=place.tenant)
        else:
            yield self.ask("put_capacity", queue=place.queue, tenant=place.tenant, jobs=jobs)

    def capacities(self) -> Script[list[Capacity]]:
        rows = yield self.look("capacities")
        found = _CAPACITIES.decode(wire.answer(rows))
        return [Capacity(Place(queue=queue, tenant=tenant), jobs) for queue, tenant, jobs in found]

    def sees_the_present(self) -> Script[bool]:
        rows = yield self.look("isolation")
        return wire.answer(rows) == "true"

    def waiting(self, bounds: Sequence[Capacity]) -> Script[list[dict[str, int]]]:
        counts = []
        for bound in bounds:
            name = "waiting_of_tenant" if bound.place.tenant else "waiting_in_queue"
            rows = yield self.look(name, queue=bound.place.queue, tenant=bound.place.tenant, most=bound.jobs)
            counts.append(wire.NUMBERS.decode(wire.answer(rows)))
        return counts

    def seen(self, window: float, limit: int) -> Script[Sample]:
        rows = yield self.look("seen", window=window, limit=limit)
        found = _SAMPLE.decode(wire.answer(rows))
        now = found.now.astimezone(UTC)
        cut = found.oldest if found.jobs == limit else None
        since = now - timedelta(seconds=window) if cut is None else cut.astimezone(UTC)
        return Sample(now, since, [_seen(row) for row in (*found.ended, *found.running)])

    def waiting_queues(self, limit: int) -> Script[list[str]]:
        rows = yield self.look("waiting_queues", limit=limit)
        return wire.IDS.decode(wire.answer(rows))

    def heads(self, queue: str, limit: int) -> Script[list[Head]]:
        rows = yield self.look("lane_heads", queue=queue, limit=limit)
        found = _HEADS.decode(wire.answer(rows))
        return [Head(priority, tenant, kind, run_at.astimezone(UTC)) for priority, tenant, kind, run_at in found]

    def put_objective(self, queue: str, objective: Objective | None) -> Script[None]:
        if objective is None:
            yield self.ask("drop_objective", queue=queue)
        else:
            yield self.ask("put_objective", queue=queue, within=objective.within, share=objective.share)

    def objectives(self) -> Script[dict[str, Objective]]:
        rows = yield self.look("objectives")
        return {queue: Objective(within, share) for queue, within, share in _OBJECTIVES.decode(wire.answer(rows))}


def _seen(row: _Row) -> Seen:
    queue, priority, tenant, kind, run_at, started_at, ended_at = row
    return Seen(
        queue=queue, priority=priority, tenant=tenant, kind=kind, run_at=run_at.astimezone(UTC),
        started_at=started_at.astimezone(UTC), ended_at=None if ended_at is None else ended_at.astimezone(UTC),
    )  # fmt: skip
