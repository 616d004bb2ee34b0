"""Start a redrive: count a selection of dead letters and freeze the first of them. A redriver freezes the rest and
sends."""

import msgspec

from tenure.core.counting import counted
from tenure.core.errors import RedriveConflict, RedrivesForbidden
from tenure.core.job_filter import JobFilter
from tenure.core.redriving import redrive_start
from tenure.core.redriving.redrive import Guard, Redrive
from tenure.core.secrecy.cleaning import reason
from tenure.core.switch import REDRIVES
from tenure.operations.audit import of_redrive
from tenure.operations.preview_redrive import PAGE, selected
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Started(msgspec.Struct, frozen=True):
    """created: whether this call made the redrive, or met it."""

    redrive: Redrive
    created: bool


def start_redrive(
    verbs: Verbs, redrive_id: str, which: JobFilter, guard: Guard, *, who: str, why: str = ""
) -> Script[Started]:
    """The redrive, which runs, or freezes if one page does not hold its selection. The same id with the same selection
    and guard answers the redrive that stands.

    Raises RedrivesForbidden, RedriveConflict; InvalidInput for a guard that cannot hold, and for a selection of nothing
    or of too many.
    """
    checked = redrive_start.checked(guard)
    stands = yield from verbs.read_redrive(redrive_id)
    if stands is not None:
        return _met(stands, which, checked)
    if (yield from verbs.read_switch(REDRIVES)) is not None:
        raise RedrivesForbidden
    letters = (yield from selected(verbs, which))[::-1]
    redrive_start.check_sendable(letters, checked)
    now = yield from verbs.now()
    begun = redrive_start.begun(redrive_id, letters, which, checked, who=who, why=reason(why), now=now)
    page = letters[:PAGE]
    rows = redrive_start.frozen(begun, page, now)
    redrive = redrive_start.extended(begun, rows, page, is_last=len(letters) <= PAGE)
    if not (yield from verbs.add_redrive(redrive)):
        return (yield from _met_meanwhile(verbs, redrive_id, which, checked))
    yield from verbs.freeze(rows)
    yield from verbs.audit(of_redrive(redrive, who, "start_redrive", redrive.why, _detail(begun, len(letters))))
    return Started(redrive, True)


def _met_meanwhile(verbs: Verbs, redrive_id: str, which: JobFilter, guard: Guard) -> Script[Started]:
    """A rival with the same id was quicker."""
    stands = yield from verbs.read_redrive(redrive_id)
    if stands is None:
        raise RedriveConflict(redrive_id)
    return _met(stands, which, guard)


def _met(stands: Redrive, which: JobFilter, guard: Guard) -> Started:
    then = Guard(
        canary=stands.canary_said,
        pace=stands.pace,
        stop_share=stands.stop_share,
        stop_window=stands.stop_window,
        single_attempts=stands.single_attempts,
    )
    if (which, guard) != (stands.which, then):
        raise RedriveConflict(stands.id)
    return Started(stands, False)


def _detail(redrive: Redrive, total: int) -> str:
    canary = redrive_start.canary_of(redrive.canary_said, redrive.sendable)
    return f"{counted(total, 'job')}, {canary:,} of them first, {total - redrive.sendable:,} left out"
