"""Advance a schedule: decide on the slots that have passed, enqueue their jobs, and move on, in one transaction."""

from datetime import datetime
from typing import Final

import msgspec

from tenure.core.errors import Conflict
from tenure.core.job import NewJob
from tenure.core.kind import Kind
from tenure.core.scheduling import occurrence, schedules
from tenure.core.scheduling.schedule import Cause, Flag, Overlap, Schedule, Skip
from tenure.core.scheduling.schedules import Plan
from tenure.core.secrecy.sealed import is_sealed
from tenure.core.states import TERMINAL
from tenure.operations.enqueue import Enqueued, enqueue_each
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

_UNREADABLE: Final = (ValueError, TypeError, KeyError, OverflowError, msgspec.MsgspecError)
"""What a rule or payload raises that this process cannot read, though somebody stored it."""


class Advanced(msgspec.Struct, frozen=True):
    """schedule: as it stands now, None where there is none or somebody else holds it. made: the ids of its new jobs.
    queues: whose workers have something to do. is_news: whether its flag was set just now."""

    schedule: Schedule | None = None
    made: tuple[str, ...] = ()
    queues: frozenset[str] = frozenset()
    is_news: bool = False


def advance_schedule(verbs: Verbs, tenant: str, name: str, digest_key: bytes) -> Script[Advanced]:
    """Safe from any number of schedulers: whoever comes second finds the row as the first has left it.

    digest_key: the database's. Raises RetryTransaction.
    """
    held = yield from verbs.take_schedule(tenant, name)
    if held.schedule is None:
        return Advanced()
    return (yield from advance_held(verbs, held.schedule, held.now, digest_key))


def advance_held(verbs: Verbs, before: Schedule, now: datetime, digest_key: bytes) -> Script[Advanced]:
    """before: its row, which this transaction holds."""
    if not _has_something(before, now):
        return Advanced(before)
    open_jobs = yield from _open_jobs(verbs, before)
    kinds = yield from verbs.kind_page([before.kind], "", 1)
    try:
        plan = schedules.planned(before, open_jobs, now)
        if kinds:
            jobs = [_due(before, kinds[0], at, digest_key) for at in plan.fire]
        else:
            plan, jobs = schedules.not_fired(before, plan, Skip.UNKNOWN_KIND, now), []
    except _UNREADABLE:
        plan, jobs = Plan((), (), schedules.flagged(before, Flag.BROKEN)), []
    after = schedules.with_jobs(plan.after, [job.id for job in jobs])
    if after == before and not plan.rows:
        return Advanced(before)
    written = schedules.written(before, after, now)
    if not (yield from verbs.write_schedule(before, written)):
        return Advanced()
    made = yield from _enqueued(verbs, before, plan, jobs, now)
    return Advanced(written, made, frozenset({before.queue} if made else ()), written.flag not in (None, before.flag))


def _has_something(schedule: Schedule, now: datetime) -> bool:
    if is_sealed(schedule.payload):  # whoever has the key decides
        return False
    is_due = schedule.next_at is not None and schedule.next_at <= now
    return is_due or (schedule.waiting_at is not None and schedule.paused_at is None)


def _open_jobs(verbs: Verbs, schedule: Schedule) -> Script[list[str]]:
    """Those that have not ended; where nobody asks for it, all that it remembers."""
    if schedule.overlap is Overlap.ALLOW or not schedule.open_jobs:
        return list(schedule.open_jobs)
    jobs = yield from verbs.read(schedule.open_jobs)
    return [job_id for job_id in schedule.open_jobs if job_id in jobs and jobs[job_id].state not in TERMINAL]


def _due(schedule: Schedule, kind: Kind, at: datetime, digest_key: bytes) -> NewJob:
    new_id = occurrence.job_id(schedule, at)
    return occurrence.job(schedule, kind, at, digest_key, cause=Cause.DUE, new_id=new_id)


def _enqueued(
    verbs: Verbs, schedule: Schedule, plan: Plan, jobs: list[NewJob], now: datetime
) -> Script[tuple[str, ...]]:
    """The ids of the slots' jobs, once all of it is noted. The schedule is written before: from its row on the script
    has a transaction open, which the jobs join."""
    verdicts = (yield from enqueue_each(verbs, jobs)) if jobs else []
    made, rows = [], list(plan.rows)
    for at, verdict in zip(plan.fire, verdicts, strict=True):
        if isinstance(verdict, Enqueued):
            made.append(verdict.id)
            rows.append(occurrence.fired(schedule, at, Cause.DUE, verdict.id, now))
        elif isinstance(verdict, Conflict):
            rows.append(occurrence.skipped(schedule, Skip.CONFLICT, at, at, 1, now))
        else:
            raise verdict
    if rows:
        yield from verbs.note_occurrences(rows)
    return tuple(made)
