"""Random sequences of everything that can be asked of a store, repeatable by their seed.

A World holds the chance, the clock and what the sequence has met so far; each step draws one question and asks every
party the same. Chance is drawn before anybody is asked, so that all parties hear the same words.
"""

from collections.abc import Callable
from datetime import timedelta

from tenure.core.kind import Kind
from tenure.core.retention import Retention
from tenure.testing.clock import FakeClock
from tests.conformance.parties import Parties
from tests.conformance.sequences_of_deciders import DeciderSteps
from tests.conformance.sequences_of_hints import HintSteps
from tests.conformance.sequences_of_operators import OperatorSteps
from tests.conformance.sequences_of_producers import ProducerSteps
from tests.conformance.sequences_of_redrives import RedriveSteps
from tests.conformance.sequences_of_reliefs import ReliefSteps
from tests.conformance.sequences_of_schedules import ScheduleSteps
from tests.conformance.sequences_of_workers import WorkerSteps

STEPS = (0.0, 0.001, 1.0, 7.0, 30.0, 61.0, 3600.0, 8 * 86_400.0)
LIMITED = Kind(name="a", concurrency=2), Kind(name="b", slots=3, uses=("db", "smtp"))


class World(ProducerSteps, WorkerSteps, OperatorSteps, DeciderSteps):
    """One sequence."""

    def __init__(self, seed: int, parties: Parties, clock: FakeClock) -> None:
        super().__init__(seed, parties, clock)
        self.redrives = RedriveSteps(self)
        self.schedules = ScheduleSteps(self)
        self.hints = HintSteps(self)
        self.reliefs = ReliefSteps(self, self._new_job)

    def run(self, steps: int) -> None:
        asks = self._asks()
        weights = [weight for weight, _ in asks]
        self.hints.begin()
        self.parties.ask("kinds", lambda verbs: verbs.put_kinds(LIMITED, replace=True))
        for _, step in self.chance.choices(asks, weights, k=steps):
            step()
            if self.chance.random() < 0.15:
                self.parties.compare_rows()
        self.parties.compare_rows()

    def _asks(self) -> list[tuple[int, Callable[[], None]]]:
        return [
            (12, self.enqueue), (13, self.claim), (12, self.report), (6, self.advance), (4, self.beat),
            (3, self.promote), (3, self.expire), (3, self.cancel), (6, self.decide), (6, self.apply),
            (2, self.pass_deadlines), (2, self.prune), (2, self.expire_payloads), (2, self.look), (1, self.claim_again), (1, self.roll_back),
            (2, self.complete_and_claim), (1, self.one_by_one), (1, self.key), (8, self.effect), (2, self.checkpoint),
            (12, self.redrives.step), (12, self.schedules.step),
            (8, self.hints.step), (3, self.pause), (3, self.limit), (2, self.weigh), (7, self.reliefs.step),
            (3, self.bound), (5, self.ordered), (2, self.demand),
        ]  # fmt: skip

    def advance(self) -> None:
        self.clock.advance(self.chance.choice(STEPS))

    def prune(self) -> None:
        pick = self.chance.choice
        short, long = timedelta(seconds=pick((1, 100))), timedelta(seconds=pick((50, 5000, 10**6)))
        kept = Retention(succeeded=short, cancelled=short, failed=long, keys=long)
        self.parties.ask("prune", lambda verbs: verbs.prune(kept, 1000))
        self.redrives.prune(long)
