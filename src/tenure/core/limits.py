"""Limits: how many jobs may run at once, and how often one may start. The one place that decides whether there is room.

A limit stands at a place (`core.place`): for the whole store, a queue, a kind, a tenant, or a kind of one tenant; a job
needs room in all of those that it has. How many run is counted from live leases whenever somebody claims, so there is
no number that could leak; the tokens of a rate are a row that every claim writes which takes some.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

import msgspec
from msgspec.structs import replace

from tenure.core import fields
from tenure.core.errors import InvalidInput
from tenure.core.place import Place, places

CONCURRENCY: Final = (1, 1_000_000)
STARTS: Final = (1, 1_000_000)
PERIODS: Final = (0.001, 31 * 86_400.0)
"""Seconds that a rate can be said over."""
_UNITS: Final = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_RATE: Final = re.compile(r"(\d{1,7})/(\d{1,7}(?:\.\d{1,6})?)?(ms|s|min|h|d)").fullmatch
_USUAL_BURST: Final = 2.0
"""Seconds' worth of starts that a bucket holds unless said: workers that poll once a second lose none."""


class Rate(msgspec.Struct, frozen=True):
    """So many starts in so many seconds, evenly; burst: at most so many at once after a silence."""

    starts: int
    seconds: float
    burst: int


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """concurrency: so many may run at once, None without a limit. tokens: starts that stood free at `filled_at`.

    is_declared: the concurrency is what a kind was declared with, and follows its next declaration; what an operator
    has set does not.
    """

    place: Place
    concurrency: int | None = None
    rate: Rate | None = None
    tokens: float = 0.0
    filled_at: datetime | None = None
    is_declared: bool = False


class LimitUse(msgspec.Struct, frozen=True):
    """A limit, and how many jobs run under it now, by live leases."""

    limit: Limit
    running: int


def rate(starts: int, seconds: float = 1.0, burst: int | None = None) -> Rate:
    """Raises InvalidInput."""
    checked = fields.whole("rate", starts, *STARTS), fields.number("rate", seconds, *PERIODS)
    usual = max(1, math.ceil(_USUAL_BURST * checked[0] / checked[1]))
    return Rate(*checked, fields.whole("burst", burst, *STARTS) if burst is not None else min(usual, STARTS[1]))


def rate_of(text: str, burst: int | None = None) -> Rate:
    """Of `10/s`, `100/min`, `5/2h`: starts, and a period with its unit. Raises InvalidInput."""
    found = _RATE(text.strip()) if isinstance(text, str) else None
    if found is None:
        raise InvalidInput("rate", "is no rate", hint="Write starts and a period: 10/s, 100/min, 5/2h.")
    starts, many, unit = found.groups()
    return rate(int(starts), float(many or 1) * _UNITS[unit], burst)


def changed(before: Limit | None, place: Place, concurrency: int | None, rate: Rate | None, now: datetime) -> Limit:
    """The limit at `place` from now on. A bucket that is new is full; one that stands keeps what fits of its tokens."""
    if rate is None:
        return Limit(place=place, concurrency=concurrency)
    tokens = float(rate.burst) if before is None or before.rate is None else min(free(before, now), float(rate.burst))
    return Limit(place=place, concurrency=concurrency, rate=rate, tokens=tokens, filled_at=now)


def declared(before: Limit | None, kind: str, concurrency: int | None) -> Limit:
    """The limit at a kind that is declared with this concurrency."""
    stands = Limit(place=Place(kind=kind)) if before is None else before
    if stands.concurrency is not None and not stands.is_declared:
        return stands
    return replace(stands, concurrency=concurrency, is_declared=concurrency is not None)


def free(limit: Limit, now: datetime) -> float:
    """The tokens of a limit with a rate."""
    if limit.rate is None or limit.filled_at is None:
        raise InvalidInput("rate", "is not limited here")
    passed = max(0.0, (now - limit.filled_at).total_seconds())
    return min(float(limit.rate.burst), limit.tokens + passed * limit.rate.starts / limit.rate.seconds)


def room(use: LimitUse, now: datetime) -> int:
    """How many more may start."""
    rooms = [] if use.limit.concurrency is None else [use.limit.concurrency - use.running]
    if use.limit.rate is not None:
        rooms.append(math.floor(free(use.limit, now)))
    return max(0, min(rooms, default=0))


def spent(limit: Limit, starts: int, now: datetime) -> Limit:
    """After so many have started; negative: after so many have been given back before they began."""
    if limit.rate is None:
        return limit
    return replace(limit, tokens=min(free(limit, now) - starts, float(limit.rate.burst)), filled_at=now)


def in_words(limit: Limit) -> str:
    """What is allowed."""
    said = [] if limit.concurrency is None else [f"{limit.concurrency} at once"]
    if limit.rate is not None:
        period = "second" if limit.rate.seconds == 1 else f"{limit.rate.seconds:g} s"
        said.append(f"{limit.rate.starts} a {period}, {limit.rate.burst} together")
    return ", ".join(said) or "none"


class Rooms:
    """What is left at each place during one claim. A place that is not among them has no limit."""

    def __init__(self, left: Mapping[Place, int] | None = None) -> None:
        self._left = dict(left or {})
        self.taken: Counter[Place] = Counter()

    def add(self, left: Mapping[Place, int]) -> None:
        """Places that are looked at only now."""
        self._left.update(left)

    def is_open(self, queue: str, kind: str, tenant: str) -> bool:
        """Whether a job of this lane may start."""
        return not self._left or all(self._left.get(place, 1) > 0 for place in places(queue, kind, tenant))

    def admit(self, queue: str, kind: str, tenant: str) -> bool:
        """Whether a job of this lane may start; then it takes its room."""
        if not self.is_open(queue, kind, tenant):
            return False
        for place in places(queue, kind, tenant) if self._left else ():
            if place in self._left:
                self._left[place] -= 1
                self.taken[place] += 1
        return True


def running_at(limits: Iterable[Limit], counts: Iterable[tuple[str, str, str, int]]) -> list[LimitUse]:
    """counts: jobs under live leases by queue, kind and tenant."""
    found: Counter[Place] = Counter()
    for queue, kind, tenant, jobs in counts:
        for place in places(queue, kind, tenant):
            found[place] += jobs
    return [LimitUse(limit, found[limit.place]) for limit in limits]


def rooms_of(uses: Iterable[LimitUse], now: datetime) -> dict[Place, int]:
    return {use.limit.place: room(use, now) for use in uses}
