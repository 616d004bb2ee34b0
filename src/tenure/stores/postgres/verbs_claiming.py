"""The scripts that claim: the steps of `core.fairness`, one statement each.

Most queues hold the jobs of one tenant and kind at a time. `claim_lane.sql` does the step there in half the time; where
it finds more than one lane, `claim.sql` does it, and is asked at once the next times.

Kinds without a limit are claimed by statements that commit by themselves. Where a limited kind has a turn, such
a statement takes nothing and says so; then the claim goes in one READ COMMITTED transaction that first locks the
rows of the limited kinds, then counts their live leases, then claims within the room that is left.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from tenure.core import defaults, fairness
from tenure.core.fields import PRIORITY_RANGE
from tenure.core.lease import Claimed, ClaimRequest, Lease
from tenure.core.reports import Completion
from tenure.stores.postgres import wire
from tenure.stores.postgres.shortcuts import Shortcuts
from tenure.stores.postgres.verbs_reading import Asking
from tenure.stores.postgres.verbs_writing import told
from tenure.stores.postgres.wire import Step
from tenure.stores.script import Script

_RIVAL_ROUNDS: Final = 3
_LOOK_AGAIN: Final = 16
"""Claims on a queue of many lanes before another looks whether one is left."""


class Claiming(Asking):
    def __init__(self, clock: Callable[[], datetime] | None = None) -> None:
        super().__init__(clock)
        self._crowds = _Crowds()
        self._shortcuts = Shortcuts()

    def claim(self, request: ClaimRequest) -> Script[Claimed]:
        walk = _Walk(request)
        if request.only is not None:
            return (yield from self._claim_one(walk, request.only))
        step = yield from self._step(walk, self._fitting(walk))
        return (yield from self._finish(walk, step))

    def complete_and_claim(
        self, completions: Sequence[Completion], request: ClaimRequest
    ) -> Script[tuple[list[str], Claimed]]:
        walk = _Walk(request)
        if request.only is not None:
            rows = yield self.ask("complete", done=told(completions), commits=True)
            return wire.IDS.decode(wire.answer(rows)), (yield from self._claim_one(walk, request.only))
        done = told(completions)
        name = f"complete_and_{self._fitting(walk)}"
        rows = yield self.ask(name, done=done, claim=walk.next_step(), commits=True)
        answer = wire.COMPLETED_STEP.decode(wire.answer(rows))
        claimed = yield from self._finish(walk, answer.step)
        return answer.done, claimed

    def _claim_one(self, walk: "_Walk", job_id: str) -> Script[Claimed]:
        named = {"only": job_id if wire.ids([job_id]) else None}
        step = wire.STEP.decode(
            wire.answer((yield self.ask("claim_only", claim=walk.next_step() | named, commits=True)))
        )
        if step.limited:
            walk.rooms = yield from self._rooms(walk.request)
            step = wire.STEP.decode(wire.answer((yield self.ask("claim_only", claim=walk.next_step() | named))))
        return Claimed(step.now.astimezone(UTC), tuple(walk.granted(step)), walk.after)

    def _fitting(self, walk: "_Walk") -> str:
        """The statement for the next step."""
        queue = walk.request.queue
        is_one = walk.rooms is None and self._crowds.allow_look(queue)
        walk.since = self._shortcuts.since(queue) if is_one else None
        return "claim_lane" if is_one else "claim"

    def _step(self, walk: "_Walk", name: str) -> Script[Step]:
        rows = yield self.ask(name, claim=walk.next_step(), commits=walk.rooms is None)
        return wire.STEP.decode(wire.answer(rows))

    def _finish(self, walk: "_Walk", step: Step) -> Script[Claimed]:
        """Walks on from the answer to the first step until the slots are full or nothing is left."""
        while True:
            if walk.since is None:
                self._shortcuts.note(walk.request.queue, step)
            if step.many:
                self._crowds.note(walk.request.queue)
            elif step.limited:
                walk.rooms = yield from self._rooms(walk.request)
            elif not walk.take(step):
                return Claimed(step.now.astimezone(UTC), tuple(walk.leases), walk.after)
            step = yield from self._step(walk, self._fitting(walk))

    def _rooms(self, request: ClaimRequest) -> Script[dict[str, int]]:
        """How many more of each limited kind may run; its row is held until the transaction ends."""
        names = sorted({ability.kind for ability in request.abilities})
        rows = yield self.ask("lock_kinds", kinds=names)
        limits = wire.NUMBERS.decode(wire.answer(rows))
        rows = yield self.ask("count_running", kinds=sorted(limits))
        running = wire.NUMBERS.decode(wire.answer(rows))
        return {kind: max(0, limit - running.get(kind, 0)) for kind, limit in limits.items()}


class _Crowds:
    """The queues where many lanes were met. It only chooses between two statements that do the same."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}

    def note(self, queue: str) -> None:
        self._left[queue] = _LOOK_AGAIN

    def allow_look(self, queue: str) -> bool:
        """Whether the next claim may look for a single lane. Counted at each call."""
        left = self._left.pop(queue, 0)
        if left > 1:
            self._left[queue] = left - 1
        return left == 0


class _Walk:
    """One claim on its way down the priorities."""

    def __init__(self, request: ClaimRequest) -> None:
        self.request = request
        self.free = request.limit
        self.most = PRIORITY_RANGE[1]
        self.after = dict(request.after)
        self.leases: list[Lease] = []
        self.rooms: dict[str, int] | None = None
        self.rounds = 0
        self.since: datetime | None = None
        self._settled: int | None = None
        self._runs: dict[str, dict[str, int]] = {}
        for ability in request.abilities:
            self._runs.setdefault(ability.kind, {})[str(ability.version)] = ability.runs

    def next_step(self) -> dict[str, Any]:
        asked, taken = self.request, len(self.leases)
        return {
            "queue": asked.queue,
            "free": self.free,
            "most": self.most,
            "since": self.since,
            "after": {str(priority): tenant for priority, tenant in self.after.items()},
            "runs": self._runs,
            "rooms": self.rooms,
            "tenants": None if asked.tenants is None else sorted(asked.tenants),
            "tokens": asked.tokens[taken : taken + self.free],
            "claim_id": asked.claim_id,
            "worker": asked.worker,
            "holder": asked.holder,
            "lease_seconds": asked.lease_seconds,
            "grace": defaults.END_GRACE,
        }

    def take(self, step: Step) -> bool:
        """Notes what a step took; whether another is worth asking for."""
        if step.priority is None:
            return False
        leases = self.granted(step)
        taken = _taken(leases)
        if step.turns:
            self._move_cursor(step, taken)
        self.leases += leases
        more = bool(taken) and fairness.verdict(step.turns, taken, self.free, step.left_out) == fairness.MORE
        self.free -= len(leases)
        self._use_room(leases)
        self.rounds = self.rounds + 1 if step.rivals else 0
        if self.free <= 0:
            return False
        again = more or (step.rivals and self.rounds <= _RIVAL_ROUNDS)
        self.most = step.priority if again else step.priority - 1
        return again or step.lower

    def granted(self, step: Step) -> list[Lease]:
        """The leases that it took."""
        if step.leases is None or step.priority is None:
            return []
        tokens = self.request.tokens[len(self.leases) :]
        return wire.leases(step.leases, tokens, self.request, step.priority, step.now.astimezone(UTC))

    def _move_cursor(self, step: Step, taken: Mapping[str, int]) -> None:
        last = fairness.cursor(step.turns, taken, self.free, step.left_out)
        if last is not None and step.priority is not None and step.priority != self._settled:
            self.after[step.priority] = last
        if step.left_out:
            self._settled = step.priority

    def _use_room(self, leases: Sequence[Lease]) -> None:
        for lease in leases:
            if self.rooms and lease.kind in self.rooms:
                self.rooms[lease.kind] -= 1


def _taken(leases: Sequence[Lease]) -> dict[str, int]:
    taken: dict[str, int] = {}
    for lease in leases:
        taken[lease.tenant] = taken.get(lease.tenant, 0) + 1
    return taken
