"""Write decided transitions, and whoever is next in the lines of their order keys goes on in the same transaction."""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from tenure.core.flow import order
from tenure.core.flow.order import OrderKey
from tenure.core.job import Job
from tenure.core.states import Event, State
from tenure.core.transitions import Transition
from tenure.stores.ordering import LINES, Turn
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Written(msgspec.Struct, frozen=True):
    """applied: the ids of the jobs whose transition was written. next: queues of heads that are ready now, by their
    key."""

    applied: set[str] = set()
    next: Mapping[OrderKey, str] = {}

    @property
    def queues(self) -> frozenset[str]:
        return frozenset(self.next.values())


def written(verbs: Verbs, moves: Sequence[Transition]) -> Script[Written]:
    """The only way by which an operation writes transitions: no line waits for a head that nobody made."""
    if not moves:
        return Written()
    applied = yield from verbs.apply(moves)
    done = [move for move in moves if move.after.id in applied]
    left = {key for move in done if order.gives_way(move.before, move.after) and (key := order.key_of(move.before))}
    turns = (yield from verbs.next_heads(left)) if left else []
    joined = {key for move in done if _joins(move) and (key := order.key_of(move.after))}
    turns += (yield from verbs.line_up(joined)) if joined else []
    return Written(applied, ready(turns))


class LinedUp(msgspec.Struct, frozen=True):
    """queues: whose workers have something to do. after: where the next batch begins; None: there is none left."""

    queues: frozenset[str]
    after: int | None


def line_up_unseen(verbs: Verbs, after: int, limit: int = LINES) -> Script[LinedUp]:
    """One batch of keys in which nobody has seen who is next."""
    unseen = yield from verbs.unseen(after, limit)
    turns = (yield from verbs.line_up(unseen.keys)) if unseen.keys else []
    return LinedUp(frozenset(ready(turns).values()), unseen.after)


def tails(verbs: Verbs, jobs: Sequence[Job]) -> Script[dict[str, int]]:
    """By job id, the places that a redrive must give."""
    joining = [job for job in jobs if order.needs_place(job)]
    keys = [(job.tenant, job.order_key or "") for job in joining]
    places = (yield from verbs.tails(keys)) if keys else []
    return {job.id: place for job, place in zip(joining, places, strict=True)}


def ready(turns: Collection[Turn]) -> dict[OrderKey, str]:
    """Queues whose workers have something to do, by the key."""
    return {(turn.tenant, turn.order_key): turn.queue for turn in turns if turn.state is State.READY}


def _joins(move: Transition) -> bool:
    return move.event is Event.REDRIVE and move.after.state is State.BLOCKED
