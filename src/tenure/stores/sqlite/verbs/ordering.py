"""The lines of order keys. One transaction writes at a time, so every line is seen whole."""

from collections import Counter
from collections.abc import Collection, Sequence

from tenure.core.flow.order import OrderKey
from tenure.core.job import Job
from tenure.core.states import State
from tenure.stores.ordering import Turn, Unseen
from tenure.stores.script import Script, immediate
from tenure.stores.sqlite import rows
from tenure.stores.sqlite.rows import json_text
from tenure.stores.sqlite.verbs.base import VerbsBase


class OrderVerbs(VerbsBase):
    """See `stores.ordering.OrderVerbs`."""

    def next_heads(self, keys: Collection[OrderKey]) -> Script[list[Turn]]:
        return (yield from self.line_up(keys))

    def line_up(self, keys: Collection[OrderKey], *, borrowed: bool = False) -> Script[list[Turn]]:
        now = yield from self._tick()
        made = yield from self._ask("line_up", now, json_text(sorted(keys)))
        return [Turn(tenant, key, queue, State(state)) for tenant, key, queue, state in sorted(made)]

    @immediate
    def unseen(self, after: int, limit: int) -> Unseen:
        return Unseen((), None)

    def tails(self, keys: Sequence[OrderKey]) -> Script[list[int]]:
        drawn: Counter[OrderKey] = Counter()
        places = []
        for key in keys:
            drawn[key] += 1
            ((last,),) = yield from self._ask("tail", *key)
            places.append(int(last) + drawn[key])
        return places

    def first_in_line(self, keys: Collection[OrderKey]) -> Script[dict[OrderKey, Job]]:
        found = yield from self._ask("first_in_line", json_text(sorted(keys)))
        return {(job.tenant, job.order_key or ""): job for job in map(rows.job_of, found)}

    def stopped(self, tenants: Collection[str] | None, limit: int) -> Script[list[Job]]:
        wanted = None if tenants is None else json_text(list(tenants))
        return list(map(rows.job_of, (yield from self._ask("stopped", wanted, limit))))
