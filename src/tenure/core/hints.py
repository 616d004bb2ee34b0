"""Delivery hints: words outside the database that a job is ready. They carry no truth.

Rules of this file:

1. While a publisher is registered, each job that becomes ready leaves a hint in the transaction that made it ready. So
   a hint is there if and only if that transaction has committed, however late.
2. A publisher takes hints for a while, gives them to its callable, and only then settles them. One that dies in between
   gives them again, as another does once its time is over: at least once, never at most once.
3. A hint whose job is not ready any more is dropped. One that its callable refused is due again.
4. Whoever gets a hint asks the store: a job is taken only where the store says that it can be, so a hint that comes
   twice, late or never changes nothing but the time.
"""

from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

BATCH: Final = 100
"""Ids that a callable gets at once."""
HOLD: Final = 60.0
"""Seconds for which a publisher has the hints that it took to itself."""
LONGEST_WAIT: Final = 300.0
UNREAD: Final = 3600.0
"""Seconds after which a hint that nobody took is looked at by the pruner: its job may be long gone."""


class Woken(StrEnum):
    """What came of a hint."""

    CLAIMED = "claimed"  # it runs here now
    BUSY = "busy"  # it is ready, and this worker has no free slot; its next one looks for work at once
    CLOSED = "closed"  # it is ready, but a limit, a slowdown, its deadline or somebody's lock stands before it
    WAITING = "waiting"  # it is scheduled or blocked: not its time
    RUNNING = "running"  # somebody has it
    ENDED = "ended"  # it has succeeded, failed or been cancelled
    UNKNOWN = "unknown"  # there is no such job
    FOREIGN = "foreign"  # this worker does not serve its queue, or cannot run its kind and version
    LOOKING = "looking"  # the jobs are kept by a service: this worker asks it for work now, in the common order
    NO_WORKER = "no_worker"  # no worker of this application runs in this process


class Hint(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `tenure_hints`: a job that has become ready. due_at: when a publisher may take it. token: of the one
    that has it. refusals: how often the callable has failed with it, error: the last time."""

    job_id: str
    due_at: datetime
    refusals: int = 0
    token: str | None = None
    error: str | None = None


COLUMNS: Final[tuple[str, ...]] = Hint.__struct_fields__
"""The columns of `tenure_hints`."""


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What a publisher took: `hints` are ids of ready jobs with the times that their callable refused them. dropped:
    how many were not ready any more. is_on: whether hints are made in this database at all."""

    now: datetime
    is_on: bool
    hints: tuple[tuple[str, int], ...]
    dropped: int = 0


class Backlog(msgspec.Struct, frozen=True, kw_only=True):
    """What waits for a publisher. due: hints that nobody has taken, up to 100,000; oldest_due_at: of the first of them.

    refused: hints whose callable failed the last time; error: of the one that it failed with most often.
    """

    now: datetime
    is_on: bool
    due: int
    oldest_due_at: datetime | None
    refused: int
    error: str | None


MOST_COUNTED: Final = 100_000


def wait_after(refusals: int) -> float:
    """Seconds before a hint that was refused alone is given again: doubling from 0.2 to 300."""
    return min(LONGEST_WAIT, 0.1 * 2.0 ** min(refusals, 20))
