"""Wall time ↔ instants: the one rule for zones and clock changes.

A rule names wall times, and each becomes instants:

1. A wall time that exists once is that instant.
2. One that a clock set back shows twice: the first of both. A rule that follows real time has both.
3. One that a clock set forward skips: the instant at which it was set forward, and a wall time that is there already
   makes no second one. A rule that follows real time has none.
"""

import heapq
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tenure.core import fields
from tenure.core.errors import InvalidInput

Walls = Callable[[datetime], Iterator[datetime]]
"""Naive wall times from the given one on, rising."""

_DAY: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)


@lru_cache(maxsize=512)
def zone_of(name: str) -> ZoneInfo:
    """The zone of an IANA name. Raises InvalidInput."""
    fields.name("tz", name)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        hint = "Write a name of the IANA database, as Europe/Amsterdam or UTC."
        raise InvalidInput("tz", f"there is no time zone {name!r}", code="bad_zone", hint=hint) from None


def wall_of(instant: datetime, zone: ZoneInfo) -> datetime:
    """What the clocks of the zone show, naive."""
    return instant.astimezone(zone).replace(tzinfo=None, fold=0)


def instants_of(wall: datetime, zone: ZoneInfo, *, follows_real_time: bool = False) -> tuple[datetime, ...]:
    """Those of a naive wall time, in UTC: none, one or two."""
    first, second = (_in_utc(wall, zone, fold) for fold in (0, 1))
    if first == second:
        return (first,)
    if first < second:
        return (first, second) if follows_real_time else (first,)
    return () if follows_real_time else (_change_between(second, first, zone),)


def instants_after(
    walls: Walls, zone: ZoneInfo, after: datetime, *, follows_real_time: bool = False
) -> Iterator[datetime]:
    """The instants past `after` (UTC) of a rule's wall times: rising, each once."""
    waiting: list[datetime] = []
    last = after
    for wall in walls(_first_wall(after, zone)):
        found = instants_of(wall, zone, follows_real_time=follows_real_time)
        for instant in found:
            heapq.heappush(waiting, instant)
        while waiting and found and waiting[0] <= found[0]:
            instant = heapq.heappop(waiting)
            if instant > last:
                last = instant
                yield instant
    yield from (instant for instant in sorted(set(waiting)) if instant > last)


def _first_wall(after: datetime, zone: ZoneInfo) -> datetime:
    """The earliest wall time that the zone shows past `after`: where its clocks are about to be set back, one that they
    have shown before."""
    now, soon = after.astimezone(zone).utcoffset(), (after + _DAY).astimezone(zone).utcoffset()
    set_back = (now or timedelta()) - (soon or timedelta())
    return wall_of(after, zone) - max(set_back, timedelta())


def _in_utc(wall: datetime, zone: ZoneInfo, fold: int) -> datetime:
    return wall.replace(tzinfo=zone, fold=fold).astimezone(UTC)


def _change_between(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """The instant between both at which the clocks of the zone were changed, to the second."""
    low, high = before.replace(microsecond=0), after.replace(microsecond=0) + _SECOND
    then = low.astimezone(zone).utcoffset()
    while high - low > _SECOND:
        middle = (low + (high - low) / 2).replace(microsecond=0)
        low, high = (middle, high) if middle.astimezone(zone).utcoffset() == then else (low, middle)
    return high
