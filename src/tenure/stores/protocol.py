"""What every store can be asked, and what it guarantees.

The guarantees; `tests/conformance` holds a test of the same number for each, run against every store.

G1   One idempotency key in its scope (tenant, kind) gives one job, under any race.
G2   The same key with other arguments is refused, naming the job.
G3   An enqueue inside the caller's transaction is visible if and only if that transaction commits.
G4   Two workers never hold the same job at once while a lease is valid.
G5   Claim order: priority; inside a priority fair turns between tenants; inside a tenant run_at, then seq.
G6   Only the current token heartbeats, completes, fails, releases, snoozes, checkpoints or records effects.
G7   An acknowledged enqueue or completion survives kill -9 of every process and a crash of the server.
G8   Recovery reads the lease on the job itself; an expired lease counts against no limit.
G9   Every write is conditional and says whether it applied.
G10  One bad row never stops a batch, a promotion or a sweep: it is set aside with its reason.
G11  Retention deletes only terminal jobs past their period, and payloads of none but these; a key outlives its job's
     row as a tombstone, and a job's ledger of effects lives as long as either.
G12  All stores accept and refuse the same input, and give documents back byte for byte.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol

import msgspec

from tenure.core.attempt import Attempt, LateReport
from tenure.core.checkpoint import Checkpoint
from tenure.core.closing import Last
from tenure.core.credentials import Key
from tenure.core.effect import Effect, Standing
from tenure.core.job import Job, NewJob
from tenure.core.job_filter import EVERY_JOB, JobFilter
from tenure.core.kind import Kind
from tenure.core.lease import Beat, BeatAnswer, Claimed, ClaimRequest, Lease
from tenure.core.reports import Completion
from tenure.core.retention import Retention
from tenure.core.states import State
from tenure.core.transitions import Transition
from tenure.stores.redriving import RedriveVerbs
from tenure.stores.script import Script, T

Channel = Literal["producer", "claim", "heartbeat", "upkeep"]
"""Which of a store's own connections a script takes. The worker's channels are reserved: nobody can starve them."""


By = Literal["tenant", "queue"]
"""What jobs are counted by."""


class Inserted(msgspec.Struct, frozen=True):
    """Which of the new jobs are rows now: `created` maps their id to their seq. The others met a known key or id."""

    now: datetime
    created: dict[str, int]


class Locked(msgspec.Struct, frozen=True):
    """Rows held for the rest of the transaction, and the store's instant."""

    now: datetime
    jobs: dict[str, Job]


class HeldEffect(msgspec.Struct, frozen=True):
    """A row of the ledger, held for the rest of the transaction, or None; and the store's instant."""

    now: datetime
    effect: Effect | None


class Promoted(msgspec.Struct, frozen=True):
    """count: jobs made ready. queues: theirs. next_run_at: when the next one is due."""

    now: datetime
    count: int
    queues: frozenset[str]
    next_run_at: datetime | None


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """How many jobs of a queue and kind are in a state, and the oldest run_at among them."""

    queue: str
    kind: str
    state: State
    jobs: int
    oldest_run_at: datetime | None


class NamedCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many jobs of a tenant or queue are in a state, and the oldest run_at among them. name: the tenant's or queue's."""

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


class Verbs(RedriveVerbs, Protocol):
    """The scripts of one database. Each method's name is what it asks; none decides."""

    # Reading

    def now(self) -> Script[datetime]: ...
    def digest_key(self) -> Script[bytes]:
        """The secret of this database for `core.dedupe.digest`, made with the first migration."""

    def database_id(self) -> Script[str]:
        """The random identity of this database, made with the first migration."""

    def burden(self) -> Script[Burden | None]:
        """None where readers keep nothing from being cleaned away."""

    def read(self, ids: Collection[str]) -> Script[dict[str, Job]]: ...
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
        """Those of the queues in which a job is ready, whoever may take it; one look for all of them."""

    def kinds(self) -> Script[dict[str, Kind]]: ...
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

    def effect_page(self, job_id: str, skip: int, limit: int, *, results: bool = True) -> Script[list[Effect]]:
        """A job's ledger in the order of name and key, without the first `skip` rows: the key is no place, since not
        everybody may see it. The ledger only grows; a row that comes between shifts those behind it.
        results: whether they are read too; else they are None."""

    def checkpoint_page(self, job_id: str, after: str | None, limit: int) -> Script[list[Checkpoint]]:
        """By name; `after` is the last of the page before."""

    def kind_page(self, names: Collection[str] | None, after: str | None, limit: int) -> Script[list[Kind]]:
        """By name. names: only these; None is every one."""

    def counts_by(self, by: By, which: JobFilter, after: str | None, limit: int) -> Script[list[NamedCount]]:
        """By name and state, in this order, of up to `limit` tenants or queues past `after`. It looks at every job."""

    def worker_counts(self, which: JobFilter, after: str | None, limit: int) -> Script[list[WorkerCount]]:
        """By name."""

    def key_page(self, before: str | None, limit: int) -> Script[list[Key]]:
        """As `keys`; `before` is the id of the last key of the page before."""

    # Writing

    def insert(self, jobs: Sequence[NewJob], *, apart: bool = False) -> Script[Inserted]:
        """G1. Rows for the jobs whose id and key are free, in sorted key order; the instant decides READY or
        SCHEDULED. A job twice in one batch is inserted once. Rivals' uncommitted rows are waited for. Commits
        by itself when it is one job, and when they are apart: each is to stay whatever becomes of the others."""

    def lock(self, ids: Collection[str]) -> Script[Locked]:
        """The rows, held until the transaction ends; waits for those that others hold."""

    def claim(self, request: ClaimRequest) -> Script[Claimed]:
        """G4, G5: the steps of `core.fairness` until the slots are full or nothing is left. Sets `running` by
        itself, exactly as `core.transitions.claim` would. Commits by itself."""

    def complete(self, completions: Sequence[Completion]) -> Script[list[str]]:
        """G6: running → succeeded for each token that stands, with its history row, exactly as
        `core.transitions.complete` would; the ids that it did so for. Jobs whose policy names required effects are
        left out: they are decided under their lock. Commits by itself."""

    def complete_and_claim(
        self, completions: Sequence[Completion], request: ClaimRequest
    ) -> Script[tuple[list[str], Claimed]]:
        """Both in one round trip where the store can. Commits by itself."""

    def heartbeat(self, beats: Sequence[Beat]) -> Script[list[BeatAnswer]]:
        """G6: renews the leases whose token stands and which have not expired, by `core.lease.expires_at`; an
        answer for each beat. Rows that a transaction holds are skipped, and held. Commits by itself."""

    def apply(self, transitions: Sequence[Transition]) -> Script[set[str]]:
        """G9: writes each `after`, and the attempt's row, where the row still has `before`'s revision; the ids
        that it did so for."""

    def note_late(self, reports: Mapping[tuple[str, int], LateReport]) -> Script[None]:
        """Late reports by (job id, attempt number), each where none stands yet."""

    def expired(self, limit: int) -> Script[Locked]:
        """G8: running rows whose lease has ended, held; rows that others hold are skipped."""

    def overdue(self, limit: int) -> Script[Locked]:
        """Waiting rows whose deadline has passed, held; rows that others hold are skipped."""

    def due(self, limit: int) -> Script[Locked]:
        """Scheduled rows that are due, held; rows that others hold are skipped. For promotion one by one."""

    def promote(self, limit: int) -> Script[Promoted]:
        """scheduled → ready for up to `limit` due rows, exactly as `core.transitions.promote` would."""

    def prune(self, retention: Retention, limit: int) -> Script[int]:
        """G11: up to `limit` rows deleted or made tombstones, as `core.retention` says; how many. Slowdowns that
        are over go too, uncounted."""

    def expire_payloads(self, retention: Retention, limit: int) -> Script[int]:
        """G11: takes the payload from up to `limit` ended rows, as `core.retention` says; from how many."""

    def put_kinds(self, kinds: Iterable[Kind], *, replace: bool) -> Script[None]:
        """Inserts missing kinds; of those that stand, adds the versions, and with `replace` writes the rest too."""

    def slow_down(self, slowdown: Slowdown) -> Script[None]:
        """Of two for one (tenant, kind) the later end stands."""

    def clear_slowdown(self, tenant: str, kind: str) -> Script[bool]:
        """Whether there was one that still held."""

    def audit(self, line: AuditLine) -> Script[None]: ...
    def touch(self) -> Script[None]:
        """Writes what nobody reads, about as much as a job, so that a database that takes no writes says so."""

    # Effects and checkpoints

    def effects(self, job_ids: Collection[str]) -> Script[dict[str, list[Effect]]]:
        """The ledger by job id, in the order of name and key; a job without any has an empty list."""

    def open_effects(self, tenants: Collection[str] | None, limit: int) -> Script[list[Effect]]:
        """Those that are pending or uncertain, the longest untouched first. tenants: None is everybody's."""

    def effect_count(self, job_id: str) -> Script[int]: ...

    def effect_standings(self, job_id: str) -> Script[list[Standing]]:
        """All of a job, in the order of name and key."""

    def effect_of_call(self, job_id: str, name: str, request_id: str) -> Script[Effect | None]:
        """The job's effect whose newest call has this request id."""

    def effect(self, tenant: str, name: str, key: str) -> Script[HeldEffect]: ...

    def write_effect(self, before: Effect | None, after: Effect) -> Script[bool]:
        """G9: where the row still has `before`'s revision, or, with None, where there is none; whether it did so."""

    def checkpoints(self, job_id: str) -> Script[list[Checkpoint]]:
        """By name."""

    def write_checkpoint(self, checkpoint: Checkpoint) -> Script[None]:
        """In the place of an earlier one of this name. The caller holds the job's row."""

    # Credentials

    def put_key(self, key: Key) -> Script[bool]:
        """False, and nothing written: a key that is not revoked has the name, or one has the id or the hash."""

    def key_by_hash(self, hash: str) -> Script[Key | None]:  # noqa: A002 (the column's name)
        """The key, be it revoked or expired."""

    def key(self, key_id: str) -> Script[Key | None]:
        """The key, be it revoked or expired."""

    def keys(self) -> Script[list[Key]]:
        """Newest first, revoked and expired ones too."""

    def revoke_key(self, key_id: str) -> Script[Key | None]:
        """Revoked at the store's instant. None, and nothing written: no key has this id, or it was revoked before."""


class Listener(Protocol):
    """One waiter for wake-ups. A wake-up is a hint and carries no truth."""

    def wait(self, seconds: float) -> bool:
        """Sleeps until a hint for a watched queue comes (True) or the time is over (False)."""

    def wake(self) -> None:
        """Ends a `wait` from another thread."""

    def close(self) -> None: ...


class Store(Protocol):
    """A database with its own connections."""

    @property
    def url(self) -> str: ...
    @property
    def verbs(self) -> Verbs: ...
    @property
    def claim_lanes(self) -> int:
        """How many scripts of the channel `claim` it runs side by side."""

    @property
    def gathers_submissions(self) -> bool:
        """Whether what coroutines submit at the same moment is best sent in one script. Where there are many writers it
        is not: one that waits for a rival's lock would hold up the others."""

    def open(self) -> None:
        """Connects, and checks the schema. Raises StoreUnavailable, SchemaTooOld, SchemaTooNew, SchemaChanged.
        An empty SQLite database is migrated by itself."""

    def close(self) -> None: ...

    def run(self, script: Script[T], channel: Channel = "producer") -> T:
        """Runs a script as one transaction (but for statements that commit by themselves). Safe from any
        thread. Raises StoreUnavailable, StoreBusy, RetryTransaction; then nothing of it is stored, or, after an
        ambiguous commit, it may be: every operation can be repeated."""

    async def arun(self, script: Script[T], channel: Channel = "producer") -> T: ...

    def migrate(self) -> list[str]:
        """Applies the missing migrations, one transaction each; their names."""

    def announce(self, queues: Collection[str]) -> None:
        """Hints to whoever waits that these queues have ready jobs. Called after the commit; never raises."""

    def listen(self, queues: Collection[str]) -> Listener: ...

    def reconnect(self, channel: Channel) -> None:
        """Drops the channel's connection, so that its next script takes a fresh one. Never raises."""
