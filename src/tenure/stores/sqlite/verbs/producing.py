"""Enqueueing, and the kinds that it needs."""

from collections.abc import Iterable, Sequence
from itertools import chain

from tenure.core.flow import demand
from tenure.core.flow.place import Place
from tenure.core.job import NewJob
from tenure.core.kind import Kind, together
from tenure.core.secrecy.secret_fields import SecretFields
from tenure.stores.protocol import Inserted
from tenure.stores.script import Script, Statement
from tenure.stores.sqlite.instants import fresh
from tenure.stores.sqlite.new_rows import new_row, ordered_row
from tenure.stores.sqlite.rows import json_text, kind_row
from tenure.stores.sqlite.statements import INSERT_NOW, insert_of, pieces
from tenure.stores.sqlite.verbs.reading import ReadVerbs


class ProduceVerbs(ReadVerbs):
    """See `stores.protocol.Verbs`. Rivals never hold rows in SQLite, so the order of insertion is that of the batch."""

    def insert(self, jobs: Sequence[NewJob], *, apart: bool = False) -> Script[Inserted]:
        if len(jobs) == 1 and jobs[0].run_at is None and jobs[0].delay is None and jobs[0].order_key is None:
            row = new_row(jobs[0], self._wall.micros())
            for job_id, seq, instant in (yield Statement(INSERT_NOW, row, commits=True)):
                return Inserted(fresh(instant), {job_id: seq})
            return Inserted((yield from self.now()), {})
        if any(job.order_key is not None for job in jobs):
            return (yield from self._insert_ordered(jobs))
        now = yield from self._tick()
        created: dict[str, int] = {}
        for some in pieces(jobs):
            values = tuple(chain.from_iterable([new_row(job, now) for job in some]))
            rows = yield Statement(insert_of(len(some)), values, commits=apart or len(jobs) == 1)
            created.update((job_id, seq) for job_id, seq, _ in rows)
        return Inserted(fresh(now), created)

    def _insert_ordered(self, jobs: Sequence[NewJob]) -> Script[Inserted]:
        """One by one, and never by themselves: they are to be lined up in the same transaction."""
        now = yield from self._tick()
        created: dict[str, int] = {}
        for job in jobs:
            if job.order_key is None:
                found = yield Statement(insert_of(1), new_row(job, now))
            else:
                found = yield from self._ask("insert_ordered", *ordered_row(job, now))
            created.update((job_id, seq) for job_id, seq, _ in found)
        return Inserted(fresh(now), created)

    def put_kinds(self, kinds: Iterable[Kind], *, replace: bool) -> Script[None]:
        yield from self._tick()
        known = yield from self.kinds()
        for kind in kinds:
            stands = known.get(kind.name)
            wanted = together(stands or kind, kind, replace=replace)
            if wanted != stands:
                known[kind.name] = wanted
                yield from self._ask("put_kind", *kind_row(wanted))
            if replace or (stands is None and (kind.concurrency is not None or kind.demand != demand.PLAIN)):
                told = kind.concurrency, kind.slots, json_text(list(kind.uses))
                yield from self._ask("declare_limit", kind.name, *told)
                yield from self._ask("drop_empty_rules", *Place(kind=kind.name))

    def set_secret_fields(self, name: str, secret: SecretFields) -> Script[bool]:
        yield from self._tick()
        paths = json_text(secret.payload), json_text(secret.result)
        return bool((yield from self._ask("set_secret_fields", name, *paths)))
