"""How late a queue's jobs start, against its objective, and which of its lanes starve. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from math import ceil
from typing import Final

import msgspec

from tenure.core import fields
from tenure.core.flow import demand, drain
from tenure.core.flow.demand import Demands
from tenure.core.flow.drain import Sample, Seen
from tenure.core.flow.pause import Pause, holding_lane
from tenure.core.flow.place import Place

WITHIN: Final = (0.001, 31 * 86_400.0)
SHARE: Final = (0.01, 1.0)
USUAL_SHARE: Final = 0.95
COUNTED: Final = 100_000
"""Jobs of a queue that are counted."""
PATIENCE: Final = timedelta(minutes=5)
"""How long the head of a lane may wait while others of its queue start."""

Lane = tuple[int, str, str]
"""Priority, tenant and kind."""


class Objective(msgspec.Struct, frozen=True):
    """So large a share of the jobs is to start within so many seconds of when it was due."""

    within: float
    share: float = USUAL_SHARE


class Head(msgspec.Struct, frozen=True):
    """The job of a lane that has been ready longest. A lane is what has one priority, tenant, kind and version."""

    priority: int
    tenant: str
    kind: str
    run_at: datetime

    @property
    def lane(self) -> Lane:
        return self.priority, self.tenant, self.kind


class Starved(msgspec.Struct, frozen=True):
    """Jobs that wait while others of their queue start, none of them among these. waited: seconds, of the first one."""

    priority: int
    tenant: str
    kind: str
    waited: float


class Lateness(msgspec.Struct, frozen=True, kw_only=True):
    """Of a queue, in seconds, by the attempts of the last `span` seconds, at most ten minutes.

    waiting: jobs that wait, counted up to COUNTED. drain_seconds: until these are worked off. oldest: how long the
    first job that nothing holds has waited. started: attempts; median, most (of 95 in 100), worst: how late they
    started. within: the share of them that kept to the objective. is_met: None without an objective, or where nothing
    started.
    """

    queue: str
    waiting: int
    drain_seconds: float | None
    oldest: float | None
    span: float
    started: int
    median: float | None
    most: float | None
    worst: float | None
    objective: Objective | None
    within: float | None
    is_met: bool | None
    starved: tuple[Starved, ...]


def objective(within: object, share: object = USUAL_SHARE) -> Objective:
    """Raises InvalidInput."""
    return Objective(
        fields.duration("within", within, least=WITHIN[0], most=WITHIN[1]), fields.number("share", share, *SHARE)
    )


def in_words(said: Objective | None) -> str:
    return "none" if said is None else f"{said.share:.4g} within {said.within:g} s"


def told(
    queue: str,
    *,
    waiting: Mapping[str, int],
    heads: Sequence[Head],
    pauses: Collection[Pause],
    objective: Objective | None,
    sample: Sample,
    demands: Demands = demand.NONE,
) -> Lateness:
    """waiting: jobs by kind. heads: of the queue's lanes. demands: of kinds, which may use a resource that is
    paused."""
    place = Place(queue=queue)
    seen = [one for one in drain.at(sample, place) if one.started_at >= sample.since]
    late = sorted(max(0.0, (one.started_at - one.run_at).total_seconds()) for one in seen)
    free = eligible(queue, heads, pauses, demands)
    oldest = min((head.run_at for head in free), default=None)
    kept = None if objective is None or not late else sum(one <= objective.within for one in late) / len(late)
    return Lateness(
        queue=queue,
        waiting=sum(waiting.values()),
        drain_seconds=drain.seconds(waiting, sample, place),
        oldest=None if oldest is None else max(0.0, (sample.now - oldest).total_seconds()),
        span=(sample.now - sample.since).total_seconds(),
        started=len(late),
        median=quantile(late, 0.5),
        most=quantile(late, 0.95),
        worst=late[-1] if late else None,
        objective=objective,
        within=kept,
        is_met=None if kept is None or objective is None else kept >= objective.share,
        starved=tuple(starved(free, seen, sample.now)),
    )


def eligible(
    queue: str, heads: Iterable[Head], pauses: Collection[Pause], demands: Demands = demand.NONE
) -> list[Head]:
    """Those that no pause holds."""
    return [
        head
        for head in heads
        if not holding_lane(pauses, queue, head.kind, head.tenant, demand.of(demands, head.kind).uses)
    ]


def starved(heads: Iterable[Head], seen: Iterable[Seen], now: datetime) -> list[Starved]:
    """The longest first. A queue in which nothing starts has another trouble."""
    served = {(one.priority, one.tenant, one.kind) for one in seen}
    first: dict[Lane, datetime] = {}
    for head in heads:
        first[head.lane] = min(head.run_at, first.get(head.lane, head.run_at))
    found = [
        Starved(*lane, (now - run_at).total_seconds())
        for lane, run_at in first.items()
        if served and lane not in served and now - run_at > PATIENCE
    ]
    return sorted(found, key=lambda one: -one.waited)


def quantile(rising: Sequence[float], share: float) -> float | None:
    """The least of the values that so large a share of them does not exceed."""
    return rising[max(0, ceil(share * len(rising)) - 1)] if rising else None
