"""Leave a job of a redrive whose row cannot be read, so that it stops no other."""

from tenure.core.redriving import redrives
from tenure.core.redriving.redrive import FrozenState, Left, left
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def leave_broken(verbs: Verbs, redrive_id: str, place: int) -> Script[bool]:
    """Whether it waited for its turn, and is left now."""
    held = yield from verbs.hold_redrive(redrive_id)
    found = yield from verbs.frozen_in_redrive(redrive_id, FrozenState.WAITING, place - 1, 1)
    if held.redrive is None or not found or found[0].place != place:
        return False
    after = left(found[0], Left.BROKEN, held.now)
    yield from verbs.write_frozen([after])
    counted = redrives.counted(held.redrive, found, [after])
    return (yield from verbs.write_redrive(held.redrive, redrives.written(held.redrive, counted, held.now)))
