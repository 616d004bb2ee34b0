"""The scripts that read."""

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import Any

import msgspec

from tenure.core.attempt import Attempt
from tenure.core.closing import Last
from tenure.core.job import Job
from tenure.core.job_filter import EVERY_JOB, JobFilter
from tenure.core.kind import Kind
from tenure.core.lease import Lease, of_job
from tenure.stores.postgres import filtering, statements, wire
from tenure.stores.reading import AuditEntry, Burden, Count, Slowdown
from tenure.stores.script import Script, Statement


class Asking:
    """Makes statements. `clock` (tests) answers the instant that stands in for the database's own."""

    def __init__(self, clock: Callable[[], datetime] | None = None) -> None:
        self.clock = clock

    def ask(self, name: str, *, commits: bool = False, **fields: Any) -> Statement:
        """The statement of `sql/<name>.sql` with `fields` and the instant as its JSON parameter."""
        return Statement(statements.text(name), self._parameter(fields), commits)

    def _parameter(self, fields: dict[str, Any]) -> tuple[str]:
        if self.clock is not None:
            fields["now"] = self.clock()
        return (wire.encode(fields).decode(),)

    def look(self, name: str, **fields: Any) -> Statement:
        """A statement that only reads: by itself it needs no transaction around it."""
        return self.ask(name, commits=True, **fields)


class Narrowing(Asking):
    def narrowed(self, name: str, which: JobFilter, **fields: Any) -> Statement:
        """A statement that only reads, for the jobs of a filter."""
        states = None if which.states is None else frozenset(which.states)
        told = msgspec.structs.asdict(which) | fields
        if which.ids is not None:
            told["ids"] = wire.ids(which.ids)
        text = filtering.narrowed(name, states, filtering.said(which))
        return Statement(text, self._parameter(told), commits=True)


class ReadVerbs(Narrowing):
    def now(self) -> Script[datetime]:
        rows = yield self.look("now")
        return wire.INSTANT.decode(wire.answer(rows)).astimezone(UTC)

    def digest_key(self) -> Script[bytes]:
        rows = yield self.look("meta")
        return wire.META.decode(wire.answer(rows)).digest_key.encode()

    def database_id(self) -> Script[str]:
        rows = yield self.look("meta")
        return wire.META.decode(wire.answer(rows)).database_id

    def burden(self) -> Script[Burden | None]:
        rows = yield self.look("burden")
        return wire.BURDEN.decode(wire.answer(rows))

    def read(self, ids: Collection[str]) -> Script[dict[str, Job]]:
        rows = yield self.look("read", ids=wire.ids(ids))
        return wire.by_id(wire.JOBS.decode(wire.answer(rows)))

    def read_keys(self, keys: Collection[tuple[str, str, str]]) -> Script[dict[tuple[str, str, str], Job]]:
        wanted = [{"tenant": tenant, "kind": kind, "idempotency_key": key} for tenant, kind, key in keys]
        rows = yield self.look("read_keys", keys=wanted)
        jobs = wire.utc_all(wire.JOBS.decode(wire.answer(rows)))
        return {(job.tenant, job.kind, str(job.idempotency_key)): job for job in jobs}

    def attempts(self, job_ids: Collection[str]) -> Script[dict[str, list[Attempt]]]:
        rows = yield self.look("attempts", ids=wire.ids(job_ids))
        history: dict[str, list[Attempt]] = {job_id: [] for job_id in job_ids}
        for attempt in wire.utc_all(wire.ATTEMPTS.decode(wire.answer(rows))):
            history[attempt.job_id].append(attempt)
        return history

    def last_attempts(self, job_ids: Collection[str]) -> Script[dict[str, Last]]:
        rows = yield self.look("last_attempts", ids=wire.ids(job_ids))
        return {last.job_id: last for last in wire.utc_all(wire.LAST_ATTEMPTS.decode(wire.answer(rows)))}

    def leases(self, claim_id: str, worker: str) -> Script[list[Lease]]:
        rows = yield self.look("leases", claim_id=claim_id, worker=worker)
        return [of_job(job) for job in wire.utc_all(wire.JOBS.decode(wire.answer(rows)))]

    def list_jobs(self, which: JobFilter, before: str | None, limit: int) -> Script[list[Job]]:
        rows = yield self.narrowed("list_jobs", which, before=before, limit=limit)
        return wire.utc_all(wire.JOBS.decode(wire.answer(rows)))

    def counts(self, which: JobFilter = EVERY_JOB, limit: int | None = None) -> Script[list[Count]]:
        rows = yield self.narrowed("counts", which, limit=limit)
        return wire.utc_all(wire.COUNTS.decode(wire.answer(rows)))

    def kinds(self) -> Script[dict[str, Kind]]:
        rows = yield self.look("kinds")
        return {kind.name: kind for kind in wire.KINDS.decode(wire.answer(rows))}

    def slowdowns(self, kinds: Collection[str] | None = None) -> Script[list[Slowdown]]:
        rows = yield self.look("slowdowns", kinds=None if kinds is None else list(kinds))
        return wire.utc_all(wire.SLOWDOWNS.decode(wire.answer(rows)))

    def audit_lines(
        self, limit: int, before: int | None = None, which: JobFilter = EVERY_JOB
    ) -> Script[list[AuditEntry]]:
        wanted = {"tenants": which.tenants, "kinds": which.kinds, "queues": which.queues}
        rows = yield self.look("audit_lines", limit=limit, before=before, **wanted)
        return wire.utc_all(wire.ENTRIES.decode(wire.answer(rows)))
