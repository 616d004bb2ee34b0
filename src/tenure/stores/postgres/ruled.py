"""The steps of a claim where limits, weights or a relief have a say, in one READ COMMITTED transaction. One step, in
this order:

1. look       the open lanes of the next priority, the limits that they have, the weights of their tenants
2. hold       the rows of these limits, in one order for all claims; one that holds some already waits for no other
3. candidates the heads of the lanes, and what runs, by a snapshot that is younger than the locks; where each of them
              will be taken they are locked, so that rivals look at the next ones
4. decide     by `core.flow.fairness` and `core.flow.limits`: whose slot, and is there room
5. take       the chosen ones; then what they cost the buckets of rates

In a queue with a relief the claim is taken in parts (`stores.relieving`), each of them by such steps.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from tenure.core.flow import demand, fairness, limits
from tenure.core.flow.choosing import Choice, choose, in_slots
from tenure.core.flow.limits import Limit, Rooms
from tenure.core.flow.place import Place, places
from tenure.core.flow.relief import Level
from tenure.core.lease import Lease
from tenure.stores.postgres import claim_wire, wire
from tenure.stores.postgres.claim_wire import Candidate, Candidates, LeaseColumns, Look
from tenure.stores.postgres.walk import Outcome, Walk
from tenure.stores.relieving import LOWEST, relieved
from tenure.stores.script import Script, Statement

Ask = Callable[..., Statement]


class _Plan(NamedTuple):
    """The slots of a step, over the lanes that are free to be taken from."""

    lanes: list[tuple[str, str, int, str, int]]
    turns: list[str]
    slots: list[str]
    owed: int


class _Seen(NamedTuple):
    """What a look from `most` downward has found, at the lanes of so many tenants."""

    most: int
    tenants: int
    look: Look

    def answers(self, most: int, tenants: int) -> bool:
        """Whether another look would find the same, or fewer of its tenants."""
        is_between = most <= self.most and (self.look.priority is None or self.look.priority <= most)
        return is_between and tenants <= self.tenants

    def is_at_or_below(self, priority: int | None) -> bool:
        return self.look.priority is not None and priority is not None and self.look.priority <= priority


class Ruled:
    """The rest of one claim. ask: makes a statement."""

    def __init__(self, ask: Ask, walk: Walk) -> None:
        self._ask, self._walk = ask, walk
        self._queue = walk.request.queue
        self._held: dict[Place, Limit] = {}
        self._known: set[Place] = set()
        self._busy: set[Place] = set()
        self._rest = 0
        self._seen: list[_Seen] = []

    @property
    def free(self) -> int:
        return self._walk.free

    @property
    def leases(self) -> Sequence[Lease]:
        return self._walk.leases

    def walk(self) -> Script[None]:
        """Walks on until the slots are full or nothing is left."""
        walk, look = self._walk, (yield from self._look())
        if look.relief is not None and look.priority is not None:
            walk.given = yield from relieved(self, look.relief, walk.request.credit)
        elif walk.take((yield from self._step(look))):
            yield from self._down(LOWEST)

    def level(self, most: int, tenants: int) -> Script[Level | None]:
        """See `stores.relieving.Parts`."""
        free = self._walk.free
        self._walk.part(tenants, most)
        look = yield from self._look()
        while look.priority is not None and not look.lanes and look.lower:
            self._walk.most = look.priority - 1
            look = yield from self._look()
        self._walk.free = free
        if look.priority is None or look.oldest is None:
            return None
        return Level(look.priority, look.oldest, look.now)

    def take(self, slots: int, most: int, least: int) -> Script[int]:
        """See `stores.relieving.Parts`."""
        self._rest, before = self._walk.free - slots, len(self._walk.leases)
        self._walk.part(slots, most)
        yield from self._down(least)
        self._walk.free += self._rest
        self._rest = 0
        return len(self._walk.leases) - before

    def _down(self, least: int) -> Script[None]:
        while self._walk.most >= least and not self._walk.waits_for:
            look = yield from self._look()
            is_past = look.priority is not None and look.priority < least
            if is_past or not self._walk.take((yield from self._step(look))):
                return

    def one(self, job_id: str, priority: int, lane: tuple[str, str, int]) -> Script[Outcome]:
        """One job by its id, out of turn. lane: its tenant, kind and version."""
        tenant, kind, version = lane
        rows = yield self._ask("demands")
        self._walk.demands = wire.DEMANDS.decode(wire.answer(rows))
        yield from self._hold(self._places(kind, tenant))
        found = yield from self._ask_candidates("claim_candidates", priority, [])
        choice = self._choose([Candidate(tenant, kind, version, job_id)], found)
        now, leases, _ = yield from self._take(choice.jobs)
        return Outcome(now, priority, (), leases, rivals=False, lower=False)

    def _step(self, look: Look) -> Script[Outcome]:
        self._seen = [seen for seen in self._seen if not seen.is_at_or_below(look.priority)]
        if look.priority is None or not look.lanes:
            return Outcome(look.now, look.priority, (), None, rivals=False, lower=look.lower)
        met_busy = yield from self._hold(look.places)
        plan = self._plan(look, look.priority)
        if not plan.turns:
            return Outcome(look.now, look.priority, (), None, met_busy, look.lower)
        found = yield from self._candidates(look.priority, plan)
        choice = self._choose(in_slots(found.jobs, plan.slots), found)
        now, leases, taken = yield from self._take(choice.jobs)
        left_out = choice.left_out
        is_late = taken < len(choice.jobs) or (left_out > 0 and not choice.jobs and choice.dealt is None)
        self._walk.is_held_back = self._walk.is_held_back or left_out > 0
        told = look.lower, left_out, look.weights, plan.owed, choice.dealt, choice.waits_for
        return Outcome(now, look.priority, plan.turns, leases, met_busy or is_late, *told)

    def _look(self) -> Script[Look]:
        """What was seen before holds until something is taken there, where no limit has a say."""
        most, free = self._walk.most, self._walk.free
        for seen in self._seen:
            if seen.answers(most, free):
                return seen.look
        look = yield from self._fresh_look()
        if not look.places:
            self._seen.append(_Seen(most, free, look))
        return look

    def _fresh_look(self) -> Script[Look]:
        rows = yield self._ask("claim_look", claim=self._walk.asked(sorted(self._busy)))
        look = claim_wire.LOOK.decode(wire.answer(rows))
        self._walk.demands = look.demands
        self._walk.is_held_back = self._walk.is_held_back or look.held_back
        self._walk.now = look.now.astimezone(UTC)
        return look

    def _hold(self, wanted: Sequence[Place]) -> Script[bool]:
        """Whether some of them are held by others, and not waited for."""
        fresh = [place for place in wanted if place not in self._known]
        if not fresh:
            return False
        name = "claim_hold_free" if self._held else "claim_hold"
        rows = yield self._ask(name, places=fresh)
        found = {limit.place: limit for limit in wire.held_limits(rows).limits}
        self._held |= found
        self._known |= set(fresh)
        if name == "claim_hold":
            return False
        missed = set(fresh) - found.keys()
        self._busy |= missed
        return bool(missed)

    def _plan(self, look: Look, priority: int) -> _Plan:
        lanes = [lane for lane in look.lanes if self._busy.isdisjoint(self._places(lane[1], lane[0]))]
        turns = list(dict.fromkeys(tenant for tenant, *_ in lanes))
        is_owed = bool(turns) and turns[0] == self._walk.after.get(priority)
        owed = self._walk.owed.get(priority, 0) if is_owed else 0
        slots = fairness.slots(turns, self._walk.free, look.weights, owed) if turns else []
        return _Plan(lanes, turns, slots, owed)

    def _candidates(self, priority: int, plan: _Plan) -> Script[Candidates]:
        wanted = Counter(plan.slots)
        lanes = [(*lane, wanted[lane[0]]) for lane in plan.lanes if wanted[lane[0]]]
        are_all_taken = not self._held and not self._walk.demands and len(plan.lanes) == len(plan.turns)
        name = "claim_candidates_free" if are_all_taken else "claim_candidates"
        return (yield from self._ask_candidates(name, priority, lanes))

    def _ask_candidates(
        self, name: str, priority: int, lanes: Sequence[tuple[str, str, int, str, int, int]]
    ) -> Script[Candidates]:
        """lanes: each with the number of jobs that is wanted of it."""
        counts = any(limit.concurrency is not None for limit in self._held.values())
        rows = yield self._ask(name, queue=self._queue, priority=priority, lanes=lanes, counts=counts)
        return claim_wire.CANDIDATES.decode(wire.answer(rows))

    def _choose(self, jobs: Sequence[Candidate | None], found: Candidates) -> Choice[Candidate]:
        """What is kept for a job is passed over by the rest of this claim."""
        uses = limits.running_at(self._held.values(), found.running, self._walk.demands)
        rooms = Rooms(limits.rooms_of(uses, found.now), self._walk.demands)
        counts_jobs = self._walk.request.counts_jobs
        choice = choose(self._queue, jobs, self._walk.free, rooms, rest=self._rest, counts_jobs=counts_jobs)
        self._busy |= rooms.kept
        self._walk.full |= rooms.full
        return choice

    def _places(self, kind: str, tenant: str) -> tuple[Place, ...]:
        return places(self._queue, kind, tenant, demand.of(self._walk.demands, kind).uses)

    def _take(self, chosen: Sequence[Candidate]) -> Script[tuple[datetime, LeaseColumns | None, int]]:
        """Each is run by the version that the worker has for it."""
        ids = [(job.id, self._walk.runs[job.kind][str(job.version)]) for job in chosen]
        rows = yield self._ask("claim_take", claim=self._walk.asked(), chosen=ids)
        taken = claim_wire.TAKEN_JOBS.decode(wire.answer(rows))
        if taken.leases is None:
            return taken.now, None, 0
        lanes = zip(taken.leases.kind, taken.leases.tenant, strict=True)
        starts = Counter(place for kind, tenant in lanes for place in self._places(kind, tenant))
        yield from self._spend(starts, taken.now)
        return taken.now, taken.leases, len(taken.leases.nth)

    def _spend(self, starts: Mapping[Place, int], now: datetime) -> Script[None]:
        spent = [
            limits.spent(limit, starts[place], now)
            for place, limit in self._held.items()
            if limit.rate is not None and starts[place]
        ]
        if spent:
            self._held |= {limit.place: limit for limit in spent}
            yield self._ask("write_tokens", limits=[written(limit) for limit in spent])


def written(limit: Limit) -> dict[str, Any]:
    """What `write_tokens.sql` is told of a limit."""
    return {"place": limit.place, "tokens": limit.tokens, "filled_at": limit.filled_at}
