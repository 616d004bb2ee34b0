"""Start a redrive: freeze a selection of dead letters. A redriver sends them, step by step."""

from tenure.core import redrive_start
from tenure.core.cleaning import reason
from tenure.core.errors import RedriveConflict, RedrivesForbidden
from tenure.core.job_filter import JobFilter
from tenure.core.redrive import Guard, Redrive
from tenure.core.switch import REDRIVES
from tenure.operations.audit import of_redrive
from tenure.operations.preview_redrive import PAGE, selected
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def start_redrive(
    verbs: Verbs, redrive_id: str, which: JobFilter, guard: Guard, *, who: str, why: str = ""
) -> Script[Redrive]:
    """The frozen redrive, which runs. The same id with the same selection answers the redrive that stands.

    Raises RedrivesForbidden, RedriveConflict; InvalidInput for a guard that cannot hold, and for a selection of nothing
    or of too many.
    """
    checked = redrive_start.checked(guard)
    stands = yield from verbs.read_redrive(redrive_id)
    if stands is not None:
        return _same(stands, which, checked)
    if (yield from verbs.read_switch(REDRIVES)) is not None:
        raise RedrivesForbidden
    letters = yield from selected(verbs, which)
    redrive_start.check_not_empty(letters)
    now = yield from verbs.now()
    rows = redrive_start.frozen(redrive_id, letters[::-1], checked, now)
    redrive = redrive_start.begun(redrive_id, rows, which, checked, who=who, why=reason(why), now=now)
    if not (yield from verbs.add_redrive(redrive)):
        raise RedriveConflict(redrive_id)
    for start in range(0, len(rows), PAGE):
        yield from verbs.freeze(rows[start : start + PAGE])
    yield from verbs.audit(of_redrive(redrive, who, "start_redrive", redrive.why, _detail(redrive)))
    return redrive


def _same(stands: Redrive, which: JobFilter, guard: Guard) -> Redrive:
    asked = (which, guard.pace, guard.stop_share, guard.stop_window, guard.single_attempts)
    if asked != (stands.which, stands.pace, stands.stop_share, stands.stop_window, stands.single_attempts):
        raise RedriveConflict(stands.id)
    return stands


def _detail(redrive: Redrive) -> str:
    return f"{redrive.total:,} jobs, {redrive.canary:,} of them first, {redrive.left_out:,} left"
