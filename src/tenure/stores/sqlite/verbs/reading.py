"""The verbs that read."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from tenure.core.attempt import Attempt
from tenure.core.closing import Last
from tenure.core.job import Job
from tenure.core.job_filter import EVERY_JOB, JobFilter
from tenure.core.kind import Kind
from tenure.core.lease import Lease
from tenure.core.states import State
from tenure.stores.protocol import AuditLine
from tenure.stores.reading import AuditEntry, Burden, Count, Slowdown
from tenure.stores.script import Script, Statement
from tenure.stores.sqlite import rows
from tenure.stores.sqlite.filtering import conditions
from tenure.stores.sqlite.instants import instant_or_none, of_micros
from tenure.stores.sqlite.rows import json_text
from tenure.stores.sqlite.statements import sql
from tenure.stores.sqlite.verbs.base import VerbsBase

_PAST_ALL: Final = "~"
_LAST_SEQ: Final = 2**63 - 1


class ReadVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    def now(self) -> Script[datetime]:
        found = yield from self._ask("now", self._wall.micros())
        return of_micros(found[0][0])

    def digest_key(self) -> Script[bytes]:
        return bytes((yield from self._ask("meta", "digest_key"))[0][0])

    def database_id(self) -> Script[str]:
        return str((yield from self._ask("meta", "database_id"))[0][0])

    def burden(self) -> Script[Burden | None]:
        yield from ()
        return None

    def read(self, ids: Collection[str]) -> Script[dict[str, Job]]:
        found = yield from self._ask("read", json_text(list(ids)))
        return {job.id: job for job in map(rows.job_of, found)}

    def read_keys(self, keys: Collection[tuple[str, str, str]]) -> Script[dict[tuple[str, str, str], Job]]:
        found = yield from self._ask("read_keys", json_text(list(keys)))
        jobs = map(rows.job_of, found)
        return {(job.tenant, job.kind, job.idempotency_key or ""): job for job in jobs}

    def attempts(self, job_ids: Collection[str]) -> Script[dict[str, list[Attempt]]]:
        history: dict[str, list[Attempt]] = {job_id: [] for job_id in job_ids}
        for attempt in map(rows.attempt_of, (yield from self._ask("attempts", json_text(list(history))))):
            history[attempt.job_id].append(attempt)
        return history

    def last_attempts(self, job_ids: Collection[str]) -> Script[dict[str, Last]]:
        found = yield from self._ask("last_attempts", json_text(list(job_ids)))
        return {last.job_id: last for last in map(rows.last_of, found)}

    def leases(self, claim_id: str, worker: str) -> Script[list[Lease]]:
        found = yield from self._ask("leases", claim_id, worker, self._wall.micros())
        return list(map(rows.lease_of, found))

    def list_jobs(self, which: JobFilter, before: str | None, limit: int) -> Script[list[Job]]:
        narrowing, args = conditions(which)
        name = "list_running" if which.states == (State.RUNNING,) else "list_jobs"
        text = sql(name).replace("{conditions}", narrowing)
        found = yield Statement(text, (_PAST_ALL if before is None else before, *args, limit))
        return list(map(rows.job_of, found))

    def counts(self, which: JobFilter = EVERY_JOB, limit: int | None = None) -> Script[list[Count]]:
        narrowing, args = conditions(which)
        most = -1 if limit is None else limit
        found = yield Statement(sql("counts").replace("{conditions}", narrowing), (*args, most))
        return [
            Count(queue=queue, kind=kind, state=State(state), jobs=jobs, oldest_run_at=instant_or_none(oldest))
            for queue, kind, state, jobs, oldest in found
        ]

    def kinds(self) -> Script[dict[str, Kind]]:
        return {kind.name: kind for kind in map(rows.kind_of, (yield from self._ask("kinds")))}

    def slowdowns(self, kinds: Collection[str] | None = None) -> Script[list[Slowdown]]:
        wanted = None if kinds is None else json_text(list(kinds))
        found = yield from self._ask("slowdowns", self._wall.micros(), wanted)
        return [Slowdown(tenant, kind, of_micros(until), code) for tenant, kind, until, code in found]

    def audit_lines(
        self, limit: int, before: int | None = None, which: JobFilter = EVERY_JOB
    ) -> Script[list[AuditEntry]]:
        wanted = [
            None if names is None else json_text(list(names)) for names in (which.tenants, which.kinds, which.queues)
        ]
        found = yield from self._ask("audit_lines", _LAST_SEQ if before is None else before, *wanted, limit)
        return [
            AuditEntry(seq=seq, at=of_micros(at), **dict(zip(AuditLine.__struct_fields__, line, strict=True)))
            for seq, at, *line in found
        ]
