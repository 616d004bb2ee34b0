"""The claim of the memory store: the steps of `core.flow.fairness`, one by one."""

from datetime import datetime
from typing import NamedTuple

from tenure.core import transitions
from tenure.core.claim import Claimed, ClaimRequest
from tenure.core.flow import fairness, limits
from tenure.core.flow.choosing import Choice, choose, in_slots
from tenure.core.flow.limits import Rooms
from tenure.core.flow.pause import holding
from tenure.core.flow.relief import Given, Level
from tenure.core.job import Job
from tenure.core.lease import Lease, of_job, with_frees
from tenure.core.states import State
from tenure.core.transitions import Grant
from tenure.stores.memory.tables import Tables
from tenure.stores.relieving import HIGHEST, LOWEST, relieved
from tenure.stores.script import Script, immediate


class Step(NamedTuple):
    """The outcome of one step of `core.flow.fairness`."""

    turns: list[str]
    choice: Choice[Job]
    weights: dict[str, int]
    owed: int

    @property
    def taken(self) -> dict[str, int]:
        tenants = [job.tenant for job in self.choice.jobs]
        return {tenant: tenants.count(tenant) for tenant in self.turns}


class Claiming:
    """One claim over rows that nobody else touches meanwhile."""

    def __init__(self, tables: Tables, request: ClaimRequest, now: datetime) -> None:
        self._tables, self._request, self._now = tables, request, now
        self._runs = {(able.kind, able.version): able.runs for able in request.abilities}
        self._demands = tables.demands()
        self._rooms = Rooms(limits.rooms_of(tables.limit_uses(now), now), self._demands)
        self._tokens = iter(request.tokens)
        self.free = request.limit
        self.leases: list[Lease] = []
        self._given: Given | None = None
        self._is_held_back = False
        self._waits_for = 0
        self._rest = 0
        self._after, self._owed = dict(request.after), dict(request.owed)

    def answer(self) -> Script[Claimed]:
        """Takes what the request may have, and answers it."""
        if self._request.only is not None:
            self._take_one(self._request.only)
            self._spend()
            leases = with_frees(self.leases, self._rooms.full, self._demands)
            return Claimed(self._now, leases, self._after, self._owed)
        relief = self._tables.reliefs.get(self._request.queue)
        if relief is None:
            self._down(HIGHEST, LOWEST)
        else:
            self._given = yield from relieved(self, relief, self._request.credit)
        self._spend()
        leases = with_frees(self.leases, self._rooms.full, self._demands)
        told = self._after, self._owed, self._is_held_back
        return Claimed(self._now, leases, *told, given=self._given, waits_for=self._waits_for)

    @immediate
    def take(self, slots: int, most: int, least: int) -> int:
        """See `stores.relieving.Parts`."""
        self._rest, before = self.free - slots, len(self.leases)
        self.free = slots
        self._down(most, least)
        self.free += self._rest
        self._rest = 0
        return len(self.leases) - before

    @immediate
    def level(self, most: int, tenants: int) -> Level | None:
        """See `stores.relieving.Parts`."""
        for priority, jobs in self._levels(most, LOWEST):
            ready = [job for job in jobs if self._is_open(job)]
            turns = self._turns(priority, ready)[:tenants]
            if turns:
                return Level(priority, min(job.run_at for job in ready if job.tenant in turns), self._now)
        return None

    def _down(self, most: int, least: int) -> None:
        for priority, ready in self._levels(most, least):
            if not self._waits_for:
                self._take_priority(priority, ready)

    def _levels(self, most: int, least: int) -> list[tuple[int, list[Job]]]:
        """What is ready between two priorities, the highest first."""
        found = self._ready()
        return [(priority, found[priority]) for priority in sorted(found, reverse=True) if least <= priority <= most]

    def _take_one(self, job_id: str) -> None:
        job = self._tables.jobs.get(job_id)
        is_ready = job is not None and job.state is State.READY and job.queue == self._request.queue
        if job is None or not is_ready or self.free <= 0 or not self._is_open(job):
            return
        chosen = choose(job.queue, [job], self.free, self._rooms, counts_jobs=self._request.counts_jobs).jobs
        for one in chosen:
            self._grant(one)

    def _ready(self) -> dict[int, list[Job]]:
        found: dict[int, list[Job]] = {}
        for job in self._tables.in_state(State.READY):
            if job.queue == self._request.queue:
                found.setdefault(job.priority, []).append(job)
        return found

    def _take_priority(self, priority: int, ready: list[Job]) -> None:
        settled, more = False, True
        while more and self.free > 0 and not self._waits_for:
            ready = [job for job in ready if self._is_open(job)]
            step = self._step(priority, ready)
            self._waits_for = step.choice.waits_for
            if not step.choice.jobs:
                return
            left_out = step.choice.left_out
            told = step.turns, step.taken, self.free, left_out, step.weights, step.owed
            if not settled:
                self._move(priority, fairness.cursor(*told, step.choice.dealt))
            settled = settled or left_out > 0
            more = fairness.verdict(*told) == fairness.MORE
            self.free -= sum(map(self._slots, step.choice.jobs))
            taken = {self._grant(job) for job in step.choice.jobs}
            ready = [job for job in ready if job.id not in taken]

    def _move(self, priority: int, cursor: fairness.Cursor | None) -> None:
        if cursor is not None:
            self._after[priority] = cursor.after
            self._owed.pop(priority, None)
            if cursor.owed:
                self._owed[priority] = cursor.owed

    def _is_open(self, job: Job) -> bool:
        is_able = self._is_able(job)
        has_room = self._rooms.is_open(job.queue, job.kind, job.tenant)
        self._is_held_back = self._is_held_back or (is_able and not has_room)
        return is_able and has_room

    def _is_able(self, job: Job) -> bool:
        slowdown = self._tables.slowdowns.get((job.tenant, job.kind))
        demand, most = self._rooms.demand(job.kind), self._request.most_slots
        return (
            (self._request.tenants is None or job.tenant in self._request.tenants)
            and (job.kind, job.version) in self._runs
            and (slowdown is None or slowdown.until <= self._now)
            and not holding(self._tables.pauses.values(), job, demand.uses)
            and (most is None or demand.slots <= most)
            and (job.deadline is None or job.deadline > self._now)
        )

    def _step(self, priority: int, ready: list[Job]) -> Step:
        after, owed = self._after.get(priority), self._owed.get(priority, 0)
        turns = self._turns(priority, ready)[: self.free]
        owed = owed if turns and turns[0] == after else 0
        weights = {tenant: self._tables.weights[tenant] for tenant in turns if tenant in self._tables.weights}
        ordered = sorted(ready, key=lambda job: (job.run_at, job.seq))
        found = in_slots(ordered, fairness.slots(turns, self.free, weights, owed))
        counts_jobs = self._request.counts_jobs
        choice = choose(self._request.queue, found, self.free, self._rooms, rest=self._rest, counts_jobs=counts_jobs)
        self._is_held_back = self._is_held_back or choice.left_out > 0
        return Step(turns, choice, weights, owed)

    def _turns(self, priority: int, ready: list[Job]) -> list[str]:
        after, owed = self._after.get(priority), self._owed.get(priority, 0)
        return fairness.circular({job.tenant for job in ready}, after, owed)

    def _slots(self, job: Job) -> int:
        """Of those that are free."""
        return 1 if self._request.counts_jobs else self._rooms.demand(job.kind).slots

    def _spend(self) -> None:
        for place, starts in self._rooms.taken.items():
            self._tables.put_limit(limits.spent(self._tables.limits[place], starts, self._now))

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
        self.leases.append(of_job(running, self._demands))
        return running.id
