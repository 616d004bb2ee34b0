"""Supersession: of the jobs of one key at most one waits, the newest. Older ones give way to it.

The key's scope is (tenant, kind). An older job that waits is cancelled, `superseded`, in the transaction that inserts
the newer one; one that has failed is not redriven any more; one that runs may complete, and any other end makes it
cancelled, `superseded`. The newer one counts for nothing where its id or idempotency key is known.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from tenure.core import dedupe, intake, retry
from tenure.core.flow.newer_job import NewerJob
from tenure.core.flow.supersession_policy import ordered
from tenure.core.job import Job, NewJob, Policy
from tenure.core.states import WAITING, State
from tenure.core.transitions import Transition, supersede

Standing = tuple[str, str, str]
"""(tenant, kind, supersession key): where at most one stands that waits, or could again."""

MAX_WAITS: Final = 10
"""The longest wait of a burst, in debounces, where nothing is said."""


class Step(msgspec.Struct, frozen=True):
    """superseded: what becomes of those that stand. new: what to insert."""

    superseded: list[Transition]
    new: list[NewerJob]


def standing_of(job: Job | NewerJob) -> Standing:
    """Raises ValueError for a job without a key."""
    if job.supersession_key is None:
        raise ValueError(f"job {job.id} has no supersession key")
    return job.tenant, job.kind, job.supersession_key


def stands(job: Job) -> bool:
    """Whether it holds its key: it waits, or has failed and could be redriven. No two of one key do."""
    is_open = job.state in WAITING or (job.state is State.FAILED and job.pruned_at is None)
    return job.supersession_key is not None and job.superseded_by is None and is_open


def step(jobs: Sequence[NewerJob], held: Iterable[Job], now: datetime) -> Step:
    """What `jobs`, in their order, make of those that stand at their keys: of one key the last one stands from here.

    held: the rows that stand, in the hands of this transaction.
    """
    newest = {standing_of(job): job.id for job in jobs}
    older = {standing_of(row): row for row in held}
    moves = [supersede(row, now, newest[place]) for place, row in older.items() if place in newest]
    return Step([move for move in moves if move is not None], [_settled(job, newest, older, now) for job in jobs])


def _settled(job: NewerJob, newest: Mapping[Standing, str], older: Mapping[Standing, Job], now: datetime) -> NewerJob:
    """The job with its instants, and with whom it takes the place of and gives its own to."""
    place = standing_of(job)
    before, last = older.get(place), newest[place]
    burst_at = _burst_at(before, now)
    return msgspec.structs.replace(
        job,
        run_at=_due(job, before, burst_at, now),
        delay=None,
        burst_at=burst_at,
        supersedes=None if before is None or job.id != last else before.id,
        superseded_by=None if job.id == last else last,
    )


def _burst_at(older: Job | None, now: datetime) -> datetime:
    """When the first of the burst was enqueued. What was begun, or has failed, had its turn: a new burst begins."""
    if older is None or older.state not in WAITING or older.attempt > older.returns:
        return now
    return older.burst_at or now


def _due(job: NewerJob, older: Job | None, burst_at: datetime, now: datetime) -> datetime:
    """When it runs. One that is due at once keeps the place in line of the one that gave way: else a job that is
    superseded often would never have its turn."""
    if job.policy.debounce is not None:
        quiet = retry.later(now, job.policy.debounce)
        due = min(quiet, retry.later(burst_at, longest_wait(job.policy)))
        return due if job.run_at is None else max(due, job.run_at)  # put off since its queue is full, or a slot's
    due = intake.run_at(job, now)
    says_when = job.run_at is not None or job.delay is not None
    return due if says_when or older is None or older.state not in WAITING else min(due, older.run_at)


def longest_wait(policy: Policy) -> float:
    """Seconds after which a debounced job runs, however many newer ones come."""
    return policy.max_wait if policy.max_wait is not None else MAX_WAITS * (policy.debounce or 0.0)


def key_of(secret: bytes, kind: str, supersede_by: Sequence[str], sent: Mapping[str, Any]) -> str:
    """The key that the members `supersede_by` of a payload make; one that is left out counts as null.

    A keyed digest (`core.dedupe`): a payload that rests encrypted cannot be guessed from it.
    """
    return dedupe.digest(secret, kind, [sent.get(name) for name in supersede_by])


def newer(new: NewJob, key: str) -> NewerJob:
    """The same job under a supersession key. Raises InvalidInput for one with an order key."""
    if new.order_key is not None:
        raise ordered()
    return NewerJob(**msgspec.structs.asdict(new), supersession_key=key)
