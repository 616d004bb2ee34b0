"""The slots of a rule that have passed and that nobody has decided on: how many, which of them are newest, what is
next.

However long nobody looked, few slots are kept and a bounded number is looked at.
"""

from collections import deque
from datetime import datetime, timedelta
from itertools import islice, takewhile
from typing import Final

import msgspec

from tenure.core.scheduling.rule import Form, Rule, next_after, occurrences

COUNTED: Final = 5_000
"""Slots that are counted one by one."""

_MOMENT: Final = timedelta(microseconds=1)
_SHORTEST_LOOK: Final = timedelta(minutes=1)


class Passed(msgspec.Struct, frozen=True):
    """newest: the last ones, rising. first: the first of all. count: how many there are, None where that is not known.
    next_at: the first one that has not passed."""

    newest: tuple[datetime, ...]
    first: datetime | None
    count: int | None
    next_at: datetime | None


def passed(rule: Rule, since: datetime, now: datetime, keep: int) -> Passed:
    """The slots from `since` to `now`, both inclusive. keep: of how many the instants are wanted."""
    ahead = occurrences(rule, since - _MOMENT)
    newest: deque[datetime] = deque(maxlen=keep)
    first: datetime | None = None
    for number, instant in enumerate(ahead):
        if instant > now:
            return Passed(tuple(newest), first, number, instant)
        if number == COUNTED:
            return Passed(_newest(rule, since, now, keep), first, _counted(rule, since, now), next_after(rule, now))
        first = instant if first is None else first
        newest.append(instant)
        count = number + 1
    return Passed(tuple(newest), first, count if newest else 0, None)


def _newest(rule: Rule, since: datetime, now: datetime, keep: int) -> tuple[datetime, ...]:
    """Looked for from further and further back, until there are enough."""
    back = _SHORTEST_LOOK
    while True:
        begin = max(since - _MOMENT, now - back)
        found = deque(takewhile(lambda instant: instant <= now, occurrences(rule, begin)), maxlen=keep)
        if len(found) == keep or begin < since:
            return tuple(found)
        back *= 2


def _counted(rule: Rule, since: datetime, now: datetime) -> int | None:
    if rule.form is not Form.EVERY:
        return None
    (first,) = islice(occurrences(rule, since - _MOMENT), 1)
    return (now - first) // timedelta(seconds=float(rule.text)) + 1
