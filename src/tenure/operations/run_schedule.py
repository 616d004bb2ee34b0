"""Run a schedule by hand: once now, or for slots of the past."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice, takewhile
from typing import Final

import msgspec

from tenure.core import fields
from tenure.core.errors import Conflict, InvalidInput, TenureError, TooLarge, UnknownKind
from tenure.core.kind import Kind
from tenure.core.scheduling import occurrence, schedules
from tenure.core.scheduling.schedule import Cause, Schedule
from tenure.operations.audit import of_schedule
from tenure.operations.enqueue import Enqueued, enqueue, enqueue_each
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

MOST: Final = 1000
"""Slots of one backfill."""


class RunNow(msgspec.Struct, frozen=True):
    """job: what was enqueued, or met by its id; None where there is no such schedule."""

    schedule: Schedule | None
    job: Enqueued | None = None


class Backfilled(msgspec.Struct, frozen=True):
    """schedule: None where there is none. created: ids of new jobs, in the order of their slots. known: slots whose
    jobs were there already. conflicts: slots whose key a job with other arguments holds."""

    schedule: Schedule | None
    created: tuple[str, ...] = ()
    known: int = 0
    conflicts: int = 0


def run_now(
    verbs: Verbs, tenant: str, name: str, job_id: str, digest_key: bytes, *, who: str, why: str = ""
) -> Script[RunNow]:
    """One job beside those of the slots, paused or not, whatever runs. job_id: made by the caller, so that a lost
    answer can be repeated. Raises UnknownKind, IdConflict."""
    held = yield from verbs.hold_schedule(tenant, name)
    schedule, now = held.schedule, held.now
    if schedule is None:
        return RunNow(None)
    known = (yield from verbs.read([job_id])).get(job_id)
    if known is not None and known.tags == occurrence.tags(schedule) and known.kind == schedule.kind:
        return RunNow(schedule, Enqueued(job_id, False, known))
    kind = yield from _kind(verbs, schedule)
    job = occurrence.job(schedule, kind, now, digest_key, cause=Cause.RUN_NOW, new_id=job_id)
    after = yield from _remembered(verbs, schedule, [job_id], now)
    (answer,) = yield from enqueue(verbs, [job])
    yield from verbs.note_occurrences([occurrence.fired(schedule, now, Cause.RUN_NOW, job_id, now)])
    yield from verbs.audit(of_schedule(after, who, "run_schedule", why, f"job {job_id}"))
    return RunNow(after, answer)


def backfill(
    verbs: Verbs,
    tenant: str,
    name: str,
    since: datetime,
    until: datetime,
    digest_key: bytes,
    *,
    who: str,
    why: str = "",
) -> Script[Backfilled]:
    """A job for every slot from `since` to `until`, both inclusive, that has none under the present edition; whatever
    runs. Raises InvalidInput, TooLarge for more than MOST slots, UnknownKind."""
    held = yield from verbs.hold_schedule(tenant, name)
    schedule, now = held.schedule, held.now
    if schedule is None:
        return Backfilled(None)
    since, until = _utc("since", since), _utc("until", until)
    slots = _slots(schedule, since, until, now)
    kind = yield from _kind(verbs, schedule)
    jobs = [
        occurrence.job(schedule, kind, at, digest_key, cause=Cause.BACKFILL, new_id=occurrence.job_id(schedule, at))
        for at in slots
    ]
    after = yield from _remembered(verbs, schedule, [job.id for job in jobs], now)
    verdicts = (yield from enqueue_each(verbs, jobs)) if jobs else []
    made = dict(_made(slots, verdicts))
    conflicts = sum(isinstance(verdict, Conflict) for verdict in verdicts)
    if made:
        rows = [occurrence.fired(schedule, at, Cause.BACKFILL, job_id, now) for job_id, at in made.items()]
        yield from verbs.note_occurrences(rows)
    known = len(slots) - len(made) - conflicts
    detail = f"{occurrence.iso(since)} to {occurrence.iso(until)}: {len(made):,} jobs, {known:,} known"
    yield from verbs.audit(of_schedule(after, who, "backfill_schedule", why, detail))
    return Backfilled(after, tuple(made), known, conflicts)


def _made(slots: Sequence[datetime], verdicts: Sequence[Enqueued | TenureError]) -> Iterator[tuple[str, datetime]]:
    """The ids of the jobs that are new, each with its slot. Raises what refused one, but a conflict."""
    for at, verdict in zip(slots, verdicts, strict=True):
        if isinstance(verdict, Enqueued) and verdict.created:
            yield verdict.id, at
        elif not isinstance(verdict, (Enqueued, Conflict)):
            raise verdict


def _utc(field: str, said: datetime) -> datetime:
    """Raises InvalidInput, for one without a time zone too."""
    instant = fields.instant(field, said)
    if instant is None:
        raise InvalidInput(field, "is missing", code="missing_member")
    return instant


def _slots(schedule: Schedule, since: datetime, until: datetime, now: datetime) -> list[datetime]:
    if since > until:
        raise InvalidInput("since", "is after until")
    if until > now:
        raise InvalidInput("until", "is in the future", hint="The scheduler makes the jobs of slots to come.")
    found = takewhile(lambda at: at <= until, schedules.slots_from(schedule, since))
    slots = list(islice(found, MOST + 1))
    if len(slots) > MOST:
        raise TooLarge("until", f"means more than {MOST:,} slots", hint="Backfill a shorter range, several times.")
    return slots


def _kind(verbs: Verbs, schedule: Schedule) -> Script[Kind]:
    kinds = yield from verbs.kind_page([schedule.kind], "", 1)
    if not kinds:
        raise UnknownKind(schedule.kind)
    return kinds[0]


def _remembered(verbs: Verbs, schedule: Schedule, job_ids: list[str], now: datetime) -> Script[Schedule]:
    """The overlap policy counts these jobs too. Written before them: from its row on the script has a transaction open,
    which they join."""
    if not job_ids:
        return schedule
    after = schedules.written(schedule, schedules.with_jobs(schedule, job_ids), now)
    yield from verbs.write_schedule(schedule, after)
    return after
