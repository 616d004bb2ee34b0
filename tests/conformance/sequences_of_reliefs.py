"""The steps of a sequence about aging and reserved capacity: a flood of jobs of many priorities, and claims one after
the other from the cursors of the one before."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from tenure.core.claim import Cursors
from tenure.core.flow.relief import Relief, Reserve
from tenure.core.job import NewJob
from tenure.operations.claim import claim
from tenure.operations.enqueue import enqueue
from tenure.operations.set_relief import set_relief

if TYPE_CHECKING:
    from tests.conformance.sequences import World

QUEUE: Final = "default"
PRIORITIES: Final = (-3, 0, 0, 5, 10, 20, 30)
RESERVES: Final = (None, None, Reserve(10, 0), Reserve(50, -1), Reserve(34, 10))


class ReliefSteps:
    """Draws its questions from the chance of the sequence that it is part of."""

    def __init__(self, world: "World", draw: Callable[[], NewJob]) -> None:
        """draw: a new job."""
        self._world, self._draw = world, draw
        self._cursors = Cursors()

    def step(self) -> None:
        if self._world.chance.random() < 0.6:
            self.set()
        self.flood()
        self._world.clock.advance(self._world.chance.choice((0.0, 1.0, 20.0, 40.0)))
        self.flood()
        for _ in range(3):
            self.claim()

    def set(self) -> None:
        pick = self._world.chance.choice
        queue, said = pick((QUEUE, QUEUE, "mail")), Relief(pick((None, 4.0, 15.0)), pick(RESERVES))
        self._world.parties.ask("relief", lambda verbs: set_relief(verbs, queue, said, who="op"))
        self._world.parties.ask("reliefs", lambda verbs: verbs.reliefs())

    def flood(self) -> None:
        pick = self._world.chance.choice
        drawn = [self._draw() for _ in range(pick((0, 2, 6)))]
        jobs = [replace(job, queue=QUEUE, priority=pick(PRIORITIES), delay=None, run_at=None) for job in drawn]
        jobs = [replace(job, deadline=None) if pick((True, True, False)) else job for job in jobs]
        made = self._world.parties.ask("flood", lambda verbs: enqueue(verbs, jobs))
        self._world.ids += [answer.id for answer in made] if isinstance(made, list) else []

    def claim(self) -> None:
        at = self._cursors
        request = replace(self._world.request(), queue=QUEUE, after=at.after, owed=at.owed, credit=at.credit)
        claimed = self._world.parties.ask("claim under a relief", lambda verbs: claim(verbs, request))
        self._world.claimed(claimed, request)
        self._cursors = at.past(claimed)
