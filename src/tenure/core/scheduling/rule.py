"""The calendar rule of a schedule: cron, an interval, a recurrence rule of RFC 5545, or a list of dates; and its zone.

Cron expressions, recurrence rules and dates without an offset name wall times of the zone; `core.scheduling.wall_time`
says which instants these are. An interval is counted from its start, in real time, so that nothing moves it.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import count
from typing import Any, Final

import msgspec

from tenure.core import fields
from tenure.core.errors import InvalidInput, TooLarge
from tenure.core.scheduling import cron, recurrence, recurring, wall_time

UTC_NAME: Final = "UTC"
SHORTEST: Final = 1.0
"""Seconds of an interval."""
LONGEST: Final = 366 * 86_400.0 * 10
DATES: Final = 1000

NEVER: Final = "rule_never_occurs"
"""The code of a refusal."""
_LAST: Final = datetime(9000, 1, 1, tzinfo=UTC)
"""No occurrence is looked for past it: behind it the calendar of the library ends."""


class Form(StrEnum):
    CRON = "cron"
    EVERY = "every"
    RRULE = "rrule"
    DATES = "dates"


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A rule as it is said, unchecked; None says nothing. Exactly one of the first four says when.

    every: seconds or a timedelta. dates: ISO 8601 texts or datetimes; one without an offset is a wall time of the zone,
    one without a time midnight there.
    """

    cron: Any = None
    every: Any = None
    rrule: Any = None
    dates: Any = None
    tz: Any = None
    starts_at: Any = None


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A checked rule. text: five fields; seconds; an RRULE; instants between commas. tz: an IANA name. starts_at:
    nothing occurs before it; an interval is counted from it, and it is a recurrence's DTSTART."""

    form: Form
    text: str
    tz: str = UTC_NAME
    starts_at: datetime

    @property
    def follows_real_time(self) -> bool:
        """Whether a clock change moves no occurrence. Other rules name fixed wall times."""
        if self.form is Form.CRON:
            return cron.follows_real_time(self.text)
        return self.form is not Form.RRULE or recurrence.follows_real_time(self.text)


def checked(said: Said, now: datetime, stands: Rule | None = None) -> Rule:
    """starts_at: unless said that of the rule which stands, if it says the same else; or `now`, to the second, where
    it is counted from, and 1970 where not.

    Raises InvalidInput, also for a rule that never occurs after `now`; TooLarge.
    """
    forms = [form for form in Form if getattr(said, form) is not None]
    if len(forms) != 1:
        words = f"{', '.join(Form)}: exactly one of them says when"
        raise InvalidInput(str(forms[1] if forms else Form.CRON), words, code="bad_rule")
    form = forms[0]
    tz = UTC_NAME if said.tz is None else fields.text("tz", said.tz)
    wall_time.zone_of(tz)
    counts_from_start = form in (Form.EVERY, Form.RRULE)
    start = fields.instant("starts_at", said.starts_at) or (now if counts_from_start else fields.EARLIEST)
    text = _text(form, getattr(said, form), tz)
    rule = Rule(form=form, text=text, tz=tz, starts_at=start.astimezone(UTC).replace(microsecond=0))
    if said.starts_at is None and stands is not None and (stands.form, stands.text, stands.tz) == (form, rule.text, tz):
        return stands
    if next_after(rule, now) is None:
        raise InvalidInput(str(form), f"{rule.text!r} never occurs", code=NEVER, hint="Ask for a preview of the rule.")
    return rule


def occurrences(rule: Rule, after: datetime) -> Iterator[datetime]:
    """The instants past `after`, in UTC, rising, each once."""
    begin = max(after, rule.starts_at - timedelta(microseconds=1))
    for instant in _FINDERS[rule.form](rule, begin):
        if instant >= _LAST:
            return
        yield instant


def next_after(rule: Rule, after: datetime) -> datetime | None:
    return next(occurrences(rule, after), None)


def _text(form: Form, said: Any, tz: str) -> str:
    if form is Form.CRON:
        return cron.checked("cron", said)
    if form is Form.RRULE:
        return recurrence.checked("rrule", said)
    if form is Form.EVERY:
        seconds = timedelta(seconds=fields.duration("every", said, least=SHORTEST, most=LONGEST)).total_seconds()
        return f"{seconds:.6f}".rstrip("0").rstrip(".")
    return ",".join(map(_iso, _dates(said, tz)))


def _dates(said: Any, tz: str) -> Sequence[datetime]:
    if isinstance(said, str) or not isinstance(said, (list, tuple)) or not said:
        raise InvalidInput("dates", "must be a list of dates", code="bad_rule")
    if len(said) > DATES:
        raise TooLarge("dates", f"has {len(said):,} entries, more than the {DATES:,} allowed")
    return sorted({_date(f"dates[{place}]", date, tz) for place, date in enumerate(said)})


def _date(field: str, said: Any, tz: str) -> datetime:
    found = said
    if isinstance(said, str):
        try:
            found = datetime.fromisoformat(fields.text(field, said))
        except ValueError as error:
            if isinstance(error, InvalidInput):
                raise
            raise InvalidInput(field, f"{said!r} is no ISO 8601 date", code="bad_rule") from None
    elif not isinstance(said, datetime):
        raise InvalidInput(field, "must be an ISO 8601 text or a datetime", code="bad_rule")
    if found.utcoffset() is None:
        (found,) = wall_time.instants_of(found.replace(tzinfo=None), wall_time.zone_of(tz))
    return (fields.instant(field, found) or found).replace(microsecond=0)


def _iso(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")


def _of_cron(rule: Rule, after: datetime) -> Iterator[datetime]:
    return wall_time.instants_after(
        lambda start: cron.walls(rule.text, start),
        wall_time.zone_of(rule.tz),
        after,
        follows_real_time=rule.follows_real_time,
    )


def _of_recurrence(rule: Rule, after: datetime) -> Iterator[datetime]:
    zone = wall_time.zone_of(rule.tz)
    start = wall_time.wall_of(rule.starts_at, zone)
    said = recurrence.parsed(rule.text, start)
    found = wall_time.instants_after(
        lambda begin: recurring.walls(rule.text, start, begin),
        zone,
        after,
        follows_real_time=rule.follows_real_time,
    )
    for instant in found:
        if said.until_is_utc and said.until is not None and instant > said.until:
            return
        yield instant


def _of_interval(rule: Rule, after: datetime) -> Iterator[datetime]:
    step = timedelta(seconds=float(rule.text))
    passed = max(-1, (after - rule.starts_at) // step)
    return (rule.starts_at + step * number for number in count(passed + 1))


def _of_dates(rule: Rule, after: datetime) -> Iterator[datetime]:
    found = map(datetime.fromisoformat, rule.text.split(","))
    return (instant for instant in found if instant > after)


_FINDERS: Final = {
    Form.CRON: _of_cron,
    Form.EVERY: _of_interval,
    Form.RRULE: _of_recurrence,
    Form.DATES: _of_dates,
}
