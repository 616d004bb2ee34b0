"""The verbs of the memory store that read a page of what may be long."""

from collections.abc import Collection
from itertools import islice

from msgspec.structs import replace

from tenure.core import lease
from tenure.core.attempt import Attempt
from tenure.core.job_filter import JobFilter
from tenure.core.kind import Kind
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import Effect
from tenure.core.secrecy.credentials import Key
from tenure.core.states import State
from tenure.stores.memory.verbs.base import within
from tenure.stores.memory.verbs.credentials import KeyVerbs
from tenure.stores.memory.verbs.ledger import LedgerVerbs
from tenure.stores.memory.verbs.reading import ReadVerbs, grouped, is_shown
from tenure.stores.reading import By, NamedCount, WorkerCount
from tenure.stores.script import Script


class PagingVerbs(ReadVerbs, LedgerVerbs, KeyVerbs):
    """See `stores.protocol.Verbs`."""

    @within
    def having_ready(self, queues: Collection[str]) -> set[str]:
        ready = {job.queue for job in self._tables.in_state(State.READY)}.intersection(queues)
        return {queue for queue in ready if ("queue", queue) not in self._tables.pauses}

    @within
    def attempt_page(self, job_id: str, after: int | None, limit: int) -> list[Attempt]:
        history = self._tables.attempts.get(job_id, [])
        return list(islice((one for one in history if one.number > (after or 0)), limit))

    def effect_page(self, job_id: str, skip: int, limit: int, *, results: bool = True) -> Script[list[Effect]]:
        found = (yield from self.effects([job_id]))[job_id][skip : skip + limit]
        return found if results else [replace(row, result=None) for row in found]

    def checkpoint_page(self, job_id: str, after: str | None, limit: int) -> Script[list[Checkpoint]]:
        rows = yield from self.checkpoints(job_id)
        return list(islice((row for row in rows if row.name > (after or "")), limit))

    @within
    def kind_page(self, names: Collection[str] | None, after: str | None, limit: int) -> list[Kind]:
        rows = (self._tables.kind_of(name) for name in sorted(self._tables.kinds) if names is None or name in names)
        return list(islice((kind for kind in rows if kind.name > (after or "")), limit))

    @within
    def counts_by(self, by: By, which: JobFilter, after: str | None, limit: int) -> list[NamedCount]:
        counted = [job for job in self._counted(which) if getattr(job, by) > (after or "")]
        page = set(sorted({getattr(job, by) for job in counted})[:limit])
        shown = (job for job in counted if getattr(job, by) in page)
        return [
            NamedCount(name=name, state=state, jobs=len(jobs), oldest_run_at=min(job.run_at for job in jobs))
            for (name, state), jobs in grouped(shown, lambda job: (getattr(job, by), job.state))
        ]

    @within
    def worker_counts(self, which: JobFilter, after: str | None, limit: int) -> list[WorkerCount]:
        running = (job for job in self._tables.in_state(State.RUNNING) if is_shown(job, which))
        by_worker = grouped(running, lambda job: job.worker or "")
        return [
            WorkerCount(
                worker=worker,
                jobs=len(jobs),
                started_at=min(filter(None, (job.started_at for job in jobs))),
                heartbeat_at=max(filter(None, (job.heartbeat_at for job in jobs))),
                hosts=lease.hosts_of(job.holder for job in jobs),
            )
            for worker, jobs in islice((group for group in by_worker if group[0] > (after or "")), limit)
        ]

    def key_page(self, before: str | None, limit: int) -> Script[list[Key]]:
        rows = yield from self.keys()
        places = [place for place, row in enumerate(rows) if row.id == before]
        if before is not None and not places:
            return []
        first = 0 if before is None else places[0] + 1
        return rows[first : first + limit]
