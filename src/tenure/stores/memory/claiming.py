"""The claim of the memory store: the steps of `core.fairness`, one by one."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from tenure.core import fairness, transitions
from tenure.core.job import Job
from tenure.core.lease import Claimed, ClaimRequest, Lease, of_job
from tenure.core.states import State
from tenure.core.transitions import Grant
from tenure.stores.memory.tables import Tables


class Step(NamedTuple):
    """The outcome of one step of `core.fairness`."""

    turns: list[str]
    jobs: list[Job]
    left_out: int

    @property
    def taken(self) -> dict[str, int]:
        tenants = [job.tenant for job in self.jobs]
        return {tenant: tenants.count(tenant) for tenant in self.turns}


class Claiming:
    """One claim over rows that nobody else touches meanwhile."""

    def __init__(self, tables: Tables, request: ClaimRequest, now: datetime) -> None:
        self._tables, self._request, self._now = tables, request, now
        self._runs = {(able.kind, able.version): able.runs for able in request.abilities}
        self._room = _rooms(tables, now)
        self._tokens = iter(request.tokens)
        self._free = request.limit
        self._leases: list[Lease] = []

    def answer(self) -> Claimed:
        """Takes what the request may have, and answers it."""
        after = dict(self._request.after)
        if self._request.only is not None:
            self._take_one(self._request.only)
            return Claimed(self._now, tuple(self._leases), after)
        by_priority = self._ready()
        for priority in sorted(by_priority, reverse=True):
            self._take_priority(priority, by_priority[priority], after)
        return Claimed(self._now, tuple(self._leases), after)

    def _take_one(self, job_id: str) -> None:
        job = self._tables.jobs.get(job_id)
        is_ready = job is not None and job.state is State.READY and job.queue == self._request.queue
        if job is not None and is_ready and self._free > 0 and self._is_open(job):
            self._grant(job)

    def _ready(self) -> dict[int, list[Job]]:
        found: dict[int, list[Job]] = {}
        for job in self._tables.in_state(State.READY):
            if job.queue == self._request.queue:
                found.setdefault(job.priority, []).append(job)
        return found

    def _take_priority(self, priority: int, ready: list[Job], after: dict[int, str]) -> None:
        settled, more = False, True
        while more and self._free:
            ready = [job for job in ready if self._is_open(job)]
            step = self._step(ready, after.get(priority))
            if not step.jobs:
                return
            cursor = fairness.cursor(step.turns, step.taken, self._free, step.left_out)
            if cursor is not None and not settled:
                after[priority] = cursor
            settled = settled or step.left_out > 0
            more = fairness.verdict(step.turns, step.taken, self._free, step.left_out) == fairness.MORE
            self._free -= len(step.jobs)
            taken = {self._grant(job) for job in step.jobs}
            ready = [job for job in ready if job.id not in taken]

    def _is_open(self, job: Job) -> bool:
        slowdown = self._tables.slowdowns.get((job.tenant, job.kind))
        return (
            (self._request.tenants is None or job.tenant in self._request.tenants)
            and (job.kind, job.version) in self._runs
            and self._room.get(job.kind, 1) > 0
            and (slowdown is None or slowdown.until <= self._now)
            and (job.deadline is None or job.deadline > self._now)
        )

    def _step(self, ready: list[Job], after: str | None) -> Step:
        turns = fairness.circular({job.tenant for job in ready}, after)[: self._free]
        picked, left_out = [], 0
        for job in self._rounds(ready, turns):
            room = self._room.get(job.kind)
            if room == 0:
                left_out += 1
                continue
            if room is not None:
                self._room[job.kind] = room - 1
            picked.append(job)
        return Step(turns, picked, left_out)

    def _rounds(self, ready: list[Job], turns: list[str]) -> Iterator[Job]:
        """Each tenant's share, in the order of (round, turn)."""
        if not turns:
            return
        shares = fairness.shares(self._free, len(turns))
        columns = []
        for tenant, share in zip(turns, shares, strict=True):
            theirs = sorted((job for job in ready if job.tenant == tenant), key=lambda job: (job.run_at, job.seq))
            columns.append(theirs[:share])
        for nth in range(max(shares)):
            for column in columns:
                yield from islice(column, nth, nth + 1)

    def _grant(self, job: Job) -> str:
        grant = Grant(
            lease_token=next(self._tokens),
            fencing_token=self._tables.next_fencing_token(),
            claim_id=self._request.claim_id,
            worker=self._request.worker,
            holder=self._request.holder,
            ran_version=self._runs[job.kind, job.version],
            lease_seconds=self._request.lease_seconds,
        )
        running = transitions.claim(job, self._now, grant).after
        self._tables.put(running)
        self._leases.append(of_job(running))
        return running.id


def _rooms(tables: Tables, now: datetime) -> dict[str, int]:
    """How many more jobs of each limited kind may run, by the leases that are live."""
    rooms = {kind.name: kind.concurrency for kind in tables.kinds.values() if kind.concurrency is not None}
    if rooms:
        for job in tables.in_state(State.RUNNING):
            if job.kind in rooms and not transitions.has_expired(job, now):
                rooms[job.kind] -= 1
    return {kind: max(room, 0) for kind, room in rooms.items()}
