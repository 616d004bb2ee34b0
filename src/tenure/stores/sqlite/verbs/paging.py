"""The verbs that read a page of what may be long, and the one look at many queues."""

from collections.abc import Collection

import msgspec

from tenure.core.attempt import Attempt
from tenure.core.job_filter import JobFilter
from tenure.core.kind import Kind
from tenure.core.lease import hosts_of
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import Effect
from tenure.core.secrecy.credentials import Key
from tenure.core.states import State
from tenure.stores.reading import By, NamedCount, WorkerCount
from tenure.stores.script import Row, Script, Statement
from tenure.stores.sqlite import rows
from tenure.stores.sqlite.filtering import conditions
from tenure.stores.sqlite.instants import of_micros
from tenure.stores.sqlite.rows import json_text
from tenure.stores.sqlite.statements import sql
from tenure.stores.sqlite.verbs.base import VerbsBase
from tenure.stores.sqlite.verbs.credentials import key_of
from tenure.stores.sqlite.verbs.ledger import checkpoint_of, effect_of

_decode_holders = msgspec.json.Decoder(list[str | None]).decode


class PagingVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    def having_ready(self, queues: Collection[str]) -> Script[set[str]]:
        return {queue for (queue,) in (yield from self._ask("having_ready", json_text(list(queues))))}

    def attempt_page(self, job_id: str, after: int | None, limit: int) -> Script[list[Attempt]]:
        return list(map(rows.attempt_of, (yield from self._ask("attempt_page", job_id, after or 0, limit))))

    def effect_page(self, job_id: str, skip: int, limit: int, *, results: bool = True) -> Script[list[Effect]]:
        return list(map(effect_of, (yield from self._ask("effect_page", job_id, limit, skip, int(results)))))

    def checkpoint_page(self, job_id: str, after: str | None, limit: int) -> Script[list[Checkpoint]]:
        return list(map(checkpoint_of, (yield from self._ask("checkpoint_page", job_id, after or "", limit))))

    def kind_page(self, names: Collection[str] | None, after: str | None, limit: int) -> Script[list[Kind]]:
        wanted = None if names is None else json_text(list(names))
        return list(map(rows.kind_of, (yield from self._ask("kind_page", after or "", wanted, limit))))

    def counts_by(self, by: By, which: JobFilter, after: str | None, limit: int) -> Script[list[NamedCount]]:
        narrowing, args = conditions(which)
        text = sql("counts_by").replace("{by}", by).replace("{conditions}", narrowing)
        return [
            NamedCount(name=name, state=State(state), jobs=jobs, oldest_run_at=of_micros(oldest))
            for name, state, jobs, oldest in (yield Statement(text, (after or "", *args, limit)))
        ]

    def worker_counts(self, which: JobFilter, after: str | None, limit: int) -> Script[list[WorkerCount]]:
        narrowing, args = conditions(which)
        text = sql("worker_counts").replace("{conditions}", narrowing)
        return list(map(_worker_of, (yield Statement(text, (after or "", *args, limit)))))

    def key_page(self, before: str | None, limit: int) -> Script[list[Key]]:
        return list(map(key_of, (yield from self._ask("key_page", before, limit))))


def _worker_of(row: Row) -> WorkerCount:
    """A worker's counts, in the order of `worker_counts.sql`."""
    worker, jobs, started, heartbeat, holders = row
    return WorkerCount(
        worker=worker,
        jobs=jobs,
        started_at=of_micros(started),
        heartbeat_at=of_micros(heartbeat),
        hosts=hosts_of(_decode_holders(holders)),
    )
