"""Order keys: jobs of one tenant that share a key run one at a time, in the order in which they were enqueued.

Rules of this file:

1. A job that waits or runs stands in the line of its key, at its `order_place`. The head stands at HEAD, all others
   behind it in the order of their numbers; only the head is scheduled, ready or running, the others are blocked.
2. Whoever stands first becomes the head as soon as nobody is: in the transaction that ended the last one.
3. A job that succeeds or is cancelled leaves the line. One that fails leaves it where it is declared to `continue`;
   else it stays at its place, and nobody behind it moves: its key is stopped until it is redriven or cancelled. So a
   job that fails before its turn, by its deadline, stops its key when the turn comes to it, and not before.
4. A redrive of a job that has kept its place goes on from there. One that has left the line joins its tail.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from tenure.core.states import TERMINAL, State

if TYPE_CHECKING:
    from tenure.core.job import Job

HEAD: Final = 0
"""The place of the head. All others are positive."""

OrderKey = tuple[str, str]
"""(tenant, order key): what is one line."""


class OnFailure(StrEnum):
    """What becomes of the key when one of its jobs has failed for good."""

    STOP = "stop"
    CONTINUE = "continue"


def key_of(job: "Job") -> OrderKey | None:
    """The line in which a job stands; None where it is in none."""
    return None if job.order_key is None or job.order_place is None else (job.tenant, job.order_key)


def place_after(job: "Job", state: State) -> int | None:
    """The place of a job that comes to `state`."""
    if state not in TERMINAL:
        return job.order_place
    return job.order_place if state is State.FAILED and job.on_failure is OnFailure.STOP else None


def stops_its_key(job: "Job") -> bool:
    """Whether it has failed and kept its place."""
    return job.state is State.FAILED and job.order_place is not None


def gives_way(before: "Job", after: "Job") -> bool:
    """Whether it was first in its line, perhaps, and is in it no more: somebody else may be the next."""
    return before.order_place is not None and after.order_place is None and before.state is not State.BLOCKED


def next_head(line: Iterable["Job"]) -> "Job | None":
    """Who becomes the head of a line; None where there is one, or the key is stopped. line: all jobs of one key."""
    standing = [job for job in line if job.order_place is not None]
    first = min(standing, key=lambda job: (job.order_place, job.seq), default=None)
    return first if first is not None and first.state is State.BLOCKED else None


def needs_place(job: "Job") -> bool:
    """Whether a redrive must give it a new place in its line."""
    return job.order_key is not None and job.order_place is None
