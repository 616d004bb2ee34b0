"""The scripts that read a page of what may be long, and the one look at many queues."""

from collections.abc import Collection

from tenure.core.attempt import Attempt
from tenure.core.job_filter import JobFilter
from tenure.core.kind import Kind
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import Effect
from tenure.core.secrecy.credentials import Key
from tenure.stores.postgres import wire
from tenure.stores.postgres.verbs.reading import Narrowing
from tenure.stores.reading import By, NamedCount, WorkerCount
from tenure.stores.script import Script


class PagingVerbs(Narrowing):
    def having_ready(self, queues: Collection[str]) -> Script[set[str]]:
        rows = yield self.look("having_ready", queues=list(queues))
        return set(wire.IDS.decode(wire.answer(rows)))

    def attempt_page(self, job_id: str, after: int | None, limit: int) -> Script[list[Attempt]]:
        if not wire.ids([job_id]):
            return []
        rows = yield self.look("attempt_page", job_id=job_id, after=after or 0, limit=limit)
        return wire.utc_all(wire.ATTEMPTS.decode(wire.answer(rows)))

    def effect_page(self, job_id: str, skip: int, limit: int, *, results: bool = True) -> Script[list[Effect]]:
        if not wire.ids([job_id]):
            return []
        rows = yield self.look("effect_page", job_id=job_id, skip=skip, limit=limit, results=results)
        return wire.utc_all(wire.EFFECTS.decode(wire.answer(rows)))

    def checkpoint_page(self, job_id: str, after: str | None, limit: int) -> Script[list[Checkpoint]]:
        if not wire.ids([job_id]):
            return []
        rows = yield self.look("checkpoint_page", job_id=job_id, after=after or "", limit=limit)
        return wire.utc_all(wire.CHECKPOINTS.decode(wire.answer(rows)))

    def kind_page(self, names: Collection[str] | None, after: str | None, limit: int) -> Script[list[Kind]]:
        wanted = None if names is None else list(names)
        rows = yield self.look("kind_page", names=wanted, after=after or "", limit=limit)
        return wire.KINDS.decode(wire.answer(rows))

    def counts_by(self, by: By, which: JobFilter, after: str | None, limit: int) -> Script[list[NamedCount]]:
        asked = self.narrowed("counts_by", which, after=after, limit=limit)
        rows = yield asked._replace(text=asked.text.replace("{by}", by))
        return wire.utc_all(wire.NAMED_COUNTS.decode(wire.answer(rows)))

    def worker_counts(self, which: JobFilter, after: str | None, limit: int) -> Script[list[WorkerCount]]:
        rows = yield self.narrowed("worker_counts", which, after=after or "", limit=limit)
        return [wire.worker_count(row) for row in wire.WORKERS.decode(wire.answer(rows))]

    def key_page(self, before: str | None, limit: int) -> Script[list[Key]]:
        if before is not None and not wire.ids([before]):
            return []
        rows = yield self.look("key_page", before=before, limit=limit)
        return wire.utc_all(wire.CREDENTIALS.decode(wire.answer(rows)))
