"""The wall times of a recurrence rule.

The library searches day by day in the rule's own periods, for seconds where a rule never occurs. Asked for the days of
whole years it answers at once; so each rule is put as one of every year, and what its period, INTERVAL and BYSETPOS
leave of that is taken here.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import MAXYEAR, datetime, timedelta
from functools import lru_cache
from itertools import groupby, islice
from typing import Final

from tenure.core.scheduling.recurrence import Parsed, dates, parsed

YEARS: Final = 50
"""How far the next occurrence is looked for."""
COUNTED_YEARS: Final = 200
"""How far a COUNT is followed."""

_LONGEST_PERIOD: Final = timedelta(days=31)
"""Of those that a turn of the year divides."""
_SECOND: Final = timedelta(seconds=1)


def walls(text: str, start: datetime, begin: datetime) -> Iterator[datetime]:
    """Those of a checked rule with this DTSTART, a naive wall time, from `begin` on; UNTIL in UTC leaves out none."""
    rule = parsed(text, start)
    last = _last(text, start) if rule.count is not None else None
    if rule.until is not None and not rule.until_is_utc:
        last = rule.until if last is None else min(last, rule.until)
    for wall in _endless(rule, start, max(begin, start)):
        if last is not None and wall > last:
            return
        yield wall


@lru_cache(maxsize=1024)
def _last(text: str, start: datetime) -> datetime:
    """The last wall time that COUNT leaves; of a rule without any, its start."""
    rule = parsed(text, start)
    last = start
    for wall in islice(_endless(rule, start, start), rule.count):
        if wall.year > start.year + COUNTED_YEARS:
            break
        last = wall
    return last


def _endless(rule: Parsed, start: datetime, begin: datetime) -> Iterator[datetime]:
    """Without COUNT and UNTIL; it ends where so many years have none."""
    last: datetime | None = begin
    while last is not None:
        begin, last = last, None
        for last in _in_years(rule, start, begin):
            yield last
        last = None if last is None else last + _SECOND


def _in_years(rule: Parsed, start: datetime, begin: datetime) -> Iterator[datetime]:
    number_of = _PERIODS[rule.frequency](rule.week_start)
    first = number_of(start)
    for number, members in groupby(_candidates(rule, begin), number_of):
        if (number - first) % rule.interval == 0:
            yield from (wall for wall in _placed(members, rule.places) if wall >= begin)


def _candidates(rule: Parsed, begin: datetime) -> Iterator[datetime]:
    """What occurs with an interval of 1, from before the period of `begin` on."""
    for year in range((begin - _LONGEST_PERIOD).year, min(begin.year + YEARS + 1, MAXYEAR)):
        yield from _year(rule, year)


def _year(rule: Parsed, year: int) -> Iterator[datetime]:
    """Those of one year: with so long an interval the library looks no further, also where it finds nothing."""
    start = datetime(year, 1, 1)  # noqa: DTZ001 (a wall time)
    found: Iterator[datetime] = iter(dates(f"{rule.yearly};INTERVAL={MAXYEAR}", start))
    return found


def _placed(members: Iterator[datetime], places: tuple[int, ...]) -> Iterable[datetime]:
    """BYSETPOS: of all occurrences of a period those in these places, counted from 1, or from -1 at the end."""
    if not places:
        return members
    period = list(members)
    found = {place - 1 if place > 0 else len(period) + place for place in places}
    return [period[index] for index in sorted(found) if 0 <= index < len(period)]


_Number = Callable[[datetime], int]

_PERIODS: Final[dict[str, Callable[[int], _Number]]] = {
    "YEARLY": lambda _week_start: lambda wall: wall.year,
    "MONTHLY": lambda _week_start: lambda wall: wall.year * 12 + wall.month,
    "WEEKLY": lambda week_start: lambda wall: (wall.toordinal() - 1 - week_start) // 7,
    "DAILY": lambda _week_start: lambda wall: wall.toordinal(),
    "HOURLY": lambda _week_start: lambda wall: wall.toordinal() * 24 + wall.hour,
}
"""The number of the period that a wall time lies in."""
