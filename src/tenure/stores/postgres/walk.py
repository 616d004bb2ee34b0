"""One claim on its way down the priorities, step by step."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from tenure.core import defaults
from tenure.core.claim import Claimed, ClaimRequest
from tenure.core.fields import PRIORITY_RANGE
from tenure.core.flow import fairness
from tenure.core.flow.demand import NONE, Demands
from tenure.core.flow.place import Place
from tenure.core.flow.relief import Given
from tenure.core.lease import Lease, with_frees, with_slots
from tenure.stores.postgres import claim_wire
from tenure.stores.postgres.claim_wire import LeaseColumns
from tenure.stores.postgres.shortcuts import Shortcut

_NO_WEIGHTS: Mapping[str, int] = {}
_RIVAL_ROUNDS = 3


class Outcome(NamedTuple):
    """Of one step of `core.flow.fairness`. priority: None where nothing is ready. rivals: whether others took some of
    the jobs that it meant to take, or hold what it has to look at. lower: whether ready jobs wait at lower
    priorities."""

    now: datetime
    priority: int | None
    turns: Sequence[str]
    leases: LeaseColumns | None
    rivals: bool
    lower: bool
    left_out: int = 0
    weights: Mapping[str, int] = _NO_WEIGHTS
    owed: int = 0
    dealt: int | None = None
    waits_for: int = 0


class Walk:
    """What is left to take, and what has been taken."""

    def __init__(self, request: ClaimRequest) -> None:
        self.request = request
        self.free = request.limit
        self.most = PRIORITY_RANGE[1]
        self.after, self.owed = dict(request.after), dict(request.owed)
        self.leases: list[Lease] = []
        self.shortcut: Shortcut | None = None
        self.now: datetime | None = None
        self.is_held_back = False
        self.given: Given | None = None
        self.waits_for = 0
        self.demands: Demands = NONE
        self.full: set[Place] = set()
        self.runs: dict[str, dict[str, int]] = {}
        self._rounds = 0
        self._settled: int | None = None
        for ability in request.abilities:
            self.runs.setdefault(ability.kind, {})[str(ability.version)] = ability.runs

    def part(self, slots: int, most: int) -> None:
        """Begins a walk of its own for some of the slots."""
        self.free, self.most = slots, most
        self._rounds, self._settled = 0, None

    @property
    def is_new(self) -> bool:
        """Whether no step has been taken."""
        return self.now is None

    def begin_again(self) -> None:
        """At the highest priority."""
        self.most = PRIORITY_RANGE[1]
        self._rounds = 0

    def asked(self, busy: Sequence[Place] = ()) -> dict[str, Any]:
        """What a statement of the next step is told. busy: places whose lanes are passed over."""
        said, taken = self.request, len(self.leases)
        return {
            "queue": said.queue,
            "free": self.free,
            "most": self.most,
            "past": None if self.shortcut is None else self.shortcut.past,
            "after": {str(priority): tenant for priority, tenant in self.after.items()},
            "most_slots": said.most_slots,
            "owed": {str(priority): slots for priority, slots in self.owed.items()},
            "runs": self.runs,
            "busy": busy,
            "tenants": None if said.tenants is None else sorted(said.tenants),
            "tokens": said.tokens[taken : taken + self.free],
            "claim_id": said.claim_id,
            "worker": said.worker,
            "holder": said.holder,
            "lease_seconds": said.lease_seconds,
            "grace": defaults.END_GRACE,
        }

    def take(self, step: Outcome) -> bool:
        """Notes what a step took; whether another is worth asking for."""
        self.now = step.now.astimezone(UTC)
        if step.priority is None:
            return False
        leases = self._granted(step)
        taken = _taken(leases)
        told = step.turns, taken, self.free, step.left_out, step.weights, step.owed
        if step.turns:
            self._move(step.priority, fairness.cursor(*told, step.dealt), step.left_out)
        self.leases += leases
        more = bool(taken) and fairness.verdict(*told) == fairness.MORE
        self.free -= len(leases) if self.request.counts_jobs else sum(lease.slots for lease in leases)
        self.waits_for = step.waits_for
        self._rounds = self._rounds + 1 if step.rivals else 0
        if self.free <= 0 or self.waits_for:
            return False
        again = more or (step.rivals and self._rounds <= _RIVAL_ROUNDS)
        self.most = step.priority if again else step.priority - 1
        return again or step.lower

    def answer(self) -> Claimed:
        """After the last step."""
        if self.now is None:
            raise AssertionError("no step was taken")
        told = self.after, self.owed, self.is_held_back
        leases = with_frees(self.leases, self.full, self.demands)
        return Claimed(self.now, leases, *told, given=self.given, waits_for=self.waits_for)

    def answer_one(self, step: Outcome) -> Claimed:
        """The answer to a claim for one job, which moves no cursor."""
        leases = with_frees(self._granted(step), self.full, self.demands)
        return Claimed(step.now.astimezone(UTC), leases, dict(self.request.after), dict(self.request.owed))

    def _granted(self, step: Outcome) -> list[Lease]:
        if step.leases is None or step.priority is None:
            return []
        tokens = self.request.tokens[len(self.leases) :]
        found = claim_wire.leases(step.leases, tokens, self.request, step.priority, step.now.astimezone(UTC))
        return list(with_slots(found, self.demands)) if self.demands else found

    def _move(self, priority: int, cursor: fairness.Cursor | None, left_out: int) -> None:
        if cursor is not None and priority != self._settled:
            self.after[priority] = cursor.after
            self.owed.pop(priority, None)
            if cursor.owed:
                self.owed[priority] = cursor.owed
        if left_out:
            self._settled = priority


def _taken(leases: Sequence[Lease]) -> dict[str, int]:
    taken: dict[str, int] = {}
    for lease in leases:
        taken[lease.tenant] = taken.get(lease.tenant, 0) + 1
    return taken
