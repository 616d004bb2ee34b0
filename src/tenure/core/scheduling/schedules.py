"""What comes next of a schedule: which slots become jobs, which are skipped, what an edit or a pause changes. Pure.

The order in which the slots that have passed are decided on:

1. the misfire policy: which of them are made up for
2. the overlap policy, in the order of the slots, one that waits already before all others
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from tenure.core.scheduling import occurrence, slots
from tenure.core.scheduling.rule import Form, Rule, next_after, occurrences
from tenure.core.scheduling.schedule import (
    GUARDED_JOBS,
    MISFIRE_CAPS,
    OPEN_JOBS,
    Definition,
    Flag,
    Misfire,
    Occurrence,
    Overlap,
    Schedule,
    Skip,
)


class Plan(msgspec.Struct, frozen=True):
    """fire: slots that become jobs, rising. rows: what is skipped. after: the schedule when that is written; the jobs
    that are made are not among its open ones yet."""

    fire: tuple[datetime, ...]
    rows: tuple[Occurrence, ...]
    after: Schedule


def rule_of(schedule: Schedule) -> Rule:
    return Rule(form=schedule.form, text=schedule.rule, tz=schedule.tz, starts_at=schedule.starts_at)


def definition_of(schedule: Schedule) -> Definition:
    """What it says."""
    said = {name: getattr(schedule, name) for name in _COPIED}
    return Definition(rule=rule_of(schedule), **said)


def slots_from(schedule: Schedule, since: datetime) -> Iterator[datetime]:
    """The slots of its rule from `since` on, rising, whatever was decided on them."""
    return occurrences(rule_of(schedule), since - timedelta(microseconds=1))


def slots_after(schedule: Schedule, after: datetime) -> Iterator[datetime]:
    return occurrences(rule_of(schedule), after)


def words(schedule: Schedule) -> str:
    """What it does, in one line."""
    rule = f"every {schedule.rule} s" if schedule.form is Form.EVERY else f"{schedule.form} {schedule.rule}"
    return f"{schedule.kind}, {rule}, {schedule.tz}"


_COPIED: Final = tuple(name for name in Definition.__struct_fields__ if name != "rule")


# Making and changing


def begun(schedule_id: str, tenant: str, name: str, said: Definition, *, who: str, now: datetime) -> Schedule:
    """A new schedule. It counts from now."""
    return Schedule(
        id=schedule_id,
        tenant=tenant,
        name=name,
        next_at=next_after(said.rule, now),
        created_at=now,
        created_by=who,
        updated_at=now,
        **_columns(said),
    )


def edited(schedule: Schedule, said: Definition, now: datetime) -> Schedule:
    """It says something else from now on: what waited is dropped, and slots up to now are not made up for."""
    changed = replace(schedule, edition=schedule.edition + 1, waiting_at=None, flag=None, **_columns(said))
    return replace(changed, next_at=_next(changed, now))


def paused(schedule: Schedule, who: str, why: str, now: datetime) -> Schedule | None:
    """None: it is paused already."""
    if schedule.paused_at is not None:
        return None
    return replace(schedule, paused_at=now, paused_by=who, paused_why=why, next_at=None)


def resumed(schedule: Schedule, now: datetime) -> Schedule | None:
    """It counts from now. None: it is not paused."""
    if schedule.paused_at is None:
        return None
    changed = replace(schedule, paused_at=None, paused_by=None, paused_why=None)
    return replace(changed, next_at=_next(changed, now))


def is_of(schedule: Schedule, kinds: Collection[str]) -> bool:
    """Whether an application with these kinds can be the one that declared it: it has half of the others that were
    there then."""
    others = set(schedule.declared_with) - {schedule.kind}
    return len(others & set(kinds)) * 2 >= len(others) if others else schedule.kind in kinds


def flagged(schedule: Schedule, flag: Flag) -> Schedule:
    """It makes no jobs until the reason is gone."""
    return replace(schedule, flag=flag, next_at=None, waiting_at=None)


def unflagged(schedule: Schedule, now: datetime) -> Schedule:
    """The reason is gone; it counts from now."""
    changed = replace(schedule, flag=None)
    return replace(changed, next_at=_next(changed, now))


def written(before: Schedule, after: Schedule, now: datetime) -> Schedule:
    """`after` as it is stored in the place of `before`."""
    return replace(after, revision=before.revision + 1, updated_at=now)


def _columns(said: Definition) -> dict[str, Any]:
    copied = {name: getattr(said, name) for name in _COPIED}
    return copied | {
        "form": said.rule.form, "rule": said.rule.text, "tz": said.rule.tz, "starts_at": said.rule.starts_at,
    }  # fmt: skip


def _next(schedule: Schedule, now: datetime) -> datetime | None:
    rests = schedule.paused_at is not None or schedule.flag in (Flag.UNDECLARED, Flag.BROKEN)
    return None if rests else next_after(rule_of(schedule), now)


# Deciding on slots


def planned(schedule: Schedule, open_jobs: Sequence[str], now: datetime) -> Plan:
    """open_jobs: those of the schedule's open jobs that have not ended by now."""
    if schedule.next_at is None:
        fire, waiting_at, _ = _by_overlap(schedule, (), bool(open_jobs))
        return Plan(fire, (), _after(schedule, open_jobs, waiting_at, None))
    most = {Misfire.ALL: schedule.misfire_cap, Misfire.LATEST: 1}.get(schedule.misfire, MISFIRE_CAPS[1])
    found = slots.passed(rule_of(schedule), schedule.next_at, now, most + 1)
    chosen = found.newest[-most:]
    if schedule.misfire is Misfire.NONE:
        chosen = tuple(at for at in chosen if now - at <= timedelta(seconds=schedule.grace))
    fire, waiting_at, over = _by_overlap(schedule, chosen, bool(open_jobs))
    rows = [
        *_missed(schedule, found, chosen, now),
        *(occurrence.skipped(schedule, Skip.OVERLAP, at, at, 1, now) for at in over),
    ]
    return Plan(fire, tuple(rows), _after(schedule, open_jobs, waiting_at, found.next_at))


def not_fired(schedule: Schedule, plan: Plan, why: Skip, now: datetime) -> Plan:
    """The plan where nothing can be enqueued. why: a word of `Flag` too."""
    rows = (*plan.rows, *(occurrence.skipped(schedule, why, at, at, 1, now) for at in plan.fire))
    return Plan((), rows, replace(plan.after, waiting_at=None, flag=Flag(why)))


def with_jobs(schedule: Schedule, job_ids: Sequence[str]) -> Schedule:
    """These have been enqueued."""
    kept = OPEN_JOBS if schedule.overlap is Overlap.ALLOW else GUARDED_JOBS
    return replace(schedule, open_jobs=(*schedule.open_jobs, *job_ids)[-kept:])


def _missed(schedule: Schedule, found: slots.Passed, chosen: Sequence[datetime], now: datetime) -> list[Occurrence]:
    """The slots that are not made up for: always the first ones."""
    last = [at for at in found.newest if at not in chosen][-1:]
    if found.first is None or not last:
        return []
    count = None if found.count is None else found.count - len(chosen)
    return [occurrence.skipped(schedule, Skip.MISSED, found.first, last[0], count, now)]


def _by_overlap(
    schedule: Schedule, chosen: Sequence[datetime], has_open: bool
) -> tuple[tuple[datetime, ...], datetime | None, tuple[datetime, ...]]:
    """Which become jobs, which one waits, and which are skipped."""
    waiting = () if schedule.waiting_at is None else (schedule.waiting_at,)
    line = (*waiting, *chosen)
    if schedule.overlap is Overlap.ALLOW:
        return line, None, ()
    room = 0 if has_open else 1
    fire, rest = line[:room], line[room:]
    if schedule.overlap is Overlap.SKIP:
        return fire, None, rest
    return fire, next(iter(rest), None), rest[1:]


def _after(
    schedule: Schedule, open_jobs: Sequence[str], waiting_at: datetime | None, next_at: datetime | None
) -> Schedule:
    return replace(schedule, open_jobs=tuple(open_jobs), waiting_at=waiting_at, next_at=next_at, flag=None)
