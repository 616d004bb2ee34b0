"""Cancel many: what a filter means is cancelled in short batches, each a transaction; or only looked at."""

from collections import Counter
from typing import Final

import msgspec
from msgspec.structs import replace

from tenure.core import job_filter, transitions
from tenure.core.job_filter import JobFilter
from tenure.core.states import TERMINAL, State
from tenure.core.transitions import Transition
from tenure.operations.audit import of_job
from tenure.operations.order import written
from tenure.stores.protocol import Locked, Verbs
from tenure.stores.reading import Count
from tenure.stores.script import Script

BATCH: Final = 500
"""Jobs of one transaction."""

_CANCELLABLE: Final = tuple(state for state in State if state not in TERMINAL)


class CancelledBatch(msgspec.Struct, frozen=True):
    """cancelled: waiting jobs that ended. requested: running ones that were asked to stop. next: the cursor of the
    following batch, None at the end. queues: whose workers have something to do."""

    cancelled: int
    requested: int
    next: str | None
    queues: frozenset[str] = frozenset()


def preview_cancel(verbs: Verbs, which: JobFilter) -> Script[list[Count]]:
    """What waits or runs and is meant, by queue, kind and state; nothing is written. Raises InvalidInput for a filter
    that names nothing."""
    return (yield from verbs.counts(_meant(which)))


def cancel_many(
    verbs: Verbs, which: JobFilter, before: str | None = None, limit: int = BATCH, *, who: str, why: str = ""
) -> Script[CancelledBatch]:
    """One batch, newest first; `before` is `next` of the one before. Each job has its audit line.

    Raises InvalidInput for a filter that names nothing.
    """
    meant = _meant(which)
    listed = yield from verbs.list_jobs(meant, before, limit)
    if not listed:
        return CancelledBatch(0, 0, None)
    locked = yield from verbs.lock([job.id for job in listed])
    done = yield from written(verbs, moves := _decided(locked))
    happened: Counter[State] = Counter()
    for move in moves:
        if move.after.id in done.applied:
            yield from verbs.audit(of_job(move.before, who, "cancel", why))
            happened[move.after.state] += 1
    following = listed[-1].id if len(listed) == limit else None
    return CancelledBatch(happened[State.CANCELLED], happened[State.RUNNING], following, done.queues)


def _decided(locked: Locked) -> list[Transition]:
    """All at once: where jobs of one order key are cancelled together, none of them becomes its head meanwhile."""
    moves = (transitions.cancel(job, locked.now) for job in locked.jobs.values())
    return [move for move in moves if move is not None]


def _meant(which: JobFilter) -> JobFilter:
    job_filter.check_names_something(which)
    asked = _CANCELLABLE if which.states is None else which.states
    return replace(which, states=tuple(state for state in asked if state in _CANCELLABLE))
