"""What every store can be asked without writing: jobs, their history, counts, kinds, the audit."""

from collections.abc import Collection
from datetime import datetime
from typing import Literal, Protocol

import msgspec

from tenure.core.attempt import Attempt
from tenure.core.closing import Last
from tenure.core.job import Job
from tenure.core.job_filter import EVERY_JOB, JobFilter
from tenure.core.kind import Kind
from tenure.core.lease import Lease
from tenure.core.states import State
from tenure.stores.script import Script

By = Literal["tenant", "queue"]
"""What jobs are counted by."""


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """How many jobs of a queue and kind are in a state, and the oldest run_at among them."""

    queue: str
    kind: str
    state: State
    jobs: int
    oldest_run_at: datetime | None


class NamedCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many jobs of a tenant or queue are in a state, and the oldest run_at among them. name: the tenant's or
    queue's."""

    name: str
    state: State
    jobs: int
    oldest_run_at: datetime


class WorkerCount(msgspec.Struct, frozen=True, kw_only=True):
    """What runs under the name of a worker, by the rows of its running jobs: nobody keeps a list of workers.

    started_at: of the oldest attempt. heartbeat_at: the newest sign of life. hosts: that its leases name, sorted.
    """

    worker: str
    jobs: int
    started_at: datetime
    heartbeat_at: datetime
    hosts: tuple[str, ...]


class Slowdown(msgspec.Struct, frozen=True):
    """No job of (tenant, kind) is claimed before `until`: a handler reported that the dependency is throttled."""

    tenant: str
    kind: str
    until: datetime
    code: str


class Burden(msgspec.Struct, frozen=True, kw_only=True):
    """What every statement has to step over: versions of rows that an open snapshot keeps from being cleaned away.

    dead_rows: of jobs, about. oldest_snapshot: seconds that the oldest one of this database is open, as far as this
    user may see.
    """

    dead_rows: int
    oldest_snapshot: float


class AuditLine(msgspec.Struct, frozen=True, kw_only=True):
    """Who did what to which subject, and why. tenant, kind, queue: what it concerns; None is all of them."""

    who: str
    verb: str
    subject: str
    tenant: str | None = None
    kind: str | None = None
    queue: str | None = None
    why: str = ""
    detail: str = ""


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An AuditLine as it stands in the database. `seq` rises with every line."""

    seq: int
    at: datetime
    who: str
    verb: str
    subject: str
    tenant: str | None
    kind: str | None
    queue: str | None
    why: str
    detail: str


class ReadVerbs(Protocol):
    """Part of `stores.protocol.Verbs`."""

    def now(self) -> Script[datetime]:
        """The store's instant, aware UTC: the one clock that states and leases go by."""

    def digest_key(self) -> Script[bytes]:
        """The secret of this database for `core.dedupe.digest`, made with the first migration."""

    def database_id(self) -> Script[str]:
        """The random identity of this database, made with the first migration."""

    def burden(self) -> Script[Burden | None]:
        """None where readers keep nothing from being cleaned away."""

    def read(self, ids: Collection[str]) -> Script[dict[str, Job]]:
        """Jobs (tombstones too) by id, held by nobody."""

    def read_keys(self, keys: Collection[tuple[str, str, str]]) -> Script[dict[tuple[str, str, str], Job]]:
        """Jobs (tombstones too) by (tenant, kind, idempotency key)."""

    def attempts(self, job_ids: Collection[str]) -> Script[dict[str, list[Attempt]]]:
        """History by job id, oldest first; a job without any has an empty list."""

    def last_attempts(self, job_ids: Collection[str]) -> Script[dict[str, Last]]:
        """The newest attempt that has ended, by job id, of those that do not run and have one."""

    def leases(self, claim_id: str, worker: str) -> Script[list[Lease]]:
        """The live leases of one claim by one worker, in claim order."""

    def list_jobs(self, which: JobFilter, before: str | None, limit: int) -> Script[list[Job]]:
        """Newest first, by id (ids rise with time); `before` is the id of the last job of the page before."""

    def counts(self, which: JobFilter = EVERY_JOB, limit: int | None = None) -> Script[list[Count]]:
        """By queue, kind and state, the first `limit` of them; tombstones count nowhere (but lists show them)."""

    def having_ready(self, queues: Collection[str]) -> Script[set[str]]:
        """Those of the queues that are not paused and in which a job is ready, whoever may take it; one look for all
        of them."""

    def kinds(self) -> Script[dict[str, Kind]]:
        """All by name."""

    def slowdowns(self, kinds: Collection[str] | None = None) -> Script[list[Slowdown]]:
        """Those that still hold. kinds: of these alone; None is of every one."""

    def audit_lines(
        self, limit: int, before: int | None = None, which: JobFilter = EVERY_JOB
    ) -> Script[list[AuditEntry]]:
        """Newest first; `before` is the seq of the last line of the page before. which: of its tenants, kinds and
        queues; where it names some, only lines that concern one of these, else also those that concern all of them."""

    # Reading a page of what may be long: up to `limit` rows past a place, None being the beginning

    def attempt_page(self, job_id: str, after: int | None, limit: int) -> Script[list[Attempt]]:
        """A job's history, oldest first; `after` is the number of the last attempt of the page before."""

    def kind_page(self, names: Collection[str] | None, after: str | None, limit: int) -> Script[list[Kind]]:
        """By name. names: only these; None is every one."""

    def counts_by(self, by: By, which: JobFilter, after: str | None, limit: int) -> Script[list[NamedCount]]:
        """By name and state, in this order, of up to `limit` tenants or queues past `after`. It looks at every job."""

    def worker_counts(self, which: JobFilter, after: str | None, limit: int) -> Script[list[WorkerCount]]:
        """By name."""
