"""What keeps a waiting job from starting, as far as the database knows."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal

import msgspec

from tenure.core.flow.demand import Demand
from tenure.core.flow.limits import LimitUse, full_in_words, room
from tenure.core.flow.order import stops_its_key
from tenure.core.flow.pause import Pause, holding
from tenure.core.flow.place import Place, places, words_of
from tenure.core.job import Job
from tenure.core.kind import Kind
from tenure.core.states import WAITING, State

Cause = Literal["paused", "limit_full", "slowed_down", "not_declared", "no_worker", "needs_slots", "blocked"]
UNSEEN: Final = timedelta(seconds=5)
"""A ready job that waits longer has no worker, as it seems, where for so long nothing of its queue has run."""


class Obstacle(msgspec.Struct, frozen=True, kw_only=True):
    """what: the queue, kind, tenant, resource or limit that it is about. since, until: where that is known. who, why:
    of a pause. holders: ids of some jobs that hold a limit, or of the one that is ahead. place: of the limit. brief:
    the words without what they tell of other jobs, where they tell of any."""

    cause: Cause
    what: str
    words: str
    brief: str | None = None
    place: Place | None = None
    since: datetime | None = None
    until: datetime | None = None
    who: str | None = None
    why: str | None = None
    holders: tuple[str, ...] = ()


def of_pauses(job: Job, pauses: Iterable[Pause], takes: Demand) -> list[Obstacle]:
    return [
        Obstacle(
            cause="paused",
            what=f"{pause.subject} {pause.name}",
            words=f"its {pause.subject} {pause.name} is paused",
            since=pause.at,
            who=pause.who,
            why=pause.why or None,
        )
        for pause in holding(pauses, job, takes.uses)
    ]


def short(job: Job, uses: Sequence[LimitUse], takes: Demand, now: datetime) -> list[LimitUse]:
    """The limits that have no room for the job, or too little."""
    own = places(job.queue, job.kind, job.tenant, takes.uses)
    mine = [(use, room(use, now)) for use in uses if use.limit.place in own]
    return [use for use, left in mine if not left.is_open or left.slots < left.needs(takes.slots)]


def of_limit(use: LimitUse, holders: Iterable[Job], now: datetime) -> Obstacle:
    place = words_of(use.limit.place)
    return Obstacle(
        cause="limit_full",
        what=place,
        words=full_in_words(use, now),
        brief=f"{place} is at its limit",
        place=use.limit.place,
        holders=tuple(job.id for job in holders),
    )


def users(place: Place, demands: Iterable[tuple[str, Demand]]) -> tuple[str, ...] | None:
    """The kinds under a limit; None where it is not of kinds."""
    if place.kind:
        return (place.kind,)
    if not place.resource:
        return None
    return tuple(sorted(kind for kind, takes in demands if place.resource in takes.uses))


def of_workers(job: Job, kind: Kind | None, now: datetime, *, is_queue_worked: bool) -> list[Obstacle]:
    """What can be told of workers without a registry of them. is_queue_worked: whether anything of the queue runs, or
    did so until a moment ago (UNSEEN)."""
    if kind is None or job.version not in kind.versions:
        words = f"no worker has declared version {job.version} of kind {job.kind}"
        return [Obstacle(cause="not_declared", what=f"kind {job.kind}", words=words)]
    if job.state is not State.READY:
        return []
    if not is_queue_worked and now - job.run_at > UNSEEN:
        takes = "" if kind.slots == 1 else f", which takes {kind.slots} slots of a worker"
        words = f"no job of queue {job.queue} runs: no worker seems to ask it for kind {job.kind}{takes}"
        return [Obstacle(cause="no_worker", what=f"queue {job.queue}", words=words, since=job.run_at)]
    if kind.slots > 1:
        words = f"it takes {kind.slots} slots of a worker that has so many free"
        return [Obstacle(cause="needs_slots", what=f"kind {job.kind}", words=words)]
    return []


def is_waiting(job: Job) -> bool:
    return job.state in WAITING


def ahead(job: Job, first: Job | None) -> list[Obstacle]:
    """first: who stands first in the line of its order key."""
    if job.state is not State.BLOCKED:
        return []
    words, brief = "another job of its order key is ahead of it", None
    if first is not None and stops_its_key(first):
        brief = "its order key is stopped by a job that failed"
        words = f"{brief}: {first.end_code}"
    holders = () if first is None else (first.id,)
    return [Obstacle(cause="blocked", what="order key", words=words, brief=brief, holders=holders)]


def seen(obstacle: Obstacle, ids: Collection[str], *, shows_who: bool, sees_all: bool) -> Obstacle:
    """As somebody may see it who sees these jobs. sees_all: whether all that it tells of lies in the scope."""
    holders = tuple(holder for holder in obstacle.holders if holder in ids)
    hidden = {} if shows_who else {"who": None, "why": None}
    words = obstacle.words if sees_all or obstacle.brief is None else obstacle.brief
    return msgspec.structs.replace(obstacle, holders=holders, words=words, **hidden)
