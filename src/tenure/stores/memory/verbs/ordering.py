"""The verbs of the memory store about order keys: nobody else writes meanwhile, so every line is seen whole."""

from collections import Counter
from collections.abc import Collection, Sequence

from tenure.core import transitions
from tenure.core.flow import order
from tenure.core.flow.order import OrderKey
from tenure.core.job import Job
from tenure.core.states import State
from tenure.stores.memory.verbs.base import VerbsBase, within
from tenure.stores.ordering import Turn, Unseen


class OrderVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    @within
    def next_heads(self, keys: Collection[OrderKey]) -> list[Turn]:
        return self._line_up(keys)

    @within
    def line_up(self, keys: Collection[OrderKey], *, borrowed: bool = False) -> list[Turn]:
        return self._line_up(keys)

    def _line_up(self, keys: Collection[OrderKey]) -> list[Turn]:
        now = self._tables.now()
        turns = []
        for key in sorted(keys):
            first = order.next_head(self._tables.line(key))
            move = None if first is None else transitions.unblock(first, now)
            if move is not None:
                self._tables.put(move.after)
                turns.append(Turn(*key, move.after.queue, move.after.state))
        return turns

    @within
    def unseen(self, after: int, limit: int) -> Unseen:
        return Unseen((), None)

    @within
    def tails(self, keys: Sequence[OrderKey]) -> list[int]:
        drawn: Counter[OrderKey] = Counter()
        places = []
        for key in keys:
            drawn[key] += 1
            places.append(self._tables.tail(key) + drawn[key])
        return places

    @within
    def first_in_line(self, keys: Collection[OrderKey]) -> dict[OrderKey, Job]:
        lines = {key: self._tables.line(key) for key in keys}
        return {key: min(line, key=lambda job: job.order_place or 0) for key, line in lines.items() if line}

    @within
    def stopped(self, tenants: Collection[str] | None, limit: int) -> list[Job]:
        failed = (job for job in self._tables.in_state(State.FAILED) if order.stops_its_key(job))
        seen = [job for job in failed if tenants is None or job.tenant in tenants]
        return sorted(seen, key=lambda job: (job.ended_at or job.updated_at, job.id), reverse=True)[:limit]
