"""One claim over rows that nobody else touches meanwhile: the steps of `core.flow.fairness` with few statements.

A lane's head is found by one hop over the ready index, whatever stands in the lane; so the cost follows the lanes
that are visited and the jobs that are taken, never the backlog.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from tenure.core.claim import Claimed, ClaimRequest
from tenure.core.flow import fairness
from tenure.core.flow.choosing import Choice, choose, in_slots
from tenure.core.flow.relief import Given, Level
from tenure.core.lease import Lease
from tenure.stores.relieving import HIGHEST, LOWEST, relieved
from tenure.stores.script import Rows, Script
from tenure.stores.sqlite.claim_rules import ClaimRules
from tenure.stores.sqlite.granting import Granted, Granting
from tenure.stores.sqlite.instants import of_micros
from tenure.stores.sqlite.rows import Picked, json_text
from tenure.stores.sqlite.statements import statement

_PAST_ALL_KINDS: Final = b""
"""A blob sorts after every text: (tenant, this) is past all lanes of the tenant."""
_BEFORE_ALL_KINDS: Final = ""
"""No kind is blank: (tenant, this) is before all lanes of the tenant."""
_FEWEST_HOPS: Final = 8
_MOST_HOPS: Final = 256


LaneKey = tuple[str, str | bytes, int]
"""(tenant, kind, version), of a lane or between two."""


class Lane(NamedTuple):
    """An open lane of a tenant, and the seq of the job at its head."""

    kind: str
    version: int
    head: int


Turns = dict[str, list[Lane]]
"""Open lanes by tenant, in turn order."""


class Claiming:
    """The state of one claim. Instants are microseconds."""

    def __init__(self, request: ClaimRequest, now: int) -> None:
        self._request, self._now = request, now
        self._runs = {(able.kind, able.version): able.runs for able in request.abilities}
        self._tenants = None if request.tenants is None else sorted(set(request.tenants))
        self.free = request.limit
        self._rules, self._granting = ClaimRules(request, now), Granting(request, now)
        self._after, self._owed = dict(request.after), dict(request.owed)
        self.leases: list[Lease] = []
        self._given: Given | None = None
        self._waits_for = 0
        self._rest = 0

    def answer(self) -> Script[Claimed]:
        """Takes what the request may have, and answers it."""
        if self.free > 0 and self._runs and self._tenants != []:
            yield from self._rules.read()
            if self._request.only is not None:
                yield from self._take_one(self._request.only)
                return Claimed(of_micros(self._now), self._rules.marked(self.leases), self._after, self._owed)
            yield from self._take_all()
            yield from self._rules.spend()
        now, leases = of_micros(self._now), self._rules.marked(self.leases)
        told = self._after, self._owed, self._rules.is_held_back
        return Claimed(now, leases, *told, given=self._given, waits_for=self._waits_for)

    def _take_all(self) -> Script[None]:
        if self._rules.is_queue_paused:
            return
        if self._rules.relief is None:
            yield from self._down(HIGHEST, LOWEST)
        elif (yield from self._next_priority(HIGHEST)) is not None:
            self._given = yield from relieved(self, self._rules.relief, self._request.credit)

    def take(self, slots: int, most: int, least: int) -> Script[int]:
        """See `stores.relieving.Parts`."""
        self._rest, before = self.free - slots, len(self.leases)
        self.free = slots
        yield from self._down(most, least)
        self.free += self._rest
        self._rest = 0
        return len(self.leases) - before

    def _down(self, most: int, least: int) -> Script[None]:
        priority = yield from self._next_priority(most)
        while priority is not None and priority >= least and self.free > 0 and not self._waits_for:
            yield from self._take_priority(priority)
            priority = (yield from self._next_priority(priority - 1)) if self.free > 0 else None

    def level(self, most: int, tenants: int) -> Script[Level | None]:
        """See `stores.relieving.Parts`."""
        priority = yield from self._next_priority(most)
        while priority is not None:
            turns = yield from self._turns(priority, self._after.get(priority), self._owed.get(priority, 0), tenants)
            if turns:
                heads = [lane.head for lanes in turns.values() for lane in lanes]
                found = yield from _ask("claim_heads", json_text(heads))
                oldest = min(Picked._make(row).run_at for row in found)
                return Level(priority, of_micros(oldest), of_micros(self._now))
            priority = yield from self._next_priority(priority - 1)
        return None

    def _take_one(self, job_id: str) -> Script[None]:
        for job in map(Picked._make, (yield from _ask("claim_only", job_id, self._request.queue, self._now))):
            yield from self._rules.meet((job.tenant,))
            is_open = not self._rules.is_queue_paused and self._is_open(job.tenant, job.kind, job.version)
            choice = self._choose([job] if is_open else [])
            if choice.jobs:
                yield from self._take(choice.jobs)
                yield from self._rules.spend()

    def _next_priority(self, most: int) -> Script[int | None]:
        found = yield from _ask("claim_priority", self._request.queue, most, self._now)
        return found[0][0] if found else None

    def _take_priority(self, priority: int) -> Script[None]:
        settled, more = False, True
        while more and self.free > 0 and not self._waits_for:
            after, owed = self._after.get(priority), self._owed.get(priority, 0)
            turns = yield from self._turns(priority, after, owed, self.free)
            if not turns:
                return
            order = list(turns)
            owed = owed if order[0] == after else 0
            weights = {tenant: weight for tenant, weight in self._rules.weights.items() if tenant in turns}
            found = yield from self._in_slots(priority, turns, fairness.slots(order, self.free, weights, owed))
            choice = self._choose(found)
            self._waits_for = choice.waits_for
            if not choice.jobs:
                return
            told = order, _count(turns, choice.jobs), self.free, choice.left_out, weights, owed
            if not settled:
                self._move(priority, fairness.cursor(*told, choice.dealt))
            settled = settled or choice.left_out > 0
            more = fairness.verdict(*told) == fairness.MORE
            yield from self._take(choice.jobs)

    def _choose(self, found: Sequence[Picked | None]) -> Choice[Picked]:
        asked = self._request
        choice = choose(
            asked.queue, found, self.free, self._rules.rooms, rest=self._rest, counts_jobs=asked.counts_jobs
        )
        self._rules.is_held_back = self._rules.is_held_back or choice.left_out > 0
        return choice

    def _slots(self, job: Picked) -> int:
        """Of those that are free."""
        return 1 if self._request.counts_jobs else self._rules.rooms.demand(job.kind).slots

    def _move(self, priority: int, cursor: fairness.Cursor | None) -> None:
        if cursor is not None:
            self._after[priority] = cursor.after
            self._owed.pop(priority, None)
            if cursor.owed:
                self._owed[priority] = cursor.owed

    def _turns(self, priority: int, after: str | None, owed: int, most: int) -> Script[Turns]:
        """Step 2: up to `most` tenants with an open lane, round the circle that starts past `after`. Of a claim for
        some tenants few hops go at a time, since those that lead to others are for nothing."""
        turns: Turns = {}
        hops = min(max(_FEWEST_HOPS, most + 1), _MOST_HOPS) if self._tenants is None else _FEWEST_HOPS
        place: LaneKey | None = self._onward((after or "", _BEFORE_ALL_KINDS if owed else _PAST_ALL_KINDS, 0))
        wrapped = after is None
        while True:
            found = (yield from self._lanes(priority, place, hops)) if place is not None else []
            yield from self._rules.meet(tenant for tenant, *_ in found)
            for tenant, kind, version, head in found:
                if tenant not in turns and len(turns) == most:
                    return turns
                if wrapped and after is not None and (tenant > after or (owed and tenant == after)):
                    return turns
                if self._is_open(tenant, kind, version):
                    turns.setdefault(tenant, []).append(Lane(kind, version, head))
            place = self._onward(found[-1][:3]) if len(found) == hops else None
            if place is None:
                if wrapped:
                    return turns
                place, wrapped = self._onward(("", _PAST_ALL_KINDS, 0)), True

    def _lanes(self, priority: int, place: LaneKey, hops: int) -> Script[Rows]:
        return (yield from _ask("claim_lanes", self._request.queue, priority, *place, self._now, hops))

    def _onward(self, place: LaneKey) -> LaneKey | None:
        """Where to look on for the lanes past `place`: where the claim is for some tenants only, the way to the next of
        them is one leap. None: nobody is left on this side of the circle."""
        tenant, kind, _ = place
        if self._tenants is None:
            return place
        following = bisect_right(self._tenants, tenant)
        if kind != _PAST_ALL_KINDS and following and self._tenants[following - 1] == tenant:
            return place
        return (self._tenants[following], _BEFORE_ALL_KINDS, 0) if following < len(self._tenants) else None

    def _is_open(self, tenant: str, kind: str, version: int) -> bool:
        return (
            (self._request.tenants is None or tenant in self._request.tenants)
            and (kind, version) in self._runs
            and self._rules.is_open(tenant, kind)
        )

    def _in_slots(self, priority: int, turns: Turns, slots: list[str]) -> Script[list[Picked | None]]:
        """Step 4: for each slot the next job of its tenant, where it has one."""
        shares = Counter(slots)
        singles = [lane.head for tenant, lanes in turns.items() if shares[tenant] == 1 for lane in lanes]
        found = list((yield from _ask("claim_heads", json_text(singles)))) if singles else []
        for tenant, lanes in turns.items():
            if shares[tenant] > 1:
                for lane in lanes:
                    where = (self._request.queue, priority, tenant, lane.kind, lane.version, self._now)
                    found += yield from _ask("claim_pick", *where, shares[tenant])
        ordered = sorted(map(Picked._make, found), key=lambda job: (job.run_at, job.seq))
        return in_slots(ordered, slots)

    def _take(self, chosen: list[Picked]) -> Script[None]:
        first = (yield from _ask("fencing", len(chosen)))[0][0] - len(chosen) + 1
        granted = [self._grant(job, first + nth) for nth, job in enumerate(chosen)]
        rows = json_text([row for row, _ in granted])
        asked = self._request
        args = (asked.claim_id, asked.worker, asked.holder, asked.lease_seconds, self._now, rows, first)
        taken = {seq for (seq,) in (yield from _ask("claim_take", *args))}
        self.leases += [lease for row, lease in granted if row[0] in taken]
        self.free -= sum(map(self._slots, chosen))

    def _grant(self, job: Picked, fencing_token: int) -> Granted:
        slots = self._rules.rooms.demand(job.kind).slots
        return self._granting.grant(job, fencing_token, self._runs[job.kind, job.version], slots)


def _ask(name: str, *args: object) -> Script[Rows]:
    return (yield statement(name, args))


def _count(turns: Turns, chosen: list[Picked]) -> dict[str, int]:
    taken = dict.fromkeys(turns, 0)
    for job in chosen:
        taken[job.tenant] += 1
    return taken
