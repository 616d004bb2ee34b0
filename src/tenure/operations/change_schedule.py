"""Change a schedule: pause it, resume it, or delete it."""

from enum import StrEnum

import msgspec

from tenure.core.scheduling import schedules
from tenure.core.scheduling.schedule import Schedule
from tenure.core.secrecy.cleaning import reason
from tenure.operations.audit import of_schedule
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Change(StrEnum):
    PAUSE = "pause"
    RESUME = "resume"
    DELETE = "delete"


class ScheduleChange(msgspec.Struct, frozen=True):
    """changed: whether it was not so already. schedule: as it stands then, or stood before it was deleted; None where
    there is none."""

    changed: bool
    schedule: Schedule | None = None


def change_schedule(
    verbs: Verbs, tenant: str, name: str, change: Change, *, who: str, why: str = ""
) -> Script[ScheduleChange]:
    """Jobs that it has made go their way. A resume counts from now: slots of the pause are not made up for."""
    held = yield from verbs.hold_schedule(tenant, name)
    before, now = held.schedule, held.now
    if before is None:
        return ScheduleChange(False)
    if change is Change.DELETE:
        yield from verbs.drop_schedule(before)
        yield from verbs.audit(of_schedule(before, who, "delete_schedule", why, schedules.words(before)))
        return ScheduleChange(True, before)
    if change is Change.PAUSE:
        changed = schedules.paused(before, who, reason(why), now)
    else:
        changed = schedules.resumed(before, now)
    if changed is None:
        return ScheduleChange(False, before)
    after = schedules.written(before, changed, now)
    yield from verbs.write_schedule(before, after)
    yield from verbs.audit(of_schedule(after, who, f"{change.value}_schedule", why, schedules.words(after)))
    return ScheduleChange(True, after)
