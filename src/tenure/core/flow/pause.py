"""A pause: no job of a queue, a kind or a tenant starts until somebody resumes it. What runs goes on, and waiting costs
no attempt. Pauses are rows that every claim reads, so they hold for all workers from the next claim on.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Final, Literal, get_args

import msgspec

from tenure.core.job import Job

Subject = Literal["queue", "kind", "tenant", "resource"]
"""What can be paused: everything of one queue, of one kind, of one tenant, or all kinds that use one resource."""

SUBJECTS: Final[tuple[Subject, ...]] = get_args(Subject)
OF_JOBS: Final[tuple[Subject, ...]] = ("queue", "kind", "tenant")
"""Those that stand on the job itself; which resources it uses is said of its kind."""


class Pause(msgspec.Struct, frozen=True, kw_only=True):
    """at: since when. who, why: of the operator's act."""

    subject: Subject
    name: str
    at: datetime
    who: str
    why: str


def holding(pauses: Iterable[Pause], job: Job, uses: Collection[str] = ()) -> list[Pause]:
    """Those that keep the job from starting. uses: the resources of its kind."""
    return holding_lane(pauses, job.queue, job.kind, job.tenant, uses)


def holding_lane(
    pauses: Iterable[Pause], queue: str, kind: str, tenant: str, uses: Collection[str] = ()
) -> list[Pause]:
    """The same of all jobs of a queue, kind and tenant."""
    own = {("queue", queue), ("kind", kind), ("tenant", tenant), *(("resource", name) for name in uses)}
    return [pause for pause in pauses if (pause.subject, pause.name) in own]
