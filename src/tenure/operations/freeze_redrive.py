"""Freeze the next page of a redrive's selection, oldest first; with the last page the redrive runs."""

from datetime import datetime

from tenure.core.redriving import redrive_start, redrives
from tenure.core.redriving.redrive import Redrive
from tenure.operations.preview_redrive import PAGE
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def freeze_redrive(verbs: Verbs, redrive: Redrive, now: datetime) -> Script[Redrive]:
    """The redrive after it. redrive: its row, which this transaction holds, in the state FREEZING."""
    after = None
    if redrive.frozen_at is not None and redrive.frozen_id is not None:
        after = (redrive.frozen_at, redrive.frozen_id)
    letters = yield from verbs.dead_letters_after(redrive_start.still_meant(redrive), after, PAGE)
    rows = redrive_start.frozen(redrive, letters, now)
    if rows:
        yield from verbs.freeze(rows)
    extended = redrive_start.extended(redrive, rows, letters, is_last=len(letters) < PAGE)
    written = redrives.written(redrive, extended, now)
    yield from verbs.write_redrive(redrive, written)
    return written
