"""What low priorities get in a queue, on the wire."""

from typing import Annotated, Self

from msgspec import Meta

from tenure.core.flow.relief import AGING, PERCENT, Relief, Reserve, made, reserve_for
from tenure.edge.body import Answer
from tenure.edge.requests import Body, Why
from tenure.edge.scalars import Number
from tenure.edge.words import Label, priority_of


class ReserveBody(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """So many of a hundred starts are for jobs at or below a priority, where there are any."""

    percent: Annotated[int, Meta(ge=PERCENT[0], le=PERCENT[1])]
    priority: Label | Number = "low"

    @classmethod
    def of(cls, said: Reserve | None) -> Self | None:
        return None if said is None else cls(percent=said.percent, priority=priority_of(said.most))

    def reserve(self) -> Reserve:
        return reserve_for(self.percent, self.priority)


class SetQueue(Why, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Both, one of them, or none: what is left out or null is taken away."""

    aging: Annotated[float, Meta(ge=AGING[0], le=AGING[1])] | None = None
    reserve: ReserveBody | None = None

    def relief(self) -> Relief:
        return made(self.aging, None if self.reserve is None else self.reserve.reserve())


class QueueChanged(Answer, frozen=True, kw_only=True):
    """changed: whether it was otherwise before. aging, reserve: as they stand now."""

    name: str
    changed: bool
    aging: float | None
    reserve: ReserveBody | None
