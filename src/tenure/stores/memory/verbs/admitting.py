"""The verbs of the memory store about capacities, and about how things go."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from heapq import nlargest
from itertools import islice

from tenure.core.flow.capacity import Capacity
from tenure.core.flow.drain import Sample, Seen
from tenure.core.flow.lateness import Head, Objective
from tenure.core.flow.place import Place
from tenure.core.job import Job
from tenure.core.states import WAITING, State
from tenure.core.transitions import has_expired
from tenure.stores.memory.verbs.base import VerbsBase, within


class AdmissionVerbs(VerbsBase):
    """See `stores.admitting.AdmissionVerbs`."""

    @within
    def put_capacity(self, place: Place, jobs: int | None) -> None:
        if jobs is not None:
            self._tables.put_capacity(place, jobs)
        elif place in self._tables.capacities:
            self._tables.drop_capacity(place)

    @within
    def capacities(self) -> list[Capacity]:
        return [Capacity(place, jobs) for place, jobs in sorted(self._tables.capacities.items())]

    @within
    def sees_the_present(self) -> bool:
        return True

    @within
    def waiting(self, bounds: Sequence[Capacity]) -> list[dict[str, int]]:
        return [dict(Counter(islice((job.kind for job in self._waiting(bound.place)), bound.jobs))) for bound in bounds]

    @within
    def seen(self, window: float, limit: int) -> Sample:
        now = self._tables.now()
        ended = (job for job in self._tables.in_state(State.SUCCEEDED, State.FAILED) if _was_lately(job, now, window))
        newest = nlargest(limit, ended, key=lambda job: (job.ended_at, job.id))
        begin = now - timedelta(seconds=window)
        since = begin if len(newest) < limit else newest[-1].ended_at or begin
        live = (job for job in self._tables.in_state(State.RUNNING) if not has_expired(job, now))
        return Sample(now, since, [*self._past(newest), *map(_running, islice(live, limit))])

    @within
    def waiting_queues(self, limit: int) -> list[str]:
        return sorted({job.queue for job in self._tables.in_state(*WAITING)})[:limit]

    @within
    def heads(self, queue: str, limit: int) -> list[Head]:
        lanes: dict[tuple[int, str, str, int], datetime] = {}
        for job in self._tables.in_state(State.READY):
            if job.queue == queue:
                lane = (-job.priority, job.tenant, job.kind, job.version)
                lanes[lane] = min(job.run_at, lanes.get(lane, job.run_at))
        return [Head(-place[0], place[1], place[2], run_at) for place, run_at in sorted(lanes.items())[:limit]]

    @within
    def put_objective(self, queue: str, objective: Objective | None) -> None:
        if objective is not None:
            self._tables.put_objective(queue, objective)
        elif queue in self._tables.objectives:
            self._tables.drop_objective(queue)

    @within
    def objectives(self) -> dict[str, Objective]:
        return dict(sorted(self._tables.objectives.items()))

    def _waiting(self, place: Place) -> Iterator[Job]:
        return (
            job
            for job in self._tables.in_state(*WAITING)
            if place.queue in ("", job.queue) and place.tenant in ("", job.tenant)
        )

    def _past(self, jobs: Sequence[Job]) -> Iterator[Seen]:
        for job in jobs:
            past = self._tables.attempts.get(job.id, [])
            if past and past[-1].number == job.attempt:
                last = past[-1]
                yield Seen(
                    queue=job.queue, priority=job.priority, tenant=job.tenant, kind=job.kind,
                    run_at=last.claimed_run_at, started_at=last.started_at, ended_at=last.ended_at,
                )  # fmt: skip


def _was_lately(job: Job, now: datetime, window: float) -> bool:
    return (
        job.payload_expired_at is None and job.ended_at is not None and job.ended_at > now - timedelta(seconds=window)
    )


def _running(job: Job) -> Seen:
    return Seen(
        queue=job.queue, priority=job.priority, tenant=job.tenant, kind=job.kind, run_at=job.run_at,
        started_at=job.started_at or job.updated_at, ended_at=None,
    )  # fmt: skip
