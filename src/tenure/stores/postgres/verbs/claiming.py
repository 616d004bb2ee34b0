"""The scripts that claim: the steps of `core.flow.fairness`.

Most queues hold the jobs of one tenant and kind at a time. `claim_lane.sql` does the step there in half the time; where
it finds more than one lane, or a rule, `claim.sql` does it, and is asked at once the next times. Both commit by
themselves.

Where a limit or a weight has a say, both take nothing and say so. Then the rest of the claim is the
transaction of `ruled`, and so are the next ones on this queue at once.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from tenure.core.claim import Claimed, ClaimRequest
from tenure.core.reports import Completion
from tenure.stores.postgres import claim_wire, statements, wire
from tenure.stores.postgres.claim_wire import Step
from tenure.stores.postgres.ruled import Ruled
from tenure.stores.postgres.shortcuts import Shortcuts
from tenure.stores.postgres.verbs.reading import Asking
from tenure.stores.postgres.verbs.writing import told
from tenure.stores.postgres.walk import Outcome, Walk
from tenure.stores.script import Script

_LOOK_AGAIN: Final = 16
"""Claims on a queue that is known to need a dearer statement before another looks whether it still does."""


class ClaimVerbs(Asking):
    def __init__(self, clock: Callable[[], datetime] | None = None) -> None:
        super().__init__(clock)
        self._crowds, self._rules = _Known(), _Known()
        self._shortcuts = Shortcuts()

    def claim(self, request: ClaimRequest) -> Script[Claimed]:
        walk = Walk(request)
        if request.only is not None:
            return (yield from self._claim_one(walk, request.only))
        if self._is_ruled(walk):
            return (yield from self._by_rules(walk))
        step = yield from self._step(walk, self._fitting(walk))
        return (yield from self._finish(walk, step))

    def complete_and_claim(
        self, completions: Sequence[Completion], request: ClaimRequest
    ) -> Script[tuple[list[str], Claimed]]:
        walk, done = Walk(request), told(completions)
        if request.only is not None or self._is_ruled(walk):
            rows = yield self.ask("complete", done=done, commits=True)
            completed = wire.IDS.decode(wire.answer(rows))
            one = request.only
            return completed, (yield from self._by_rules(walk) if one is None else self._claim_one(walk, one))
        rows = yield self.ask(f"complete_and_{self._fitting(walk)}", done=done, claim=walk.asked(), commits=True)
        answer = claim_wire.COMPLETED_STEP.decode(wire.answer(rows))
        claimed = yield from self._finish(walk, answer.step)
        return answer.done, claimed

    def _claim_one(self, walk: Walk, job_id: str) -> Script[Claimed]:
        named = {"only": job_id if wire.ids([job_id]) else None}
        rows = yield self.ask("claim_only", claim=walk.asked() | named, commits=True)
        step = claim_wire.STEP.decode(wire.answer(rows))
        outcome = Outcome(step.now, step.priority, step.turns, step.leases, step.rivals, step.lower)
        if step.ruled and step.lane is not None and step.priority is not None:
            outcome = yield from Ruled(self.ask, walk).one(job_id, step.priority, step.lane)
        return walk.answer_one(outcome)

    def _is_ruled(self, walk: Walk) -> bool:
        return bool(walk.owed) or not self._rules.allow_look(walk.request.queue)

    def _fitting(self, walk: Walk) -> str:
        """The statement for the next step."""
        queue = walk.request.queue
        is_one = self._crowds.allow_look(queue)
        walk.shortcut = self._shortcuts.of(queue) if is_one and walk.is_new else None
        if walk.shortcut is not None:
            return statements.FURTHER
        return "claim_lane" if is_one else "claim"

    def _step(self, walk: Walk, name: str) -> Script[Step]:
        rows = yield self.ask(name, claim=walk.asked(), commits=True)
        return claim_wire.STEP.decode(wire.answer(rows))

    def _finish(self, walk: Walk, step: Step) -> Script[Claimed]:
        """Walks on from the answer to the first step until the slots are full or nothing is left."""
        queue = walk.request.queue
        while True:
            if step.many:
                self._crowds.note(queue)
            elif step.ruled:
                self._rules.note(queue)
                return (yield from self._by_rules(walk))
            elif not self._take(walk, step):
                return walk.answer()
            step = yield from self._step(walk, self._fitting(walk))

    def _take(self, walk: Walk, step: Step) -> bool:
        """Notes what a step took; whether another is worth asking for."""
        queue, shortcut = walk.request.queue, walk.shortcut
        goes_on = walk.take(Outcome(step.now, step.priority, step.turns, step.leases, step.rivals, step.lower))
        is_full = walk.free <= 0
        if shortcut is None:
            self._shortcuts.note(queue, step, is_full=is_full)
            return goes_on
        self._shortcuts.go_on(queue, shortcut, step, is_full=is_full)
        if is_full or shortcut.is_slow:
            return goes_on
        walk.begin_again()
        return True

    def _by_rules(self, walk: Walk) -> Script[Claimed]:
        walk.shortcut = None
        yield from Ruled(self.ask, walk).walk()
        return walk.answer()


class _Known:
    """The queues where something was met. It only chooses between statements that do the same."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}

    def note(self, queue: str) -> None:
        self._left[queue] = _LOOK_AGAIN

    def allow_look(self, queue: str) -> bool:
        """Whether the next claim may look for something cheaper. Counted at each call."""
        left = self._left.pop(queue, 0)
        if left > 1:
            self._left[queue] = left - 1
        return left == 0
