"""In which attempt a job ended, and what that says of its requeues. Read off the row and its newest attempt.

| the job | ended in its newest attempt |
| --- | --- |
| goes on: it waits or runs | no |
| succeeded | yes |
| cancelled | where the attempt was asked to stop, or its handler cancelled the job; else while it waited |
| failed by its deadline, or set aside | where no requeue came between: one would have set a new `run_at` |
| failed otherwise | yes |
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Final

import msgspec

from tenure.core import defaults
from tenure.core.attempt import Attempt, EndedBy, ErrorClass
from tenure.core.job import Job
from tenure.core.states import TERMINAL, State
from tenure.core.transitions import codes

_ENDS_OF_WAITING: Final = frozenset({codes.DEADLINE_EXCEEDED, codes.SET_ASIDE})
_COSTS_NO_TRY: Final = frozenset({ErrorClass.THROTTLED, ErrorClass.CANCEL})


class Last(msgspec.Struct, frozen=True, kw_only=True):
    """The newest attempt of a job that has ended, in short: some columns of `core.attempt.Attempt`."""

    job_id: str
    worker: str
    claimed_run_at: datetime
    started_at: datetime
    ended_by: EndedBy
    begun: bool
    error_class: ErrorClass | None
    after_cancel: bool


COLUMNS: Final[tuple[str, ...]] = Last.__struct_fields__
"""The columns of `tenure_attempts` that every store reads for it, in order."""


def of_attempt(attempt: Attempt) -> Last:
    return Last(**{name: getattr(attempt, name) for name in COLUMNS})


def ended_ones(jobs: Iterable[Job]) -> Collection[str]:
    """The ids of those that may have ended in an attempt."""
    return {job.id for job in jobs if job.state in TERMINAL and job.attempt > 0}


def closing(job: Job, last: Last | None) -> Last | None:
    """The attempt that the job ended in; None where it goes on, ended while it waited, or its history is gone.

    last: its newest attempt, where it has ended.
    """
    if job.state not in TERMINAL or last is None:
        return None
    if job.state is State.CANCELLED:
        return last if last.after_cancel or last.error_class is ErrorClass.CANCEL else None
    if job.end_code in _ENDS_OF_WAITING and job.run_at != last.claimed_run_at:
        return None
    return last


def retry_count(job: Job, ended_in: Last | None) -> int:
    """Requeues that cost a try, since the last redrive. ended_in: of `closing`."""
    spent = 1 if ended_in is not None and _cost_a_try(job, ended_in) else 0
    return min(job.tries - spent, job.max_attempts - 1)


def _cost_a_try(job: Job, attempt: Last) -> bool:
    match attempt.ended_by:
        case EndedBy.EXPIRE:
            return True
        case EndedBy.FAIL:
            return attempt.error_class not in _COSTS_NO_TRY
        case EndedBy.RELEASE:
            return attempt.begun and job.releases > defaults.RELEASES and job.max_attempts > 1
        case EndedBy.COMPLETE | EndedBy.SNOOZE:
            return False
