"""Capacity: how many jobs may wait. The one place that decides who still gets in, and what becomes of who does not.

A capacity stands at a queue, a tenant, or a queue of one tenant (`core.flow.place`); a job needs room in all of those
that it has. What waits is an estimate, some of it counted by the database a moment ago and the rest by the process
itself, so that nobody holds a lock while he enqueues.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, get_args

import msgspec

from tenure.core import fields
from tenure.core.errors import InvalidInput, QueueFull
from tenure.core.flow.place import Place, words_of
from tenure.core.job import NewJob, WhenFull

JOBS: Final = (0, 1_000_000)
"""What a capacity can be. It is counted up to once a second, so it has an upper end."""
FRESH: Final = 1.0
"""Seconds for which a count stands."""

RETRY_AFTER: Final = (1.0, 60.0)
RETRY_UNKNOWN: Final = 10.0
"""Seconds to come back after where nobody knows how fast the jobs go."""
DELAY_UNKNOWN: Final = 60.0
LONGEST_DELAY: Final = 3600.0
_SHARE_TO_WAIT_FOR: Final = 0.1

WHEN_FULL: Final[tuple[WhenFull, ...]] = get_args(WhenFull)


class Capacity(msgspec.Struct, frozen=True):
    """jobs: so many may wait at the place (scheduled, ready or blocked)."""

    place: Place
    jobs: int


class Full(msgspec.Struct, frozen=True):
    """A place that has no room for a job. waiting: about how many wait there by now."""

    capacity: Capacity
    waiting: int


def when_full(field: str, value: object) -> WhenFull:
    """Raises InvalidInput."""
    for word in WHEN_FULL:
        if value == word:
            return word
    raise InvalidInput(field, f"{value!r} is none of {', '.join(WHEN_FULL)}")


def checked(place: Place) -> Place:
    """As a capacity may stand there. Raises InvalidInput."""
    if place.kind:
        raise InvalidInput("kind", "has no capacity: say a queue, a tenant, or both")
    if not (place.queue or place.tenant):
        raise InvalidInput("queue", "is missing: say a queue, a tenant, or both")
    for name in ("queue", "tenant"):
        if (value := getattr(place, name)) != "":
            fields.name(name, value)
    return place


def places_of(queue: str, tenant: str) -> tuple[Place, ...]:
    """Of all capacities that a job can have, the narrowest first."""
    return Place(queue=queue, tenant=tenant), Place(queue=queue), Place(tenant=tenant)


def judged(jobs: Sequence[NewJob], capacities: Mapping[Place, int], waiting: Mapping[Place, int]) -> list[Full | None]:
    """For each job, in order, the place that keeps it out. One that is accepted whatever waits takes room all the same.

    waiting: about how many wait at each of the places.
    """
    taken: Counter[Place] = Counter()
    verdicts = []
    for job in jobs:
        places = [place for place in places_of(job.queue, job.tenant) if place in capacities]
        full = next((place for place in places if waiting[place] + taken[place] >= capacities[place]), None)
        verdicts.append(None if full is None else Full(Capacity(full, capacities[full]), waiting[full] + taken[full]))
        if full is None or job.policy.when_full != "refuse":
            taken.update(places)
    return verdicts


def let_in(jobs: Sequence[NewJob], verdicts: Sequence[Full | None]) -> list[NewJob]:
    """Those that take room: there was some, or they do not mind."""
    return [job for job, full in zip(jobs, verdicts, strict=True) if full is None or job.policy.when_full != "refuse"]


def refusal(full: Full, drain: float | None) -> QueueFull:
    """drain: seconds until what waits at the place is worked off, None where that is unknown."""
    place, jobs = full.capacity.place, full.capacity.jobs
    return QueueFull(
        f"{words_of(place)} is full: about {full.waiting:,} jobs wait, {jobs:,} may",
        retry_after(drain),
        queue=place.queue or None,
        tenant=place.tenant or None,
        waiting=full.waiting,
        capacity=jobs,
        drain_seconds=None if drain is None else round(drain, 1),
    )


def retry_after(drain: float | None) -> float:
    """Seconds, whole ones. By then about a tenth of what waits is gone."""
    if drain is None:
        return RETRY_UNKNOWN
    return float(round(min(max(drain * _SHARE_TO_WAIT_FOR, RETRY_AFTER[0]), RETRY_AFTER[1])))


def delay(drain: float | None) -> float:
    """Seconds from now on for which a job is put off."""
    return DELAY_UNKNOWN if drain is None else min(max(drain, RETRY_AFTER[0]), LONGEST_DELAY)


def at(capacities: Iterable[Capacity]) -> dict[Place, int]:
    return {capacity.place: capacity.jobs for capacity in capacities}
