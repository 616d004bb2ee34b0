"""Tell how late things are, queue by queue. What it asks is bounded: none of it grows with the backlog."""

from collections.abc import Collection
from itertools import islice
from typing import Final

from tenure.core.flow.capacity import Capacity
from tenure.core.flow.drain import WINDOW
from tenure.core.flow.lateness import COUNTED, Lateness, told
from tenure.core.flow.place import Place
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

QUEUES: Final = 200
SEEN: Final = 5000
LANES: Final = 2000


def lateness(verbs: Verbs, queues: Collection[str] | None = None, most: int = QUEUES) -> Script[list[Lateness]]:
    """By name, of queues in which jobs wait or ran lately, or that have an objective; `most` of them. queues: only
    these."""
    sample = yield from verbs.seen(WINDOW, SEEN)
    objectives, pauses = (yield from verbs.objectives()), (yield from verbs.pauses())
    demands = yield from verbs.demands()
    names = set(queues or ())
    if queues is None:
        names = {*(yield from verbs.waiting_queues(most)), *objectives, *(one.queue for one in sample.seen)}
    chosen = list(islice(sorted(names), most))
    counts = yield from verbs.waiting([Capacity(Place(queue=name), COUNTED) for name in chosen])
    found = []
    for name, kinds in zip(chosen, counts, strict=True):
        heads = yield from verbs.heads(name, LANES)
        found += [
            told(
                name,
                waiting=kinds,
                heads=heads,
                pauses=pauses,
                objective=objectives.get(name),
                sample=sample,
                demands=demands,
            )
        ]
    return found
