"""Set a schedule: make it, or have it say something else from now on."""

from datetime import datetime

import msgspec

from tenure.core.errors import RetryTransaction
from tenure.core.scheduling import schedules
from tenure.core.scheduling.schedule import Definition, Flag, Schedule
from tenure.core.scheduling.schedule_definition import Says
from tenure.operations.advance_schedule import advance_held
from tenure.operations.audit import of_schedule
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class SetSchedule(msgspec.Struct, frozen=True):
    """schedule: as it stands then. created, changed: whether this call made it, or changed what it says. queues: whose
    workers have something to do, since slots up to now were decided on first."""

    schedule: Schedule
    created: bool
    changed: bool
    queues: frozenset[str] = frozenset()


class Declared(msgspec.Struct, frozen=True):
    """Which application declares it, the digest of what that says, and the kinds that it has."""

    by: str | None = None
    digest: str | None = None
    kinds: tuple[str, ...] = ()


def set_schedule(
    verbs: Verbs,
    schedule_id: str,
    tenant: str,
    name: str,
    says: Says,
    digest_key: bytes,
    *,
    who: str,
    why: str = "",
    declared: Declared | None = None,
) -> Script[SetSchedule]:
    """says: what it is to say. schedule_id: of a new one.

    What it says already is not written and leaves no audit line. Slots that had passed by now go by what it said then.
    Raises InvalidInput of `says`, RetryTransaction where a rival makes it at the same moment.
    """
    held = yield from verbs.hold_schedule(tenant, name)
    now = held.now
    definition = says(now, held.schedule)
    if held.schedule is None:
        return (yield from _made(verbs, schedule_id, tenant, name, definition, now, who, why, declared))
    advanced = yield from advance_held(verbs, held.schedule, now, digest_key)
    before = advanced.schedule or held.schedule
    after = _declared(before, declared)
    if schedules.definition_of(before) != definition:
        after = schedules.edited(after, definition, now)
    elif after.flag is not None:
        after = schedules.unflagged(after, now)
    if after == before:
        return SetSchedule(before, False, False, advanced.queues)
    written = schedules.written(before, after, now)
    yield from verbs.write_schedule(before, written)
    changed = written.edition != before.edition
    if changed:
        detail = f"edition {written.edition}: {schedules.words(written)}"
        yield from verbs.audit(of_schedule(written, who, "set_schedule", why, detail))
    return SetSchedule(written, False, changed, advanced.queues)


def _made(
    verbs: Verbs,
    schedule_id: str,
    tenant: str,
    name: str,
    definition: Definition,
    now: datetime,
    who: str,
    why: str,
    declared: Declared | None,
) -> Script[SetSchedule]:
    made = _declared(schedules.begun(schedule_id, tenant, name, definition, who=who, now=now), declared)
    if not (yield from verbs.add_schedule(made)):
        raise RetryTransaction(f"schedule {name!r} was made by somebody else at the same moment")
    yield from verbs.audit(of_schedule(made, who, "set_schedule", why, f"created: {schedules.words(made)}"))
    return SetSchedule(made, True, True)


def _declared(schedule: Schedule, declared: Declared | None) -> Schedule:
    """Whoever sets what the application does not declare any more takes it over."""
    if declared is None and schedule.flag is not Flag.UNDECLARED:
        return schedule
    said = declared or Declared()
    return msgspec.structs.replace(schedule, declared_by=said.by, declared_as=said.digest, declared_with=said.kinds)
