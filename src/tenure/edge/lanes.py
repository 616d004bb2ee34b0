"""Queues and tenants on the wire."""

from typing import Self

from tenure.core.principal import Principal
from tenure.edge.body import Answer
from tenure.edge.pauses import PauseBody
from tenure.edge.reliefs import ReserveBody
from tenure.edge.scalars import Instant
from tenure.operations.lanes import Lane


class LaneBody(Answer, frozen=True, kw_only=True):
    """Jobs of a queue or tenant by state; oldest_run_at: of its ready jobs. pause: null where it is not paused.
    weight: of a tenant, slots in each round of turns; of a queue null. aging, reserve: of a queue, what low priorities
    get; null where nothing is said, and of a tenant."""

    name: str
    jobs: dict[str, int]
    oldest_run_at: Instant | None
    pause: PauseBody | None = None
    weight: int | None = None
    aging: float | None = None
    reserve: ReserveBody | None = None

    @classmethod
    def of(cls, lane: Lane, principal: Principal) -> Self:
        return cls(
            name=lane.name,
            jobs={state.value: jobs for state, jobs in lane.jobs.items()},
            oldest_run_at=lane.oldest_run_at,
            pause=PauseBody.of(lane.pause, principal),
            weight=lane.weight,
            aging=lane.relief.aging,
            reserve=ReserveBody.of(lane.relief.reserve),
        )


class Queues(Answer, frozen=True, kw_only=True):
    """By name. next: the cursor of the following page, null at the end."""

    queues: list[LaneBody]
    next: str | None = None


class Tenants(Answer, frozen=True, kw_only=True):
    """By name. next: the cursor of the following page, null at the end."""

    tenants: list[LaneBody]
    next: str | None
