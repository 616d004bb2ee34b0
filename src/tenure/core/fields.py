"""The checks of single arguments, one rule each, so that every face refuses the same input in the same words.

Empty and blank are not missing: None means «nothing said», "" is refused.
"""

import uuid
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from tenure.core import defaults
from tenure.core.errors import InvalidInput, TooLarge
from tenure.core.payloads.documents import UNSTORABLE, bad_text

PRIORITIES: Final = {"low": 0, "medium": 10, "high": 20, "critical": 30}
PRIORITY_RANGE: Final = (-32_768, 32_767)
ATTEMPTS_RANGE: Final = (1, 10_000)
RUN_TIME_RANGE: Final = (0.001, 366 * 86_400.0)
LONGEST_DELAY: Final = 366 * 86_400.0 * 100
EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(9999, 12, 30, tzinfo=UTC)
"""In every zone it is still the year 9999: a session of PostgreSQL shows instants in its own, and nobody reads a later
year."""


def text(field: str, value: Any) -> str:
    """A non-blank string that both databases can store; the text of a member of an enumeration."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be text, not {type(value).__name__}")
    plain = str.__str__(value)
    if not plain.strip():
        raise InvalidInput(field, "is blank", hint="Leave it out, or give it a value.")
    if UNSTORABLE.search(plain):
        raise bad_text(field, plain)
    return plain


def words(field: str, value: Any) -> str:
    """Text for people, perhaps none; what cannot be stored of it is replaced where it is."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be text, not {type(value).__name__}")
    return value


def flag(field: str, value: Any) -> bool:
    """Yes or no."""
    if type(value) is not bool:
        raise InvalidInput(field, f"must be True or False, not {type(value).__name__}")
    return value


def function(field: str, value: Any) -> Callable[..., Any]:
    """Something that can be called."""
    if not callable(value):
        raise InvalidInput(field, f"must be a function, not {type(value).__name__}")
    return value  # type: ignore[no-any-return]


def members(field: str, value: Any) -> dict[str, Any]:
    """An object: values by name."""
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"must be an object (dict), not {type(value).__name__}")
    return dict(value)


def several(field: str, value: Any) -> tuple[Any, ...]:
    """Things one after the other, read once: a generator is none afterwards. One text is no list of them."""
    if isinstance(value, (str, bytes, bytearray)) or not isinstance(value, Iterable):
        raise InvalidInput(field, f"must be a list, not {type(value).__name__}", hint="Write [one], where it is one.")
    return tuple(value)


def name(field: str, value: Any) -> str:
    """A kind, queue, tenant, tag or worker name: 1 to 200 characters."""
    said = text(field, value)
    if len(said) > defaults.NAME_CHARACTERS:
        raise TooLarge(field, f"has {len(said)} characters, more than the {defaults.NAME_CHARACTERS} allowed")
    return said


def key(field: str, value: Any) -> str | None:
    """An idempotency or order key: 1 to 512 UTF-8 bytes, or None."""
    if value is None:
        return None
    said = text(field, value)
    size = len(said.encode())
    if size > defaults.KEY_BYTES:
        raise TooLarge(field, f"is {size:,} bytes, more than the {defaults.KEY_BYTES} allowed")
    return said


def code(field: str, value: Any) -> str:
    """An error code: at most 100 characters."""
    said = text(field, value)
    if len(said) > defaults.CODE_CHARACTERS:
        raise TooLarge(field, f"has {len(said)} characters, more than the {defaults.CODE_CHARACTERS} allowed")
    return said


def job_id(field: str, value: Any) -> str:
    """A UUID in its canonical spelling."""
    if isinstance(value, uuid.UUID):
        return str(value)
    try:
        return str(uuid.UUID(text(field, value)))
    except ValueError as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(field, "is not a UUID") from None


def whole(field: str, value: Any, least: int, most: int) -> int:
    """An integer from `least` to `most`; bool is none."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidInput(field, f"must be a whole number, not {type(value).__name__}")
    if not least <= value <= most:
        raise InvalidInput(field, f"must be from {least:,} to {most:,}")
    return int(value)


def number(field: str, value: Any, least: float, most: float) -> float:
    """A finite number from `least` to `most`; bool is none."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise InvalidInput(field, f"must be a number, not {type(value).__name__}")
    if not least <= value <= most:
        raise InvalidInput(field, f"must be from {least:g} to {most:,.12g}")
    return float(value)


def priority(field: str, value: Any) -> int:
    """A label of PRIORITIES, or an integer that fits in 16 bits."""
    if isinstance(value, str):
        if value not in PRIORITIES:
            raise InvalidInput(field, f"must be one of {', '.join(PRIORITIES)}, or a whole number")
        return PRIORITIES[value]
    return whole(field, value, *PRIORITY_RANGE)


def priority_label(value: int) -> str:
    """The label of a priority, or its number as text where it has none."""
    return next((label for label, number in PRIORITIES.items() if number == value), str(value))


def instant(field: str, value: Any) -> datetime | None:
    """An aware datetime in UTC, from 1970 on, or None; one at the end of time is cut to `LATEST`."""
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"must be a datetime, not {type(value).__name__}")
    if value.tzinfo is None or value.utcoffset() is None:
        raise InvalidInput(
            field,
            f"{value.isoformat()} has no time zone",
            code="naive_datetime",
            hint="Write datetime.now(UTC), or give the datetime a tzinfo.",
        )
    try:
        utc = value.astimezone(UTC)
    except OverflowError:  # In UTC the first year is not reached yet, or the last one over.
        utc = LATEST if value.year == LATEST.year else datetime.min.replace(tzinfo=UTC)
    if utc < EARLIEST:
        raise InvalidInput(field, "is before 1970")
    return min(utc, LATEST)


def duration(field: str, value: Any, *, least: float = 0.0, most: float = LONGEST_DELAY) -> float:
    """Seconds as a finite number; a timedelta is taken too."""
    if isinstance(value, timedelta):
        value = value.total_seconds()
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise InvalidInput(field, f"must be seconds or a timedelta, not {type(value).__name__}")
    if not least <= value <= most:
        raise InvalidInput(field, f"must be from {least:g} to {most:,.12g} seconds")
    return float(value)


def run_time(field: str, value: Any, most: float = RUN_TIME_RANGE[1]) -> float:
    """For how long something may run: more than nothing, at most a year."""
    return duration(field, value, least=RUN_TIME_RANGE[0], most=most)


def tags(field: str, value: Any) -> tuple[str, ...]:
    """At most 20 names."""
    if not isinstance(value, (list, tuple)):
        raise InvalidInput(field, "must be a list of text")
    if len(value) > defaults.TAGS:
        raise TooLarge(field, f"has {len(value)} entries, more than the {defaults.TAGS} allowed")
    return tuple(name(f"{field}[{i}]", item) for i, item in enumerate(value))
