"""Limits: how many jobs may run at once, and how often one may start. The one place that decides whether there is room.

A limit stands at a place (`core.flow.place`): for the whole store, a queue, a kind, a tenant, a kind of one tenant, or
a resource; a job needs room in all of those that it has. How many run is counted from live leases whenever somebody
claims, so there is no number that could leak; the tokens of a rate are a row that every claim writes which takes some.

A limit of concurrency counts slots: a job whose kind takes three (`core.flow.demand`) counts three, or as many as the
limit has, if those are fewer. A rate counts starts. Where there is some room, but too little for a job whose turn it
is, the room is kept for it: nothing behind it takes any in the same claim, and the next claim begins with it again.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from enum import Enum, auto
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from tenure.core import fields
from tenure.core.errors import InvalidInput
from tenure.core.flow import demand
from tenure.core.flow.demand import Demand, Demands
from tenure.core.flow.place import EVERY_QUEUE, Place, places, words_of

CONCURRENCY: Final = (1, 1_000_000)
STARTS: Final = (1, 1_000_000)
PERIODS: Final = (0.001, 31 * 86_400.0)
"""Seconds that a rate can be said over."""
_UNITS: Final = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_RATE: Final = re.compile(r"(\d{1,7})/(\d{1,7}(?:\.\d{1,6})?)?(ms|s|min|h|d)").fullmatch
_SAID: Final = {1.0: "second", 60.0: "minute", 3600.0: "hour", 86_400.0: "day"}
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
    """A limit, and how many slots the jobs under it take that run now, by live leases."""

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


class Room(NamedTuple):
    """What is left at a place. most: the whole of a limit of concurrency."""

    slots: int = CONCURRENCY[1]
    starts: int = STARTS[1]
    most: int = CONCURRENCY[1]

    @property
    def is_open(self) -> bool:
        return self.slots > 0 and self.starts > 0

    def needs(self, slots: int) -> int:
        """What a job takes of it: no more than there ever is."""
        return min(slots, self.most)


def room(use: LimitUse, now: datetime) -> Room:
    """How much more may start."""
    left = Room() if use.limit.rate is None else Room(starts=max(0, math.floor(free(use.limit, now))))
    if use.limit.concurrency is None:
        return left
    return left._replace(slots=max(0, use.limit.concurrency - use.running), most=use.limit.concurrency)


def spent(limit: Limit, starts: int, now: datetime) -> Limit:
    """After so many have started; negative: after so many have been given back before they began."""
    if limit.rate is None:
        return limit
    return replace(limit, tokens=min(free(limit, now) - starts, float(limit.rate.burst)), filled_at=now)


def in_words(limit: Limit) -> str:
    """What is allowed."""
    said = [] if limit.concurrency is None else [f"{limit.concurrency} at once"]
    if limit.rate is not None:
        period = _SAID.get(limit.rate.seconds, f"{limit.rate.seconds:g} s")
        said.append(f"{limit.rate.starts} a {period}, {limit.rate.burst} together")
    return ", ".join(said) or "none"


def full_in_words(use: LimitUse, now: datetime) -> str:
    """Of a limit without room: which one, what is allowed, and what is taken of it."""
    rate, taken = use.limit.rate, [f"{use.running:,} run"] if use.limit.concurrency is not None else []
    if rate is not None and (missing := 1 - free(use.limit, now)) > 0:
        taken.append(f"the next start is free in {missing * rate.seconds / rate.starts:,.1f} s")
    return f"{words_of(use.limit.place)} is at its limit: {', '.join([in_words(use.limit), *taken])}"


class Admission(Enum):
    """Whether a job may start. SHORT: there is some room, but too little for it; it is kept from now on."""

    FITS = auto()
    FULL = auto()
    SHORT = auto()


class Rooms:
    """What is left at each place during one claim. A place that is not among them has no limit."""

    def __init__(self, left: Mapping[Place, Room] | None = None, demands: Demands = demand.NONE) -> None:
        self._left = dict(left or {})
        self._demands = demands
        self.taken: Counter[Place] = Counter()
        self.kept: set[Place] = set()

    def add(self, left: Mapping[Place, Room]) -> None:
        """Places that are looked at only now."""
        self._left.update(left)

    def is_open(self, queue: str, kind: str, tenant: str) -> bool:
        """Whether a job of this lane may start, but for how much it takes."""
        return not self._left or all(room.is_open for _, room in self._of(queue, kind, tenant))

    @property
    def are_endless(self) -> bool:
        """Whether there is no limit at all, and no kind takes more than one slot."""
        return not self._left and not self._demands

    def judge(self, queue: str, kind: str, tenant: str) -> Admission:
        """Whether a job of this lane may start."""
        if not self._left:
            return Admission.FITS
        found = self._of(queue, kind, tenant)
        if not all(room.is_open for _, room in found):
            return Admission.FULL
        slots = self.demand(kind).slots
        short = [place for place, room in found if room.slots < room.needs(slots)]
        if short:
            self.kept.update(short)
            self._left.update({place: self._left[place]._replace(slots=0) for place in short})
            return Admission.SHORT
        return Admission.FITS

    def take(self, queue: str, kind: str, tenant: str) -> None:
        """The room of a job that starts."""
        slots = self.demand(kind).slots
        for place, room in self._of(queue, kind, tenant) if self._left else ():
            self._left[place] = room._replace(slots=room.slots - room.needs(slots), starts=room.starts - 1)
            self.taken[place] += 1

    @property
    def full(self) -> set[Place]:
        """Limits of concurrency that have no room left, or none that is not kept."""
        return {place for place, room in self._left.items() if room.slots <= 0}

    def demand(self, kind: str) -> Demand:
        return demand.of(self._demands, kind)

    def _of(self, queue: str, kind: str, tenant: str) -> list[tuple[Place, Room]]:
        own = places(queue, kind, tenant, self.demand(kind).uses)
        return [(place, self._left[place]) for place in own if place in self._left]


def frees(full: Collection[Place], own: Iterable[Place]) -> str | None:
    """The queue in which claims may find room once a job ends that these places have: `EVERY_QUEUE` where the limit is
    of several; None where no limit of it is full. full: of `Rooms`, after the claim that took the job."""
    shut = [place for place in own if place in full]
    if not shut:
        return None
    queues = {place.queue for place in shut}
    return EVERY_QUEUE if EVERY_QUEUE in queues else queues.pop()


def running_at(
    limits: Iterable[Limit], counts: Iterable[tuple[str, str, str, int]], demands: Demands = demand.NONE
) -> list[LimitUse]:
    """counts: jobs under live leases by queue, kind and tenant."""
    found: Counter[Place] = Counter()
    for queue, kind, tenant, jobs in counts:
        takes = demand.of(demands, kind)
        for place in places(queue, kind, tenant, takes.uses):
            found[place] += jobs * takes.slots
    return [LimitUse(limit, found[limit.place]) for limit in limits]


def rooms_of(uses: Iterable[LimitUse], now: datetime) -> dict[Place, Room]:
    return {use.limit.place: room(use, now) for use in uses}
