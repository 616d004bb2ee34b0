"""Limits and weights on the wire."""

from typing import Annotated, Self

from msgspec import Meta

from tenure.core.flow.fairness import WEIGHTS
from tenure.core.flow.limits import CONCURRENCY, PERIODS, STARTS, Limit, LimitUse, Rate
from tenure.core.flow.limits import rate as made
from tenure.core.flow.place import Place
from tenure.edge.body import Answer
from tenure.edge.requests import Body, Why
from tenure.edge.scalars import Name

_Starts = Annotated[int, Meta(ge=STARTS[0], le=STARTS[1])]


class RateBody(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """So many starts in so many seconds, evenly. burst: at most so many at once after a silence; left out, what two
    seconds give, 1 at least."""

    starts: _Starts
    seconds: Annotated[float, Meta(ge=PERIODS[0], le=PERIODS[1])] = 1.0
    burst: _Starts | None = None

    @classmethod
    def of(cls, rate: Rate) -> Self:
        return cls(starts=rate.starts, seconds=rate.seconds, burst=rate.burst)

    def rate(self) -> Rate:
        return made(self.starts, self.seconds, self.burst)


class SetLimit(Why, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of a queue, a type, a tenant, a type of one tenant, or a resource; of the whole store where none is said. Without
    concurrency and rate the limit is taken away."""

    queue: Name | None = None
    type: Name | None = None
    tenant: Name | None = None
    resource: Name | None = None
    concurrency: Annotated[int, Meta(ge=CONCURRENCY[0], le=CONCURRENCY[1])] | None = None
    rate: RateBody | None = None

    @property
    def place(self) -> Place:
        return Place(self.queue or "", self.type or "", self.tenant or "", self.resource or "")


class SetWeight(Why, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """weight: slots in each round of turns; 1 is what every tenant has."""

    weight: Annotated[int, Meta(ge=WEIGHTS[0], le=WEIGHTS[1])]


class LimitBody(Answer, frozen=True, kw_only=True):
    """Of a queue, a type, a tenant, a type of one tenant, or a resource; of the whole store where all are null.
    running: slots of the jobs under it that run now. tokens: starts that stood free when one was taken last."""

    queue: str | None
    type: str | None
    tenant: str | None
    resource: str | None = None
    concurrency: int | None
    rate: RateBody | None
    running: int

    @classmethod
    def of(cls, use: LimitUse) -> Self:
        limit: Limit = use.limit
        return cls(
            queue=limit.place.queue or None,
            type=limit.place.kind or None,
            tenant=limit.place.tenant or None,
            resource=limit.place.resource or None,
            concurrency=limit.concurrency,
            rate=None if limit.rate is None else RateBody.of(limit.rate),
            running=use.running,
        )


class Limits(Answer, frozen=True, kw_only=True):
    """By queue, type and tenant. next: the cursor of the following page, null at the end."""

    limits: list[LimitBody]
    next: int | None


class LimitChanged(Answer, frozen=True, kw_only=True):
    """changed: whether it was otherwise before. limit: as it stands now, null where none does."""

    changed: bool
    limit: LimitBody | None


class WeightChanged(Answer, frozen=True, kw_only=True):
    """changed: whether it was otherwise before."""

    name: str
    weight: int
    changed: bool
