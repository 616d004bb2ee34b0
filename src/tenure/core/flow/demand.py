"""What a job takes while it runs, by its kind: slots of its worker, and named resources that several kinds share."""

from collections.abc import Collection, Mapping
from typing import Any, Final

import msgspec

from tenure.core import fields
from tenure.core.errors import InvalidInput, TooLarge

SLOTS: Final = (1, 1000)
USES: Final = 20
"""Resources of one kind."""


class Demand(msgspec.Struct, frozen=True):
    """slots: of its worker, and in each limit of concurrency that it has. uses: names of resources, sorted."""

    slots: int = 1
    uses: tuple[str, ...] = ()


PLAIN: Final = Demand()
"""Of a kind of which nothing is said: one slot, and nothing shared."""

Demands = Mapping[str, Demand]
"""By kind; those that are not among them are plain."""

NONE: Final[Demands] = {}


def checked_uses(said: Any) -> tuple[str, ...]:
    """As they may be stored. Raises InvalidInput, TooLarge."""
    if isinstance(said, str) or not isinstance(said, Collection):
        raise InvalidInput("uses", "must be a list of names of resources", hint='Write ["smtp"].')
    named = tuple(sorted({fields.name("uses", name) for name in said}))
    if len(named) > USES:
        raise TooLarge("uses", f"names {len(named)} resources, more than the {USES} allowed")
    return named


def checked_slots(said: Any) -> int:
    """Raises InvalidInput."""
    return fields.whole("slots", said, *SLOTS)


def of(demands: Demands, kind: str) -> Demand:
    return demands.get(kind, PLAIN)
