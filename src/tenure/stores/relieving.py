"""A claim under a relief, part by part, in every store: what `core.flow.relief` says, over the steps of
`core.flow.fairness`."""

from collections.abc import Sequence
from typing import Final, Protocol

from tenure.core.fields import PRIORITY_RANGE
from tenure.core.flow import fairness
from tenure.core.flow import relief as rules
from tenure.core.flow.relief import Credit, Given, Level, Relief, Ripening
from tenure.core.lease import Lease
from tenure.stores.script import Script

LOWEST: Final = PRIORITY_RANGE[0]
HIGHEST: Final = PRIORITY_RANGE[1]


class Parts(Protocol):
    """A claim that can be taken in parts."""

    @property
    def free(self) -> int:
        """Slots that are not filled yet."""

    @property
    def leases(self) -> Sequence[Lease]:
        """What was taken."""

    def level(self, most: int, tenants: int) -> Script[Level | None]:
        """The highest level at or below `most` that has an open lane. tenants: how many of them are looked at."""

    def take(self, slots: int, most: int, least: int) -> Script[int]:
        """Fills so many slots from the levels between these two, the highest first; how many were filled."""


def relieved(parts: Parts, relief: Relief, credit: Credit) -> Script[Given]:
    """Takes everything that the claim may have."""
    reserved = yield from _of_the_reserve(parts, relief, credit)
    ripe, level = yield from _of_ripe_levels(parts, relief, credit)
    if parts.free > 0:  # A part that waits for slots of the worker has ended the claim; then this takes nothing.
        yield from parts.take(parts.free, HIGHEST, LOWEST)
    most = LOWEST - 1 if relief.reserve is None else relief.reserve.most
    low = sum(lease.priority <= most for lease in parts.leases)
    return Given(relief, len(parts.leases), low, reserved, ripe, level)


def _of_the_reserve(parts: Parts, relief: Relief, credit: Credit) -> Script[int]:
    slots = rules.reserved_slots(relief, credit, parts.free)
    if relief.reserve is None or not slots:
        return 0
    return (yield from parts.take(slots, relief.reserve.most, LOWEST))


def _of_ripe_levels(parts: Parts, relief: Relief, credit: Credit) -> Script[tuple[int, int | None]]:
    """How many slots were filled, and the level that was served last."""
    slots, served = rules.ripe_slots(relief, credit, parts.free), (0, None)
    top = (yield from parts.level(HIGHEST, 1)) if slots else None
    if relief.aging is None or top is None:
        return served
    ripening = Ripening(relief.aging, top.priority, credit.level)
    while ripening.most is not None and len(ripening.ripe) < slots:
        ripening.saw((yield from parts.level(ripening.most, rules.TENANTS)))
    return (yield from _in_shares(parts, ripening.ripe, slots))


def _in_shares(parts: Parts, levels: Sequence[int], slots: int) -> Script[tuple[int, int | None]]:
    filled, last = 0, None
    for level, share in zip(levels, fairness.shares(slots, len(levels)) if levels else (), strict=True):
        taken = yield from parts.take(share, level, level)
        filled, last = filled + taken, level if taken else last
    return filled, last
