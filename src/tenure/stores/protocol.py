"""What every store can be asked, and what it guarantees.

The guarantees; `tests/conformance` holds a test of the same number for each, run against every store.

G1   One idempotency key in its scope (tenant, kind) gives one job, under any race.
G2   The same key with other arguments is refused, naming the job.
G3   An enqueue inside the caller's transaction is visible if and only if that transaction commits.
G4   Two workers never hold the same job at once while a lease is valid.
G5   Claim order: priority; inside a priority fair turns between tenants; inside a tenant run_at, then seq.
     A queue with a relief gives some of the slots to lower priorities first (`core.flow.relief`).
G6   Only the current token heartbeats, completes, fails, releases, snoozes, checkpoints or records effects.
G7   An acknowledged enqueue or completion survives kill -9 of every process and a crash of the server.
G8   Recovery reads the lease on the job itself; an expired lease counts against no limit.
G9   Every write is conditional and says whether it applied.
G10  One bad row never stops a batch, a promotion or a sweep: it is set aside with its reason.
G11  Retention deletes only terminal jobs past their period, and payloads of none but these; a key outlives its job's
     row as a tombstone, and a job's ledger of effects lives as long as either.
G12  All stores accept and refuse the same input, and give documents back byte for byte, sealed at rest or not.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol

import msgspec

from tenure.core.attempt import LateReport
from tenure.core.claim import Claimed, ClaimRequest
from tenure.core.job import Job, NewJob
from tenure.core.kind import Kind
from tenure.core.lease import Beat, BeatAnswer
from tenure.core.reports import Completion
from tenure.core.retention import Retention
from tenure.core.secrecy.secret_fields import SecretFields
from tenure.core.transitions import Transition
from tenure.stores.admitting import AdmissionVerbs
from tenure.stores.credentials import KeyVerbs
from tenure.stores.held import Inserted as Inserted
from tenure.stores.held import Locked as Locked
from tenure.stores.hinting import HintVerbs
from tenure.stores.ledger import LedgerVerbs
from tenure.stores.limiting import LimitVerbs
from tenure.stores.ordering import OrderVerbs
from tenure.stores.pausing import PauseVerbs
from tenure.stores.pool import PoolWait as PoolWait
from tenure.stores.pool import Room as Room
from tenure.stores.reading import AuditLine as AuditLine
from tenure.stores.reading import ReadVerbs, Slowdown
from tenure.stores.redriving import RedriveVerbs
from tenure.stores.resealing import ResealVerbs
from tenure.stores.scheduling import ScheduleVerbs
from tenure.stores.script import Script, T
from tenure.stores.sealing.keyring import Keyring
from tenure.stores.superseding import SupersedeVerbs

Channel = Literal["producer", "claim", "heartbeat", "upkeep"]
"""Which of a store's own connections a script takes. The worker's channels are reserved: nobody can starve them."""


class Promoted(msgspec.Struct, frozen=True):
    """count: jobs made ready. queues: theirs. next_run_at: when the next one is due."""

    now: datetime
    count: int
    queues: frozenset[str]
    next_run_at: datetime | None


class Verbs(
    ReadVerbs,
    LedgerVerbs,
    KeyVerbs,
    RedriveVerbs,
    ResealVerbs,
    HintVerbs,
    ScheduleVerbs,
    PauseVerbs,
    LimitVerbs,
    AdmissionVerbs,
    SupersedeVerbs,
    OrderVerbs,
    Protocol,
):
    """The scripts of one database. Each method's name is what it asks; none decides."""

    def insert(self, jobs: Sequence[NewJob], *, apart: bool = False) -> Script[Inserted]:
        """G1. Rows for the jobs whose id and key are free, in sorted key order; the instant decides READY or
        SCHEDULED; those of order keys are BLOCKED until they are lined up. A job twice in one batch is inserted once.
        Rivals' uncommitted rows are waited for. Commits by itself when it is one job, and when they are apart: each is
        to stay whatever becomes of the others; never where one has an order key."""

    def lock(self, ids: Collection[str]) -> Script[Locked]:
        """The rows, held until the transaction ends; waits for those that others hold."""

    def claim(self, request: ClaimRequest) -> Script[Claimed]:
        """G4, G5: the steps of `core.flow.fairness` until the slots are full or nothing is left. Sets `running` by
        itself, exactly as `core.transitions.claim` would. Of `only` one job that one alone, out of turn. Commits by
        itself."""

    def complete(self, completions: Sequence[Completion]) -> Script[list[str]]:
        """G6: running → succeeded for each token that stands, with its history row, exactly as
        `core.transitions.complete` would; the ids that it did so for. Jobs whose policy names required effects are
        left out, and those of order keys: they are decided under their lock. Commits by itself."""

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
        """Inserts missing kinds; of those that stand, adds the versions and the secret fields, and with `replace`
        writes the rest too. The concurrency of what it writes is declared, as `core.flow.limits.declared`."""

    def set_secret_fields(self, name: str, secret: SecretFields) -> Script[bool]:
        """Has a kind keep these fields secret and no others; whether it is there."""

    def slow_down(self, slowdown: Slowdown) -> Script[None]:
        """Of two for one (tenant, kind) the later end stands."""

    def clear_slowdown(self, tenant: str, kind: str) -> Script[bool]:
        """Whether there was one that still held."""

    def audit(self, line: AuditLine) -> Script[None]:
        """Writes the line at the store's instant, in the transaction of what it tells of."""

    def touch(self) -> Script[None]:
        """Writes what nobody reads, about as much as a job, so that a database that takes no writes says so."""


class Listener(Protocol):
    """One waiter for wake-ups. A wake-up is a hint and carries no truth."""

    def wait(self, seconds: float) -> bool:
        """Sleeps until a hint for a watched queue comes (True) or the time is over (False)."""

    def wake(self) -> None:
        """Ends a `wait` from another thread."""

    def close(self) -> None:
        """Hears nothing more."""


def silent(said: str) -> None:
    """Where nobody wants to hear how a migration gets on."""


class Store(Protocol):
    """A database with its own connections."""

    @property
    def url(self) -> str:
        """The URL that it was made with."""

    @property
    def verbs(self) -> Verbs:
        """What can be asked of it, as scripts for `run` and `arun`."""

    @property
    def keyring(self) -> Keyring | None:
        """What its verbs seal and open documents with; None: they rest as they are."""

    @property
    def claim_lanes(self) -> int:
        """How many scripts of the channel `claim` it runs side by side."""

    @property
    def gathers_submissions(self) -> bool:
        """Whether what coroutines submit at the same moment is best sent in one script. Where there are many writers it
        is not: one that waits for a rival's lock would hold up the others."""

    @property
    def pool(self) -> int | None:
        """How many connections the channel `producer` has at most; None where it has none of its own."""

    def resize(self, size: int) -> bool:
        """Has the pool have `size` connections at most; False, and nothing is done, where its size was said."""

    def waiting(self) -> PoolWait:
        """Who waits for a connection of the pool now. Asks nobody."""

    def room(self) -> Room | None:
        """What the server gives; None where nothing bounds connections, or a pooler stands between. Raises
        StoreError."""

    def open(self) -> None:
        """Connects, and checks the schema. Raises StoreUnavailable, SchemaTooOld, SchemaTooNew, SchemaChanged.
        An empty SQLite database is migrated by itself."""

    def close(self) -> None:
        """Gives up its connections and threads."""

    def run(self, script: Script[T], channel: Channel = "producer") -> T:
        """Runs a script as one transaction (but for statements that commit by themselves). Safe from any
        thread. Raises StoreUnavailable, StoreBusy, RetryTransaction; then nothing of it is stored, or, after an
        ambiguous commit, it may be: every operation can be repeated."""

    async def arun(
        self, script: Script[T], channel: Channel = "producer", *, abandoned: Callable[[T], object] | None = None
    ) -> T:
        """The async twin of `run`. abandoned: given the answer where whoever waited was cancelled and the script was
        done all the same; called from any thread, it must neither block nor raise."""

    def insert_alone(self, job: NewJob) -> Callable[[], Job] | None:
        """`verbs.insert` of one plain job that is due at once, as a transaction by itself, where there is a shorter way
        than by a script; what makes its row for who asks. None where there is none now, or nothing was inserted: the
        script says why. Safe from any thread. Raises as `run`."""

    def migrate(self, tell: Callable[[str], None] = silent) -> list[str]:
        """Applies the missing migrations, step by step, beside whoever works; the names of what was applied here. tell:
        hears of each step before it begins. Raises SchemaChanged, SchemaTooNew, StoreUnavailable, StoreBusy,
        StoreError, Misconfigured; what was done before stays, and the next call goes on from there."""

    def announce(self, queues: Collection[str]) -> None:
        """Hints to whoever waits that these queues have ready jobs (`core.flow.place.EVERY_QUEUE`: that any may).
        Called after the commit; never raises."""

    def listen(self, queues: Collection[str]) -> Listener:
        """A waiter for hints about these queues, with a connection of its own where the database sends them."""
