"""Pauses of queues, kinds and tenants on the wire."""

from collections.abc import Sequence
from typing import Self

from msgspec import UNSET, UnsetType

from tenure.core.flow.pause import Pause
from tenure.core.principal import Action, Principal
from tenure.edge.body import Answer
from tenure.edge.scalars import Instant


class PauseBody(Answer, frozen=True, kw_only=True):
    """No job of it starts until it is resumed. at: since when. who, why: for those who read the audit."""

    at: Instant
    who: str | UnsetType = UNSET
    why: str | UnsetType = UNSET

    @classmethod
    def of(cls, pause: Pause | None, principal: Principal) -> Self | None:
        """None where there is none."""
        if pause is None:
            return None
        if not principal.may(Action.READ_AUDIT):
            return cls(at=pause.at)
        return cls(at=pause.at, who=pause.who, why=pause.why)


class PauseChanged(Answer, frozen=True, kw_only=True):
    """changed: whether it was otherwise before. pause: what stands now, null where nothing does."""

    name: str
    changed: bool
    pause: PauseBody | None


def by_name(pauses: Sequence[Pause]) -> dict[str, Pause]:
    """Pauses of one subject."""
    return {pause.name: pause for pause in pauses}
