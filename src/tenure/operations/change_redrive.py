"""Change a redrive: pause, resume or cancel it."""

from typing import Final

import msgspec

from tenure.core.errors import RedrivesForbidden
from tenure.core.redriving import redrives
from tenure.core.redriving.redrive import Left, Redrive, RedriveEvent
from tenure.core.switch import REDRIVES
from tenure.operations.audit import of_redrive
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

BY_HAND: Final = (RedriveEvent.PAUSE, RedriveEvent.RESUME, RedriveEvent.CANCEL)


class ChangeAnswer(msgspec.Struct, frozen=True):
    """changed: whether its state let the event happen. redrive: as it stands then, None where there is none."""

    changed: bool
    redrive: Redrive | None = None


def change_redrive(
    verbs: Verbs, redrive_id: str, event: RedriveEvent, *, who: str, why: str = ""
) -> Script[ChangeAnswer]:
    """event: one of BY_HAND. What was sent already goes its way; what waits is left by a cancel.

    A resume counts outcomes anew. Raises RedrivesForbidden for a resume while redrives are forbidden.
    """
    held = yield from verbs.hold_redrive(redrive_id)
    before, now = held.redrive, held.now
    if before is None:
        return ChangeAnswer(False)
    if event is RedriveEvent.RESUME and (yield from verbs.read_switch(REDRIVES)) is not None:
        raise RedrivesForbidden
    moved = redrives.moved(before, event, now)
    if moved is None:
        return ChangeAnswer(False, before)
    after = redrives.written(before, moved, now)
    yield from verbs.write_redrive(before, after)
    if event is RedriveEvent.CANCEL:
        yield from verbs.leave_waiting(redrive_id, Left.REDRIVE_CANCELLED, now)
    yield from verbs.audit(of_redrive(after, who, f"{event.value}_redrive", why, _detail(after)))
    return ChangeAnswer(True, after)


def _detail(redrive: Redrive) -> str:
    return (
        f"{redrive.succeeded:,} succeeded, {redrive.failed_again:,} failed again, {redrive.redriven:,} without an "
        f"outcome, {redrive.waiting:,} waiting"
    )
