"""Preview a redrive: what a selection would do, with nothing written."""

from tenure.core.job_filter import JobFilter
from tenure.core.redriving import redrive_start
from tenure.core.redriving.dead_letter import DeadLetter
from tenure.core.redriving.failures import MOST_GROUPS
from tenure.core.redriving.redrive import MOST_JOBS, Guard
from tenure.core.redriving.redrive_start import RedrivePreview
from tenure.operations.failures import grouped
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

PAGE = 1000


def preview_redrive(verbs: Verbs, which: JobFilter, guard: Guard) -> Script[RedrivePreview]:
    """Raises InvalidInput for a guard that cannot hold, and for a selection of too many."""
    checked = redrive_start.checked(guard)
    letters = yield from selected(verbs, which)
    groups = yield from grouped(verbs, letters, MOST_GROUPS)
    return redrive_start.previewed(letters, groups, checked)


def selected(verbs: Verbs, which: JobFilter) -> Script[list[DeadLetter]]:
    """Every dead letter that is meant, newest first, read page by page. Raises InvalidInput where there are too
    many."""
    letters: list[DeadLetter] = []
    page = yield from verbs.dead_letters(which, None, PAGE)
    while page and len(letters) <= MOST_JOBS:
        letters += page
        last = page[-1]
        page = (yield from verbs.dead_letters(which, (last.ended_at, last.id), PAGE)) if len(page) == PAGE else []
    redrive_start.check_size(letters)
    return letters
