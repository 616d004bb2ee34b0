"""Expire: end the attempts whose lease has run out, and the waiting jobs whose deadline has passed."""

from collections.abc import Callable, Iterable
from datetime import datetime

import msgspec

from tenure.core import transitions
from tenure.core.job import Job
from tenure.core.states import State
from tenure.core.transitions import Transition
from tenure.operations.aware_of_newer import aware_of_newer
from tenure.operations.order import written
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Swept(msgspec.Struct, frozen=True):
    """seen: rows looked at; ended: the transitions that were applied; next_queues: of heads of order keys that are
    ready because of them."""

    now: datetime
    seen: int
    ended: tuple[Transition, ...]
    next_queues: frozenset[str] = frozenset()

    @property
    def ready_queues(self) -> frozenset[str]:
        return frozenset(t.after.queue for t in self.ended if t.after.state is State.READY) | self.next_queues


def expire_leases(
    verbs: Verbs, chance: Callable[[], float], limit: int = 100, only: str | None = None
) -> Script[Swept]:
    """One sweep of lost leases. `only`: just this job, waiting for its lock; for a batch that failed whole."""
    locked = yield from (verbs.expired(limit) if only is None else verbs.lock([only]))
    lost = [job for job in locked.jobs.values() if transitions.has_expired(job, locked.now)]
    aware = yield from aware_of_newer(verbs, lost)
    decided = [transitions.expire(aware[job.id], locked.now, chance()) for job in lost]
    return (yield from _sweep(verbs, locked.now, locked.jobs.values(), decided))


def pass_deadlines(verbs: Verbs, limit: int = 100, only: str | None = None) -> Script[Swept]:
    """One sweep of waiting jobs that can no longer start in time."""
    locked = yield from (verbs.overdue(limit) if only is None else verbs.lock([only]))
    decided = [transitions.pass_deadline(job, locked.now) for job in locked.jobs.values()]
    return (yield from _sweep(verbs, locked.now, locked.jobs.values(), [t for t in decided if t]))


def _sweep(verbs: Verbs, now: datetime, seen: Iterable[Job], decided: list[Transition]) -> Script[Swept]:
    done = yield from written(verbs, decided)
    return Swept(now, len(list(seen)), tuple(t for t in decided if t.after.id in done.applied), done.queues)
