"""What gives low priorities progress beside urgent ones: aging and reserved capacity, of a queue.

Strict priorities let a steady stream of urgent jobs keep all others waiting. In a queue with a relief the slots of a
claim are dealt out in this order; `core.flow.fairness` says how each part of them is filled:

1. The reserve: of all slots `percent` of a hundred go to jobs at or below the priority `most`, the highest first.
2. Aging: of the others every second one goes to levels that are ripe, to each in its turn. The highest level with an
   open lane is the top; a lower one is ripe when a job of it has waited `aging` seconds for each step between the two.
   It is looked for among the heads of the lanes of the next tenants in turn, `TENANTS` at most, in `LEVELS` levels at
   most.
3. What is left, and what the first two could not fill, goes from the highest priority downward as ever.

A job that takes several slots of its worker counts one; where it stands last in a part, it takes what it needs of the
others' slots, and where too few are free in all, the claim ends before it (`core.flow.choosing`).

So no other slot stays empty while a job could start. Jobs age by where they stand in a queue with others, never by
their rows, and a mass of old jobs gets no more than every second slot: the top keeps the rest, whatever waits below it.

What a claim of few slots cannot deal out is a claimer's `Credit`: claims of one slot keep the shares of claims of a
hundred. Claimers know nothing of each other; over all of them a share holds but for one slot of each.
"""

import re
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import msgspec

from tenure.core import fields
from tenure.core.errors import InvalidInput

STEP: Final = 10
"""Of priority: from one label to the next (low, medium, high, critical)."""
AGING: Final = (0.001, 31 * 86_400.0)
"""Seconds that a step can be worth."""
PERCENT: Final = (1, 90)
TENANTS: Final = 16
"""Whose lanes are looked at to see whether a level is ripe."""
LEVELS: Final = 8
"""Levels at which a claim looks."""
_RESERVE: Final = re.compile(r"(\d{1,3})\s*%?(?::(.+))?").fullmatch
_ALL: Final = 100
_RIPE: Final = 50
"""Of a hundred slots that are not reserved: what ripe levels get."""


class Reserve(msgspec.Struct, frozen=True):
    """So many of a hundred slots are for jobs at or below the priority `most`, where there are any."""

    percent: int
    most: int


class Relief(msgspec.Struct, frozen=True):
    """Of a queue. aging: seconds of waiting that are worth a step of priority; None: nobody gets ahead by waiting."""

    aging: float | None = None
    reserve: Reserve | None = None


class Credit(msgspec.Struct, frozen=True):
    """What a claimer's claims on a queue have not dealt out yet, in hundredths of a slot.

    reserved: to the reserve. ripe: to ripe levels. level: the ripe one that was served last.
    """

    reserved: int = 0
    ripe: int = 0
    level: int | None = None


class Given(msgspec.Struct, frozen=True):
    """What a claim under a relief dealt out. started: jobs, those at or below the reserve's priority among them `low`.

    reserved, ripe: slots that were filled by the first and the second rule. level: the ripe one that was served last.
    """

    relief: Relief
    started: int
    low: int = 0
    reserved: int = 0
    ripe: int = 0
    level: int | None = None


class Level(NamedTuple):
    """A priority at which a lane is open. oldest: run_at of the job at its heads that has waited longest."""

    priority: int
    oldest: datetime
    now: datetime


def made(aging: Any = None, reserve: Reserve | None = None) -> Relief:
    """aging: seconds. reserve: of `reserve_of` or `reserve_for`. Raises InvalidInput."""
    return Relief(None if aging is None else fields.number("aging", aging, *AGING), reserve)


def reserve_for(percent: Any, most: Any = "low") -> Reserve:
    """most: a label or a number. Raises InvalidInput."""
    return Reserve(fields.whole("reserve", percent, *PERCENT), fields.priority("priority", most))


def reserve_of(text: Any) -> Reserve:
    """Of `10%` or `10%:medium`: a share, and the highest priority that it is for. Raises InvalidInput."""
    found = _RESERVE(text.strip()) if isinstance(text, str) else None
    if found is None:
        raise InvalidInput("reserve", "is no share", hint="Write 10%, or 10%:medium for all up to medium.")
    percent, most = found.groups()
    is_number = most is not None and re.fullmatch(r"-?\d{1,5}", most)
    return reserve_for(int(percent), "low" if most is None else int(most) if is_number else most)


def in_words(relief: Relief) -> str:
    said = [] if relief.aging is None else [f"aging {relief.aging:g} s a step"]
    if relief.reserve is not None:
        said.append(f"reserve {relief.reserve.percent} % up to {fields.priority_label(relief.reserve.most)}")
    return ", ".join(said) or "none"


def reserved_slots(relief: Relief, credit: Credit, free: int) -> int:
    """How many of the free slots the reserve is due."""
    if relief.reserve is None:
        return 0
    return min(free, (credit.reserved + relief.reserve.percent * free) // _ALL)


def ripe_slots(relief: Relief, credit: Credit, free: int) -> int:
    """How many of the free slots, without those of the reserve, ripe levels are due."""
    return 0 if relief.aging is None else min(free, (credit.ripe + _RIPE * free) // _ALL)


def is_ripe(seconds: float, top: int, level: Level) -> bool:
    """seconds: that a step is worth."""
    return level.now - level.oldest >= timedelta(seconds=seconds * (top - level.priority) / STEP)


def after(credit: Credit, given: Given | None) -> Credit:
    """A claimer's account after a claim. Nothing is saved up: what nobody could take is owed once, not many times."""
    if given is None:
        return credit
    said = given.relief.reserve
    share = 0 if said is None else said.percent
    reserved = credit.reserved + share * given.started - _ALL * given.low
    ripe = credit.ripe + _RIPE * (given.started - given.reserved) - _ALL * given.ripe
    return Credit(
        reserved=0 if said is None else _kept(reserved),
        ripe=0 if given.relief.aging is None else _kept(ripe),
        level=credit.level if given.level is None else given.level,
    )


def _kept(account: int) -> int:
    """Less than a slot."""
    return max(0, min(account, _ALL - 1))


def begun(chance: float) -> Credit:
    """Of a claimer that begins, so that claimers of few claims keep the shares too. chance: from 0 to 1."""
    return Credit(reserved=int(chance * _ALL), ripe=int(chance * _RIPE))


class Ripening:
    """A round of the levels below the top, from the one that was served last downward, then from the top to that one.

    most: where to look for the next level, at it or below; None at the end. ripe: those that were found so.
    """

    def __init__(self, seconds: float, top: int, last: int | None) -> None:
        self._seconds, self._top = seconds, top
        self._last = last if last is not None and last < top else None
        self._is_wrapped = self._last is None
        self._left = LEVELS
        self.most: int | None = top - 1 if self._last is None else self._last - 1
        self.ripe: list[int] = []

    def saw(self, level: Level | None) -> None:
        """level: what stands at or below `most`."""
        self._left -= 1
        if level is None or (self._is_wrapped and self._last is not None and level.priority < self._last):
            self.most = None if self._is_wrapped else self._top - 1
            self._is_wrapped = True
        else:
            self.most = level.priority - 1
            if is_ripe(self._seconds, self._top, level):
                self.ripe.append(level.priority)
        if not self._left:
            self.most = None
