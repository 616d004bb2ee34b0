"""A pause: no job of a queue, a kind or a tenant starts until somebody resumes it. What runs goes on, and waiting costs
no attempt. Pauses are rows that every claim reads, so they hold for all workers from the next claim on.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final, Literal, get_args

import msgspec

from tenure.core.job import Job

Subject = Literal["queue", "kind", "tenant"]
"""What can be paused: everything of one queue, of one kind, or of one tenant."""

SUBJECTS: Final[tuple[Subject, ...]] = get_args(Subject)


class Pause(msgspec.Struct, frozen=True, kw_only=True):
    """at: since when. who, why: of the operator's act."""

    subject: Subject
    name: str
    at: datetime
    who: str
    why: str


def holding(pauses: Iterable[Pause], job: Job) -> list[Pause]:
    """Those that keep the job from starting."""
    return [pause for pause in pauses if getattr(job, pause.subject) == pause.name]
