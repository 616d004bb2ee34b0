"""The verbs of the memory store that read."""

from collections.abc import Collection
from datetime import datetime
from itertools import islice
from typing import Any

from tenure.core import lease, transitions
from tenure.core.attempt import Attempt
from tenure.core.job import Job
from tenure.core.kind import Kind
from tenure.core.lease import Lease
from tenure.core.states import State
from tenure.stores.memory.verbs_base import VerbsBase, within
from tenure.stores.protocol import Count, JobFilter, Slowdown


class ReadingVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    @within
    def now(self) -> datetime:
        return self._tables.now()

    @within
    def digest_key(self) -> bytes:
        return self._tables.digest_key

    @within
    def database_id(self) -> str:
        return self._tables.database_id

    @within
    def read(self, ids: Collection[str]) -> dict[str, Job]:
        return self._rows(ids)

    @within
    def read_keys(self, keys: Collection[tuple[str, str, str]]) -> dict[tuple[str, str, str], Job]:
        known = self._tables.keys
        return {key: self._tables.jobs[known[key]] for key in keys if key in known}

    @within
    def attempts(self, job_ids: Collection[str]) -> dict[str, list[Attempt]]:
        return {job_id: list(self._tables.attempts.get(job_id, [])) for job_id in job_ids}

    @within
    def leases(self, claim_id: str, worker: str) -> list[Lease]:
        now = self._tables.now()
        held = [
            job
            for job in self._tables.in_state(State.RUNNING)
            if (job.claim_id, job.worker) == (claim_id, worker) and not transitions.has_expired(job, now)
        ]
        return [lease.of_job(job) for job in sorted(held, key=lambda job: job.fencing_token or 0)]

    @within
    def list_jobs(self, which: JobFilter, before: str | None, limit: int) -> list[Job]:
        newest = sorted(self._tables.jobs.values(), key=lambda job: job.id, reverse=True)
        found = (job for job in newest if (before is None or job.id < before) and _is_shown(job, which))
        return list(islice(found, limit))

    @within
    def counts(self) -> list[Count]:
        groups: dict[tuple[str, str, State], list[Job]] = {}
        for job in self._tables.jobs.values():
            if job.pruned_at is None:
                groups.setdefault((job.queue, job.kind, job.state), []).append(job)
        return [
            Count(queue=queue, kind=kind, state=state, jobs=len(jobs), oldest_run_at=min(job.run_at for job in jobs))
            for (queue, kind, state), jobs in sorted(groups.items())
        ]

    @within
    def kinds(self) -> dict[str, Kind]:
        return dict(self._tables.kinds)

    @within
    def slowdowns(self) -> list[Slowdown]:
        now = self._tables.now()
        return [slowdown for _, slowdown in sorted(self._tables.slowdowns.items()) if slowdown.until > now]

    @within
    def audit_lines(self, limit: int) -> list[dict[str, Any]]:
        return [dict(line) for line in islice(reversed(self._tables.audit), limit)]

    def _rows(self, ids: Collection[str]) -> dict[str, Job]:
        return {job_id: self._tables.jobs[job_id] for job_id in ids if job_id in self._tables.jobs}


def _is_shown(job: Job, which: JobFilter) -> bool:
    return (
        which.state in (None, job.state)
        and which.kind in (None, job.kind)
        and which.queue in (None, job.queue)
        and which.tenant in (None, job.tenant)
        and which.code in (None, job.end_code, job.last_error_code)
        and (which.tag is None or which.tag in job.tags)
    )
