"""Resources on the wire."""

from typing import Self

from tenure.core.principal import Principal
from tenure.edge.body import Answer
from tenure.edge.limits import LimitBody
from tenure.edge.pauses import PauseBody
from tenure.operations.list_resources import Resource


class ResourceBody(Answer, frozen=True, kw_only=True):
    """What several kinds share. kinds: that use it."""

    name: str
    kinds: tuple[str, ...]
    limit: LimitBody | None
    pause: PauseBody | None

    @classmethod
    def of(cls, found: Resource, principal: Principal) -> Self:
        return cls(
            name=found.name,
            kinds=found.kinds,
            limit=None if found.limit is None else LimitBody.of(found.limit),
            pause=PauseBody.of(found.pause, principal),
        )


class Resources(Answer, frozen=True, kw_only=True):
    """next: the cursor of the following page, null at the end."""

    resources: list[ResourceBody]
    next: str | None
