"""A claim: what a worker asks of one queue, and what it is answered."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from tenure.core import defaults
from tenure.core.flow.relief import Credit, Given, after
from tenure.core.lease import Lease
from tenure.core.secrecy.sealed import KEY_MISSING, Refused


class Ability(msgspec.Struct, frozen=True):
    """One kind and version that a worker can run, and the handler version that will run it."""

    kind: str
    version: int
    runs: int


class ClaimRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One claim on one queue.

    `tokens` are fresh secrets (`limit` of them at least), made by the caller, so that a decision needs no dice.
    `after` and `owed` are the claimer's cursor: for each priority the tenant that was served last there, and how many
    slots of its turn it has not had (none where nothing is said). `credit` is its account in a queue with a relief.
    `tenants`: whose jobs alone may be taken; None is everybody's. The others have no open lane (`core.flow.fairness`).
    `only`: the id of the one job that may be taken, out of turn; the cursor stays where it is.
    `limit` counts slots: a job takes as many as its kind says. `slots`: those of the whole worker where they are more;
    a job that takes more than these is passed over, one that takes more than are free is waited for
    (`core.flow.choosing`). `counts_jobs`: `limit` counts jobs instead, whatever they take.
    """

    claim_id: str
    worker: str
    holder: str | None
    queue: str
    abilities: tuple[Ability, ...]
    limit: int
    tokens: Sequence[str]
    after: dict[int, str] = {}
    owed: dict[int, int] = {}
    credit: Credit = Credit()
    lease_seconds: float = defaults.LEASE
    tenants: tuple[str, ...] | None = None
    only: str | None = None
    slots: int = 0
    counts_jobs: bool = False

    @property
    def most_slots(self) -> int | None:
        """Of a job that the worker could ever run; None where a claim counts jobs."""
        return None if self.counts_jobs else max(self.limit, self.slots)

    @property
    def cursors(self) -> "Cursors":
        """Where it starts."""
        return Cursors(self.after, self.owed, self.credit)


class Cursors(msgspec.Struct, frozen=True):
    """`after`, `owed` and `credit` of a ClaimRequest, of one queue."""

    after: dict[int, str] = {}
    owed: dict[int, int] = {}
    credit: Credit = Credit()

    def past(self, claimed: "Claimed") -> "Cursors":
        """Where the next claim starts. Several may have been on their way at once: each adds what it dealt out."""
        return Cursors(claimed.after, claimed.owed, after(self.credit, claimed.given))


class Claimed(msgspec.Struct, frozen=True):
    """The answer to a ClaimRequest: the leases, best first, the moved cursor, and the store's instant.

    unopened: those that were taken besides, and are running no more, since their payload could not be opened.
    is_held_back: whether a limit kept jobs from being taken, so that another claim may find some as soon as one ends.
    given: what was dealt out under a relief; None in a queue without one.
    waits_for: slots that the worker must have free for the job whose turn it is; 0 where it does not wait for it.
    """

    now: datetime
    leases: tuple[Lease, ...]
    after: dict[int, str]
    owed: dict[int, int] = {}
    is_held_back: bool = False
    unopened: tuple[Refused, ...] = ()
    given: Given | None = None
    waits_for: int = 0

    @property
    def lacks_key(self) -> bool:
        """Whether a key was missing: there may be many more such jobs."""
        return any(one.code == KEY_MISSING for one in self.unopened)
