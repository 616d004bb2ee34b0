"""Queues and tenants on the wire."""

from typing import Self

from tenure.core.principal import Principal
from tenure.edge.body import Answer
from tenure.edge.pauses import PauseBody
from tenure.edge.reliefs import ReserveBody
from tenure.edge.scalars import Instant
from tenure.operations.overviews import Overview


class OverviewBody(Answer, frozen=True, kw_only=True):
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
    def of(cls, overview: Overview, principal: Principal) -> Self:
        return cls(
            name=overview.name,
            jobs={state.value: jobs for state, jobs in overview.jobs.items()},
            oldest_run_at=overview.oldest_run_at,
            pause=PauseBody.of(overview.pause, principal),
            weight=overview.weight,
            aging=overview.relief.aging,
            reserve=ReserveBody.of(overview.relief.reserve),
        )


class Queues(Answer, frozen=True, kw_only=True):
    """By name. next: the cursor of the following page, null at the end."""

    queues: list[OverviewBody]
    next: str | None = None


class Tenants(Answer, frozen=True, kw_only=True):
    """By name. next: the cursor of the following page, null at the end."""

    tenants: list[OverviewBody]
    next: str | None
