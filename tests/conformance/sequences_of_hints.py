"""The steps of a sequence about delivery hints and claims for one job."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from tenure.operations.claim import claim
from tenure.operations.hint import put_back_hints, settle_hints, start_hints, stop_hints, sweep_hints, take_hints

if TYPE_CHECKING:
    from tests.conformance.sequences import World


class HintSteps:
    """Draws its questions from the chance of the sequence that it is part of."""

    def __init__(self, world: "World") -> None:
        self._world, self._number = world, 0
        self._taken: list[tuple[str, tuple[str, ...]]] = []

    def begin(self) -> None:
        """Nobody publishes, whatever the sequence before has left on; of every second sequence somebody does at
        once."""
        self._world.parties.ask("stop hints", lambda verbs: verbs.stop_hints())
        if self._world.chance.random() < 0.5:
            self.start()

    def step(self) -> None:
        choices = [(4, self.wake), (1, self.start), (1, self.stop), (5, self.take), (4, self.settle), (1, self.look)]
        weights = [weight for weight, _ in choices]
        for _, step in self._world.chance.choices(choices, weights, k=2):
            step()

    def wake(self) -> None:
        world = self._world
        request = replace(world.request(), only=world.some_id())
        world.claimed(world.parties.ask("claim one", lambda verbs: claim(verbs, request)), request)

    def start(self) -> None:
        self._world.parties.ask("start hints", lambda verbs: start_hints(verbs, who="op"))

    def stop(self) -> None:
        if self._world.chance.random() < 0.3:
            self._world.parties.ask("stop hints", lambda verbs: stop_hints(verbs, who="op", why="test"))

    def take(self) -> None:
        self._number += 1
        token, limit = f"h{self._number}", self._world.chance.choice((1, 3, 100))
        taken = self._world.parties.ask("take hints", lambda verbs: take_hints(verbs, token, limit, 20.0))
        self._taken.append((token, tuple(job_id for job_id, _ in taken.hints)))

    def settle(self) -> None:
        if not self._taken:
            return
        chance, pick = self._world.chance, self._world.chance.choice
        token, ids = pick(self._taken[-3:])
        some, again = [job_id for job_id in ids if chance.random() < 0.8], pick((None, None, 7.0))
        if pick((True, True, False)):
            self._world.parties.ask("settle hints", lambda verbs: settle_hints(verbs, token, some, again))
        else:
            self._world.parties.ask("put back hints", lambda verbs: put_back_hints(verbs, token, some, 1.0, "away"))

    def look(self) -> None:
        self._world.parties.ask("sweep hints", lambda verbs: sweep_hints(verbs, 2))
        self._world.parties.ask("hint backlog", lambda verbs: verbs.hint_backlog())
