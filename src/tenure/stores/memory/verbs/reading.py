"""The verbs of the memory store that read."""

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import TypeVar

from tenure.core import closing, lease, transitions
from tenure.core.attempt import Attempt
from tenure.core.closing import Last
from tenure.core.job import Job
from tenure.core.job_filter import EVERY_JOB, JobFilter
from tenure.core.kind import Kind
from tenure.core.lease import Lease
from tenure.core.states import State
from tenure.stores.memory.verbs.base import VerbsBase, within
from tenure.stores.reading import AuditEntry, Burden, Count, Slowdown

K = TypeVar("K", str, tuple[str, State], tuple[str, str, State])


class ReadVerbs(VerbsBase):
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
    def burden(self) -> Burden | None:
        return None

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
    def last_attempts(self, job_ids: Collection[str]) -> dict[str, Last]:
        found = ((job, self._tables.attempts.get(job.id, [])) for job in self._rows(job_ids).values())
        return {job.id: closing.of_attempt(past[-1]) for job, past in found if past and past[-1].number == job.attempt}

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
        found = (job for job in newest if (before is None or job.id < before) and is_shown(job, which))
        return list(islice(found, limit))

    @within
    def counts(self, which: JobFilter = EVERY_JOB, limit: int | None = None) -> list[Count]:
        groups = grouped(self._counted(which), lambda job: (job.queue, job.kind, job.state))
        return [
            Count(queue=queue, kind=kind, state=state, jobs=len(jobs), oldest_run_at=min(job.run_at for job in jobs))
            for (queue, kind, state), jobs in groups[:limit]
        ]

    def _counted(self, which: JobFilter) -> Iterator[Job]:
        return (job for job in self._tables.jobs.values() if job.pruned_at is None and is_shown(job, which))

    @within
    def kinds(self) -> dict[str, Kind]:
        return {name: self._tables.kind_of(name) for name in self._tables.kinds}

    @within
    def slowdowns(self, kinds: Collection[str] | None = None) -> list[Slowdown]:
        now = self._tables.now()
        held = (slowdown for _, slowdown in sorted(self._tables.slowdowns.items()) if slowdown.until > now)
        return [slowdown for slowdown in held if kinds is None or slowdown.kind in kinds]

    @within
    def audit_lines(self, limit: int, before: int | None = None, which: JobFilter = EVERY_JOB) -> list[AuditEntry]:
        older = (line for line in reversed(self._tables.audit) if before is None or line.seq < before)
        return list(islice((line for line in older if _concerns(line, which)), limit))

    def _rows(self, ids: Collection[str]) -> dict[str, Job]:
        return {job_id: self._tables.jobs[job_id] for job_id in ids if job_id in self._tables.jobs}


def _concerns(line: AuditEntry, which: JobFilter) -> bool:
    return (
        (which.tenants is None or line.tenant in which.tenants)
        and (which.kinds is None or line.kind in which.kinds)
        and (which.queues is None or line.queue in which.queues)
    )


def is_shown(job: Job, which: JobFilter) -> bool:
    return (
        (which.states is None or job.state in which.states)
        and (which.tenants is None or job.tenant in which.tenants)
        and (which.kinds is None or job.kind in which.kinds)
        and (which.queues is None or job.queue in which.queues)
        and which.code in (None, job.end_code, job.last_error_code)
        and (which.tag is None or which.tag in job.tags)
        and which.version in (None, job.version)
        and which.order_key in (None, job.order_key)
        and (which.ids is None or job.id in which.ids)
        and (which.since is None or (job.ended_at is not None and job.ended_at >= which.since))
        and (which.until is None or (job.ended_at is not None and job.ended_at < which.until))
    )


def grouped(jobs: Iterable[Job], place: Callable[[Job], K]) -> list[tuple[K, list[Job]]]:
    groups: dict[K, list[Job]] = {}
    for job in jobs:
        groups.setdefault(place(job), []).append(job)
    return sorted(groups.items(), key=lambda group: group[0])
