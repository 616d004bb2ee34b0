"""Capacities and their rows, what waits under them, and how things go."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from tenure.core.flow.capacity import Capacity
from tenure.core.flow.drain import Sample, Seen
from tenure.core.flow.lateness import Head, Objective
from tenure.core.flow.place import Place
from tenure.stores.script import Script
from tenure.stores.sqlite.instants import instant_or_none, of_micros, span
from tenure.stores.sqlite.rows import json_text
from tenure.stores.sqlite.verbs.base import VerbsBase

_EVERY: Final = -1


class AdmissionVerbs(VerbsBase):
    """See `stores.admitting.AdmissionVerbs`."""

    def put_capacity(self, place: Place, jobs: int | None) -> Script[None]:
        yield from self._tick()
        if jobs is None:
            yield from self._ask("drop_capacity", place.queue, place.tenant)
        else:
            yield from self._ask("put_capacity", place.queue, place.tenant, jobs)

    def capacities(self) -> Script[list[Capacity]]:
        found = yield from self._ask("capacities")
        return [Capacity(Place(queue=queue, tenant=tenant), jobs) for queue, tenant, jobs in found]

    def sees_the_present(self) -> Script[bool]:
        """A transaction reads what there was at its first look."""
        yield from ()
        return False

    def waiting(self, bounds: Sequence[Capacity]) -> Script[list[dict[str, int]]]:
        counts: list[dict[str, int]] = []
        for bound in bounds:
            counts += [(yield from self._waiting(bound.place, bound.jobs))]
        return counts

    def _waiting(self, place: Place, most: int) -> Script[dict[str, int]]:
        if not place.tenant:
            return dict((yield from self._ask("waiting_in_queue", place.queue, most)))
        queues = [place.queue] if place.queue else [row[0] for row in (yield from self._ask("waiting_queues", _EVERY))]
        found: Counter[str] = Counter()
        for queue in queues:
            levels = json_text([row[0] for row in (yield from self._ask("ready_levels", queue))])
            left = most - found.total()
            found.update(dict((yield from self._ask("waiting_of_tenant", queue, levels, place.tenant, left))))
        return dict(found)

    def seen(self, window: float, limit: int) -> Script[Sample]:
        now = self._wall.micros()
        since = now - span(window)
        ended = yield from self._ask("seen_ended", since, limit)
        running = yield from self._ask("seen_running", now, limit)
        if len(ended) == limit:
            since = ended[-1][-1]
        seen = [_seen(*row[:7]) for row in ended if row[5] is not None]
        return Sample(of_micros(now), of_micros(since), seen + [_seen(*row, None) for row in running])

    def waiting_queues(self, limit: int) -> Script[list[str]]:
        return [row[0] for row in (yield from self._ask("waiting_queues", limit))]

    def heads(self, queue: str, limit: int) -> Script[list[Head]]:
        found = yield from self._ask("lane_heads", queue, limit)
        return [Head(priority, tenant, kind, of_micros(run_at)) for priority, tenant, kind, run_at in found]

    def put_objective(self, queue: str, objective: Objective | None) -> Script[None]:
        yield from self._tick()
        if objective is None:
            yield from self._ask("drop_objective", queue)
        else:
            yield from self._ask("put_objective", queue, objective.within, objective.share)

    def objectives(self) -> Script[dict[str, Objective]]:
        return {queue: Objective(within, share) for queue, within, share in (yield from self._ask("objectives"))}


def _seen(queue: str, priority: int, tenant: str, kind: str, *instants: Any) -> Seen:
    run_at, started_at, ended_at = instants
    return Seen(
        queue=queue, priority=priority, tenant=tenant, kind=kind, run_at=of_micros(run_at),
        started_at=of_micros(started_at), ended_at=instant_or_none(ended_at),
    )  # fmt: skip
