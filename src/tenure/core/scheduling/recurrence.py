"""Recurrence rules of RFC 5545 (RRULE): which are taken, and what they say. `core.scheduling.recurring` makes wall
times of them."""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from functools import lru_cache
from math import prod
from typing import Final

import msgspec

from tenure.core import fields
from tenure.core.errors import InvalidInput, TooLarge

CHARACTERS: Final = 500
MOST: Final = 10_000
"""Of COUNT and INTERVAL."""
TIMES: Final = 96
"""Of a day."""
SPARSE_TIMES: Final = 24
"""Of a day, where INTERVAL or BYSETPOS leaves some out."""

_KEYS: Final = (
    "FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYMONTH", "BYWEEKNO", "BYYEARDAY", "BYMONTHDAY", "BYDAY", "BYHOUR",
    "BYMINUTE", "BYSECOND", "BYSETPOS",
)  # fmt: skip
_FREQUENCIES: Final = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY")
_DAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_DAY: Final = re.compile(r"(?:[+-]?([1-9]|[1-4][0-9]|5[0-3]))?(?:MO|TU|WE|TH|FR|SA|SU)")
_DAYS_AT_MOST: Final = {"YEARLY": 366, "MONTHLY": 31, "WEEKLY": 7, "DAILY": 1, "HOURLY": 1}
"""Of a period."""
_OF_DAYS: Final = ("BYWEEKNO", "BYYEARDAY", "BYMONTHDAY", "BYDAY")
_OWN: Final = frozenset({"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYSETPOS"})
_HINT: Final = "Write it as in RFC 5545: FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17."


class Parsed(msgspec.Struct, frozen=True, kw_only=True):
    """A rule taken apart. until: a naive wall time, or an instant where `until_is_utc`. yearly: the rule of every year
    that has all of its occurrences."""

    frequency: str
    interval: int
    count: int | None
    until: datetime | None
    until_is_utc: bool
    week_start: int
    places: tuple[int, ...]
    yearly: str


def checked(field: str, value: object) -> str:
    """The rule's keys in one order, in capitals. Raises InvalidInput."""
    parts = _parts(field, value)
    text = ";".join(f"{key}={parts[key]}" for key in _KEYS if key in parts)
    _check(field, parts)
    try:
        parsed(text, datetime(2000, 1, 1))  # noqa: DTZ001 (a wall time)
    except InvalidInput:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        raise InvalidInput(field, f"{text!r} is no recurrence rule", code="bad_rule", hint=_HINT) from None
    return text


def follows_real_time(text: str) -> bool:
    """Whether it recurs by the hour. Any other rule names fixed wall times."""
    return text.startswith("FREQ=HOURLY")


@lru_cache(maxsize=1024)
def parsed(text: str, start: datetime) -> Parsed:
    """A checked rule. start: its DTSTART, a naive wall time."""
    said = dict(part.split("=", 1) for part in text.split(";"))
    until, is_utc = _until(said["UNTIL"]) if "UNTIL" in said else (None, False)
    yearly = {"FREQ": "YEARLY", **{key: said[key] for key in said if key not in _OWN}, **_unsaid(said, start)}
    found = Parsed(
        frequency=said["FREQ"],
        interval=int(said.get("INTERVAL", "1")),
        count=int(said["COUNT"]) if "COUNT" in said else None,
        until=until,
        until_is_utc=is_utc,
        week_start=_DAYS.index(said.get("WKST", "MO")),
        places=tuple(int(place) for place in said["BYSETPOS"].split(",")) if "BYSETPOS" in said else (),
        yearly=";".join(f"{key}={value}" for key, value in yearly.items()),
    )
    dates(found.yearly, start)
    return found


def dates(rule: str, start: datetime) -> Iterable[datetime]:
    """Of a rule of a year, from a naive wall time on. Raises what dateutil does for a rule that it does not take."""
    from dateutil.rrule import rrulestr  # Few have such schedules: the others do without it in memory.

    return rrulestr(rule, dtstart=start)


def _unsaid(said: dict[str, str], start: datetime) -> dict[str, str]:
    """What DTSTART says in the place of the rule, and what the wider period would take for granted."""
    frequency, told = said["FREQ"], {}
    has_days = any(key in said for key in _OF_DAYS)
    if frequency == "YEARLY" and not has_days and "BYMONTH" not in said:
        told["BYMONTH"] = str(start.month)
    if frequency == "MONTHLY" and "BYMONTH" not in said:
        told["BYMONTH"] = ",".join(map(str, range(1, 13)))
    if not has_days:
        told |= {
            "YEARLY": {"BYMONTHDAY": str(start.day)},
            "MONTHLY": {"BYMONTHDAY": str(start.day)},
            "WEEKLY": {"BYDAY": _DAYS[start.weekday()]},
        }.get(frequency, {"BYDAY": ",".join(_DAYS)})
    if "BYHOUR" not in said:
        told["BYHOUR"] = ",".join(map(str, range(24))) if frequency == "HOURLY" else str(start.hour)
    if "BYMINUTE" not in said:
        told["BYMINUTE"] = str(start.minute)
    if "BYSECOND" not in said:
        told["BYSECOND"] = str(start.second)
    return told


def _until(text: str) -> tuple[datetime, bool]:
    """A date means its whole day."""
    if len(text) == 8:
        return datetime.combine(_date(text), time.max.replace(microsecond=0)), False
    day, clock = _date(text[:8]), text[8:].removesuffix("Z")
    if len(clock) != 7 or clock[0] != "T" or not clock[1:].isascii() or not clock[1:].isdecimal():
        raise ValueError(text)
    wall = datetime.combine(day, time(int(clock[1:3]), int(clock[3:5]), int(clock[5:7])))
    return (wall.replace(tzinfo=UTC), True) if text.endswith("Z") else (wall, False)


def _date(text: str) -> date:
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(text)
    return date(int(text[:4]), int(text[4:6]), int(text[6:8]))


def _parts(field: str, value: object) -> dict[str, str]:
    said = fields.text(field, value).strip().upper().removeprefix("RRULE:")
    if len(said) > CHARACTERS:
        raise TooLarge(field, f"has {len(said)} characters, more than the {CHARACTERS} allowed")
    parts: dict[str, str] = {}
    for part in said.rstrip(";").split(";"):
        key, _, text = part.partition("=")
        if (
            key not in _KEYS
            or key in parts
            or not text
            or not set(text) <= set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ,+-")
        ):
            raise InvalidInput(field, f"{part!r} is no part of a recurrence rule", code="bad_rule", hint=_HINT)
        parts[key] = text
    return parts


def _check(field: str, parts: dict[str, str]) -> None:
    frequency = parts.get("FREQ")
    if frequency not in _FREQUENCIES:
        hint = "Recur by the minute or second with a cron expression or an interval."
        raise InvalidInput(field, f"FREQ must be one of {', '.join(_FREQUENCIES)}", code="bad_rule", hint=hint)
    for key in ("INTERVAL", "COUNT"):
        number = parts.get(key, "1")
        if not (number.isascii() and number.isdecimal()) or len(number) > 5 or not 1 <= int(number) <= MOST:
            raise InvalidInput(field, f"{key} must be from 1 to {MOST:,}", code="bad_rule")
    if "COUNT" in parts and "UNTIL" in parts:
        raise InvalidInput(field, "COUNT and UNTIL exclude each other", code="bad_rule")
    days = parts["BYDAY"].split(",") if "BYDAY" in parts else []
    if not all(map(_DAY.fullmatch, days)) or parts.get("WKST", "MO") not in _DAYS:
        raise InvalidInput(field, "BYDAY and WKST hold MO, TU, WE, TH, FR, SA, SU", code="bad_rule", hint=_HINT)
    has_ordinals = any(len(day) > 2 for day in days)
    if has_ordinals and (frequency not in _FREQUENCIES[:2] or "BYWEEKNO" in parts):
        raise InvalidInput(field, "BYDAY counts weekdays only in a month or year", code="bad_rule")
    _check_numbers(field, parts)


_NUMBERS: Final = {
    "BYMONTH": (1, 12, False), "BYWEEKNO": (1, 53, True), "BYYEARDAY": (1, 366, True), "BYMONTHDAY": (1, 31, True),
    "BYHOUR": (0, 23, False), "BYMINUTE": (0, 59, False), "BYSECOND": (0, 59, False), "BYSETPOS": (1, 366, True),
}  # fmt: skip
"""Least and most of a key's numbers, and whether they may be counted from the end."""


def _check_numbers(field: str, parts: dict[str, str]) -> None:
    for key, (least, most, may_be_negative) in _NUMBERS.items():
        for text in parts[key].split(",") if key in parts else ():
            number = int(text) if text.lstrip("+-").isdecimal() and len(text) < 6 else None
            size = None if number is None else abs(number) if may_be_negative else number
            if size is None or not least <= size <= most:
                raise InvalidInput(field, f"{key} holds {text}, not a number from {least} to {most}", code="bad_rule")
    _check_times(field, parts)


def _check_times(field: str, parts: dict[str, str]) -> None:
    """So that the search for what never occurs looks at few times, and a place that no period has is known at once."""
    counts = {key: len(set(parts[key].split(","))) for key in ("BYHOUR", "BYMINUTE", "BYSECOND") if key in parts}
    is_hourly = parts["FREQ"] == "HOURLY"
    of_day = prod(({"BYHOUR": 24} | counts if is_hourly else counts).values())
    most = TIMES if parts.get("INTERVAL", "1") == "1" and "BYSETPOS" not in parts else SPARSE_TIMES
    if of_day > most:
        raise InvalidInput(field, f"names {of_day:,} times of a day, more than the {most}", code="bad_rule")
    of_period = of_day * _DAYS_AT_MOST[parts["FREQ"]] if not is_hourly else of_day // counts.get("BYHOUR", 24)
    places = [abs(int(place)) for place in parts["BYSETPOS"].split(",")] if "BYSETPOS" in parts else [1]
    if min(places) > of_period:
        raise InvalidInput(field, f"BYSETPOS is past the {of_period:,} of a period", code="rule_never_occurs")
