"""Capacities on the wire."""

from typing import Annotated, Self

from msgspec import Meta

from tenure.core.flow.capacity import JOBS, Capacity
from tenure.core.flow.place import Place
from tenure.edge.body import Answer
from tenure.edge.requests import Why
from tenure.edge.scalars import Name


class SetCapacity(Why, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of a queue, a tenant, or a queue of one tenant. Without capacity it is taken away."""

    queue: Name | None = None
    tenant: Name | None = None
    capacity: Annotated[int, Meta(ge=JOBS[0], le=JOBS[1])] | None = None

    @property
    def place(self) -> Place:
        return Place(queue=self.queue or "", tenant=self.tenant or "")


class CapacityBody(Answer, frozen=True, kw_only=True):
    """Of a queue, a tenant, or a queue of one tenant. waiting: jobs that wait there, counted up to the capacity."""

    queue: str | None
    tenant: str | None
    capacity: int
    waiting: int

    @classmethod
    def of(cls, rule: Capacity, waiting: int) -> Self:
        return cls(
            queue=rule.place.queue or None, tenant=rule.place.tenant or None, capacity=rule.jobs, waiting=waiting
        )


class Capacities(Answer, frozen=True, kw_only=True):
    """By queue and tenant. next: the cursor of the following page, null at the end."""

    capacities: list[CapacityBody]
    next: int | None


class CapacityChanged(Answer, frozen=True, kw_only=True):
    """changed: whether it was otherwise before. capacity: as it stands now, null where none does."""

    changed: bool
    capacity: CapacityBody | None
