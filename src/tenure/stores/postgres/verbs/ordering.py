"""The scripts about order keys.

Nobody waits here for anybody, so that producers and workers of one key cannot stop each other:

- Who inserts jobs of a key leaves a row of news about it in the same statement, and lines the key up: the news goes
  once whoever stands first is held, or has been made the head, by a statement that has seen those jobs.
- Who ends a head makes the next one in a statement of its transaction, which sees all that was committed before. A job
  that it does not see was not committed, so its news is there still.
- The promoter lines up what has news left: jobs of transactions of callers, and of whoever met at one key.
"""

from collections.abc import Collection, Sequence

from tenure.core.flow.order import OrderKey
from tenure.core.job import Job
from tenure.stores.ordering import LINES, Turn, Unseen
from tenure.stores.postgres import wire
from tenure.stores.postgres.verbs.reading import Asking
from tenure.stores.script import Script


class OrderVerbs(Asking):
    def next_heads(self, keys: Collection[OrderKey]) -> Script[list[Turn]]:
        rows = yield self.ask("line_up", keys=sorted(keys))
        return wire.TURNS.decode(wire.answer(rows))

    def line_up(self, keys: Collection[OrderKey], *, borrowed: bool = False) -> Script[list[Turn]]:
        if borrowed:
            return []
        rows = yield self.ask("hold_lines", keys=sorted(keys), most=LINES)
        held = wire.LINES.decode(wire.answer(rows))
        return (yield from self.next_heads(held)) if held else []

    def unseen(self, after: int, limit: int) -> Script[Unseen]:
        rows = yield self.look("unseen", after=after, limit=limit)
        return wire.UNSEEN.decode(wire.answer(rows))

    def tails(self, keys: Sequence[OrderKey]) -> Script[list[int]]:
        rows = yield self.ask("tails", count=len(keys))
        return wire.PLACES.decode(wire.answer(rows))

    def first_in_line(self, keys: Collection[OrderKey]) -> Script[dict[OrderKey, Job]]:
        rows = yield self.look("first_in_line", keys=sorted(keys))
        jobs = wire.utc_all(wire.JOBS.decode(wire.answer(rows)))
        return {(job.tenant, job.order_key or ""): job for job in jobs}

    def stopped(self, tenants: Collection[str] | None, limit: int) -> Script[list[Job]]:
        rows = yield self.look("stopped", tenants=None if tenants is None else list(tenants), limit=limit)
        return wire.utc_all(wire.JOBS.decode(wire.answer(rows)))
