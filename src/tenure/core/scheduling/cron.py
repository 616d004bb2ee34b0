"""Cron expressions: five fields, as Debian's cron reads them. The library is told wall times and knows of no zone; it
is loaded for the first expression, as most workers have none."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from tenure.core import fields
from tenure.core.errors import InvalidInput, TooLarge

CHARACTERS: Final = 500
_NICKNAMES: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_FIELD: Final = re.compile(r"[0-9A-Za-z*/,#-]{1,200}")
_LONG_NUMBER: Final = re.compile(r"[0-9]{5}")
_SECOND: Final = timedelta(seconds=1)
_HINT: Final = "Write minute, hour, day of the month, month and day of the week, as in `0 9 1 * *`."


def checked(field: str, value: object) -> str:
    """The five fields with single blanks between them, nicknames written out. Raises InvalidInput."""
    from cronsim import CronSim, CronSimError

    said = fields.text(field, value)
    if len(said) > CHARACTERS:
        raise TooLarge(field, f"has {len(said)} characters, more than the {CHARACTERS} allowed")
    parts = _NICKNAMES.get(said.strip().lower(), said).split()
    if len(parts) != 5:
        raise InvalidInput(field, f"has {len(parts)} fields, not five", code="bad_rule", hint=_HINT)
    for part in parts:
        if not _FIELD.fullmatch(part) or _LONG_NUMBER.search(part):
            raise InvalidInput(field, f"{part!r} is no field of a cron expression", code="bad_rule", hint=_HINT)
    text = " ".join(parts)
    try:
        CronSim(text, datetime(2000, 1, 1))  # noqa: DTZ001 (a wall time)
    except CronSimError as error:
        raise InvalidInput(field, f"{text!r}: {_lower(error)}", code="bad_rule", hint=_HINT) from None
    except (AssertionError, TypeError, ValueError):
        raise InvalidInput(field, f"{text!r} is no cron expression", code="bad_rule", hint=_HINT) from None
    return text


def follows_real_time(text: str) -> bool:
    """Whether minute or hour hold a wildcard or a step. Any other expression names fixed wall times."""
    minute, hour = text.split()[:2]
    return any(mark in part for part in (minute, hour) for mark in "*/")


def walls(text: str, start: datetime) -> Iterator[datetime]:
    """The wall times of a checked expression from `start` on; the search for the next one ends after fifty years."""
    from cronsim import CronSim

    found = CronSim(text, _before(start))
    while True:
        try:
            yield next(found)
        except (StopIteration, OverflowError):
            return


def _before(start: datetime) -> datetime:
    """The library answers what is past a second."""
    return start - (start.microsecond == 0) * _SECOND


def _lower(error: Exception) -> str:
    words = str(error)
    return words[:1].lower() + words[1:]
