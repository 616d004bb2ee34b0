"""Asks for statements: a job for each account and month, under its idempotency key."""

from dataclasses import dataclass, field
from itertools import islice

from statements.app import app, render_statement
from statements.balances import Slice, by_period
from statements.ledger import Ledger, Withheld
from statements.pdf import FORMAT
from tenure import Item, JobHandle, KeyConflict

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Refused:
    """A statement that was asked for before, from other entries. `job_id` is the job that holds its key."""

    account: str
    month: str
    job_id: str


@dataclass(slots=True)
class Asked:
    """What became of a ledger. `jobs` holds those created now and those known from before."""

    jobs: list[JobHandle] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    withheld: list[Withheld] = field(default_factory=list)

    @property
    def created(self) -> int:
        return sum(job.created for job in self.jobs)


def key_of(part: Slice) -> str:
    """The identity of a statement. Its content is not in it: a changed ledger meets the key, and is refused."""
    return f"{part.account}/{part.month}/v{FORMAT}"


def ask_for(ledger: Ledger) -> Asked:
    """Enqueues a job for each statement of the ledger that is not withheld. Raises StoreError."""
    done, withheld = ledger.periods()
    slices = by_period(ledger)
    asked = Asked(withheld=withheld)
    parts = (slices[period] for period in done)
    while batch := list(islice(parts, _BATCH)):
        _ask_for(batch, asked)
    return asked


def _ask_for(parts: list[Slice], asked: Asked) -> None:
    """All in one transaction; one by one where a key among them is held by other entries."""
    try:
        asked.jobs += app.enqueue_many([_item(part) for part in parts])
    except KeyConflict as conflict:
        if len(parts) == 1:
            asked.refused.append(Refused(parts[0].account, parts[0].month, conflict.job_id))
            return
        for part in parts:
            _ask_for([part], asked)


def _item(part: Slice) -> Item:
    bound = render_statement.using(tenant=part.account, idempotency_key=key_of(part))
    return bound.item(account=part.account, month=part.month, slice_sha256=part.sha256())
