"""Rules of schedules: what is refused, what occurs, and the one rule for zones and clock changes."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from random import Random
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr

from tenure.core.errors import InvalidInput
from tenure.core.scheduling import recurring
from tenure.core.scheduling import rule as rules
from tenure.core.scheduling.rule import Rule

ZONES = (
    "UTC", "America/New_York", "Europe/Amsterdam", "Australia/Lord_Howe", "America/Santiago", "Asia/Kathmandu",
)  # fmt: skip
MINUTE = timedelta(minutes=1)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def rule(now: str = "2025-01-01", **said: object) -> Rule:
    return rules.checked(rules.Said(**said), utc(now))


def first(made: Rule, after: str, count: int) -> list[datetime]:
    return list(islice(rules.occurrences(made, utc(after)), count))


def between(made: Rule, since: datetime, until: datetime) -> list[datetime]:
    found: list[datetime] = []
    for instant in rules.occurrences(made, since - timedelta(microseconds=1)):
        if instant >= until:
            break
        found.append(instant)
    return found


# Cron against a scan of every minute


class Expression:
    """A random cron expression, and what its fields allow, known without the parser."""

    def __init__(self, dice: Random) -> None:
        fields = [self._field(dice, least, most) for least, most in ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))]
        self.text = " ".join(text for text, _ in fields)
        self.minutes, self.hours, self.days, self.months, self.weekdays = (allowed for _, allowed in fields)
        texts = self.text.split()
        self.days_and = texts[2].startswith("*") or texts[4].startswith("*")
        self.follows_real_time = any(mark in texts[0] + texts[1] for mark in "*/")

    def _field(self, dice: Random, least: int, most: int) -> tuple[str, set[int]]:
        form = dice.choice(("*", "step", "one", "several", "range", "range step"))
        low, high = sorted((dice.randint(least, most), dice.randint(least, most)))
        step = dice.randint(2, 15)
        several = sorted({dice.randint(least, most) for _ in range(3)})
        return {
            "*": ("*", set(range(least, most + 1))),
            "step": (f"*/{step}", set(range(least, most + 1)[::step])),
            "one": (str(low), {low}),
            "several": (",".join(map(str, several)), set(several)),
            "range": (f"{low}-{high}", set(range(low, high + 1))),
            "range step": (f"{low}-{high}/{step}", set(range(low, high + 1)[::step])),
        }[form if low < high or "range" not in form else "one"]

    def allows(self, wall: datetime) -> bool:
        of_days = wall.day in self.days, wall.isoweekday() % 7 in self.weekdays
        return (
            wall.minute in self.minutes
            and wall.hour in self.hours
            and wall.month in self.months
            and (all(of_days) if self.days_and else any(of_days))
        )


class Calendar:
    """The minutes of a span in a zone: of each instant the wall time, and of each wall time the instants."""

    def __init__(self, zone: str, since: datetime, until: datetime) -> None:
        self.walls: dict[datetime, datetime] = {}
        self.instants: dict[datetime, list[datetime]] = {}
        place = ZoneInfo(zone)
        instant = since
        while instant < until:
            wall = instant.astimezone(place).replace(tzinfo=None)
            self.walls[instant] = wall
            self.instants.setdefault(wall, []).append(instant)
            instant += MINUTE

    def skipped(self) -> Iterator[tuple[datetime, datetime]]:
        """The wall times that no instant shows, each with the instant at which the clocks were set forward."""
        before: datetime | None = None
        for instant, wall in self.walls.items():
            missing = wall if before is None else before + MINUTE
            while missing < wall:
                yield missing, instant
                missing += MINUTE
            before = wall


def scanned(expression: Expression, calendar: Calendar) -> list[datetime]:
    if expression.follows_real_time:
        return [instant for instant, wall in calendar.walls.items() if expression.allows(wall)]
    found = {instants[0] for wall, instants in calendar.instants.items() if expression.allows(wall)}
    found |= {instant for wall, instant in calendar.skipped() if expression.allows(wall)}
    return sorted(found)


def check_equal_to_a_scan(expressions: int, days: int, seed: int) -> None:
    since = utc("2025-01-01T12:00")
    until = since + timedelta(days=days)
    calendars = {zone: Calendar(zone, since, until) for zone in ZONES}
    dice, made, occurred = Random(seed), 0, 0
    while made < expressions:
        expression = Expression(dice)
        try:
            tried = rule(now="2024-12-31", cron=expression.text, tz=ZONES[0], starts_at=utc("2024-12-31"))
        except InvalidInput:  # days that its months do not have
            continue
        made += 1
        zone = ZONES[made % len(ZONES)]
        tried = Rule(form=tried.form, text=tried.text, tz=zone, starts_at=tried.starts_at)
        expected = scanned(expression, calendars[zone])
        occurred += len(expected)
        assert between(tried, since, until) == expected, (expression.text, zone)
    assert occurred


def test_cron_equals_a_scan_of_every_minute() -> None:
    check_equal_to_a_scan(expressions=60, days=120, seed=5545)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_cron_equals_a_scan_of_every_minute_of_two_years_for_500_expressions() -> None:
    check_equal_to_a_scan(expressions=500, days=730, seed=10107)


# Clock changes (FAULTS B33, B34)


def test_a_wildcard_runs_in_both_halves_of_a_repeated_hour() -> None:
    """B33"""
    since, until = utc("2026-11-01T07:00"), utc("2026-11-01T11:01")
    hourly = rule(cron="0 * * * *", tz="America/Los_Angeles")
    minutely = rule(cron="* * * * *", tz="America/Los_Angeles")

    assert between(hourly, since, until) == [since + timedelta(hours=hours) for hours in range(5)]
    assert between(minutely, since, until) == [since + timedelta(minutes=minutes) for minutes in range(241)]


@pytest.mark.parametrize("text", ["30 2 * * *", "30 1 * * *"])
def test_a_fixed_wall_time_occurs_once_a_day_whatever_the_clocks_do(text: str) -> None:
    """B34"""
    zone = ZoneInfo("America/New_York")
    daily = rule(cron=text, tz="America/New_York", starts_at=utc("2024-12-01"))
    year = between(daily, datetime(2025, 1, 1, tzinfo=zone), datetime(2026, 1, 1, tzinfo=zone))

    assert len(year) == 365
    assert len({instant.astimezone(zone).date() for instant in year}) == 365


def test_a_skipped_wall_time_occurs_at_the_end_of_the_gap_and_a_repeated_one_the_first_time() -> None:
    """B34"""
    in_gap = rule(cron="0,30 2 * * *", tz="America/New_York")
    in_fold = rule(cron="30 1 * * *", tz="America/New_York")

    assert between(in_gap, utc("2025-03-09"), utc("2025-03-10")) == [utc("2025-03-09T07:00")]
    assert between(in_fold, utc("2025-11-02"), utc("2025-11-03")) == [utc("2025-11-02T05:30")]


def test_a_wall_time_at_the_end_of_the_gap_and_one_inside_it_are_one_occurrence() -> None:
    both = rule(cron="0 2,3 * * *", tz="America/New_York")

    assert between(both, utc("2025-03-09"), utc("2025-03-10")) == [utc("2025-03-09T07:00")]


def test_a_date_without_an_offset_is_a_wall_time_and_midnight_without_a_time() -> None:
    made = rule(dates=["2025-03-09T02:30", "2025-07-01", "2025-07-01T12:00+02:00"], tz="America/New_York")

    assert first(made, "2025-01-01", 5) == [utc("2025-03-09T07:00"), utc("2025-07-01T04:00"), utc("2025-07-01T10:00")]


# What never occurs, and what is no rule (FAULTS B36)


def test_leap_days_are_found_over_a_century_without_one() -> None:
    """B36"""
    made = rule(cron="0 9 29 2 *", now="2096-02-29T09:00")

    assert rules.next_after(made, utc("2096-02-29T09:00")) == utc("2104-02-29T09:00")


IMPOSSIBLE = (
    {"cron": "0 0 31 2 *"},
    {"cron": "0 0 30 02 *"},
    {"cron": "0 0 31 4,6,9,11 *"},
    {"cron": "99 * * * *"},
    {"cron": "0 0 * *"},
    {"cron": "0 0 * * * *"},
    {"cron": "* * * * " + "1," * 150 + "1"},
    {"cron": "1#2/3 * * * *"},
    {"cron": "\u0661 * * * *"},
    {"rrule": "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"},
    {"rrule": "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30"},
    {"rrule": "FREQ=MONTHLY;INTERVAL=12;BYMONTH=2"},
    {"rrule": "FREQ=DAILY;INTERVAL=7;BYDAY=TU"},
    {"rrule": "FREQ=HOURLY;INTERVAL=2;BYHOUR=1,3,5,7"},
    {"rrule": "FREQ=HOURLY;BYSETPOS=5"},
    {"rrule": "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=-2"},
    {"rrule": "FREQ=DAILY;UNTIL=20200101"},
    {"rrule": "FREQ=MINUTELY"},
    {"rrule": "FREQ=WEEKLY;BYDAY=2MO"},
    {"rrule": "FREQ=MONTHLY;BYDAY=99FR"},
    {"rrule": "FREQ=MONTHLY;BYMONTHDAY=99999999999"},
    {"rrule": "FREQ=DAILY;COUNT=3;UNTIL=20300101"},
    {"rrule": "FREQ=DAILY;UNTIL=2030"},
    {"rrule": "DTSTART:20250101T000000\nRRULE:FREQ=DAILY"},
    {"every": 0.1},
    {"every": "60"},
    {"dates": []},
    {"dates": ["2020-01-01"]},
    {"dates": ["yesterday"]},
    {"cron": "* * * * *", "every": 60},
    {},
    {"cron": "* * * * *", "tz": "Mars/Olympus"},
    {"cron": "* * * * *", "tz": "../../etc/passwd"},
    {"cron": "* * * * *", "tz": "America"},
)


@pytest.mark.parametrize("said", IMPOSSIBLE, ids=str)
def test_what_never_occurs_or_is_no_rule_is_refused(said: dict[str, object]) -> None:
    """B36"""
    with pytest.raises(InvalidInput):
        rule(now="2025-01-01", **said)


def test_no_refusal_looks_at_more_than_fifty_years(monkeypatch: pytest.MonkeyPatch) -> None:
    """B36: the search is bounded by what it may look at, so that no expression keeps a scheduler from its work."""
    looked: list[int] = []
    year = recurring._year
    monkeypatch.setattr(recurring, "_year", lambda rule, number: looked.append(number) or year(rule, number))
    for said in IMPOSSIBLE:
        looked.clear()
        with pytest.raises(InvalidInput):
            rule(now="2025-01-01", **said)
        assert len(looked) <= recurring.YEARS + 2, said


# Intervals (FAULTS B42)


def test_an_interval_is_counted_from_its_start() -> None:
    """B42"""
    made = rule(every=60, starts_at=utc("2025-01-01T00:00:07"))
    instant, found = utc("2025-01-01T00:00"), []
    for _ in range(1440):
        following = rules.next_after(made, instant)
        assert following is not None
        found.append(following)
        instant = following + timedelta(seconds=0.7)

    assert found == [utc("2025-01-01T00:00:07") + timedelta(seconds=60 * number) for number in range(1440)]


@pytest.mark.parametrize("zone", ["Australia/Sydney", "Pacific/Auckland", "Europe/London", "UTC"])
@pytest.mark.parametrize("month", [1, 7])
def test_the_zone_of_the_machine_moves_nothing(zone: str, month: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """B40"""
    now = datetime(2026, month, 15, 12, tzinfo=UTC)
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        hourly = rules.checked(rules.Said(every=3600), now)
        daily = rules.checked(rules.Said(cron="0 12 * * *", tz="Europe/Amsterdam"), now)
        assert rules.next_after(hourly, now) == now + timedelta(seconds=3600)
        assert rules.next_after(daily, now) == now + timedelta(hours=23 if month == 1 else 22)
    time.tzset()


# Recurrence rules


def test_a_recurrence_rule_takes_what_it_does_not_say_from_its_start() -> None:
    made = rule(rrule="FREQ=MONTHLY", starts_at=utc("2025-01-31T09:15:30"))

    assert first(made, "2025-01-01", 3) == [
        utc("2025-01-31T09:15:30"),
        utc("2025-03-31T09:15:30"),
        utc("2025-05-31T09:15:30"),
    ]


def test_count_and_until_end_a_recurrence() -> None:
    counted = rule(rrule="FREQ=DAILY;COUNT=3", starts_at=utc("2025-01-01T08:00"))
    until_date = rule(rrule="FREQ=DAILY;UNTIL=20250102", starts_at=utc("2025-01-01T08:00"))
    until_instant = rule(rrule="FREQ=DAILY;UNTIL=20250102T080000Z", starts_at=utc("2025-01-01T08:00"))

    assert len(first(counted, "2024-12-01", 9)) == 3
    assert first(until_date, "2024-12-01", 9) == first(until_instant, "2024-12-01", 9)
    assert len(first(until_date, "2024-12-01", 9)) == 2


def random_recurrence(dice: Random) -> str:
    frequency = dice.choice(("YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY"))
    parts = [f"FREQ={frequency}", f"INTERVAL={dice.randint(1, 4)}"]
    if dice.random() < 0.3:
        parts.append("BYMONTH=" + ",".join(map(str, sorted(dice.sample(range(1, 13), 3)))))
    if dice.random() < 0.3:
        parts.append("BYMONTHDAY=" + ",".join(map(str, dice.sample([1, 15, 28, 31, -1, -2], 2))))
    if dice.random() < 0.4:
        ordinal = dice.choice(("", "1", "-1", "3")) if frequency in ("YEARLY", "MONTHLY") else ""
        parts.append(
            "BYDAY=" + ",".join(ordinal + day for day in dice.sample(["MO", "TU", "WE", "TH", "FR", "SA", "SU"], 3))
        )
    if dice.random() < 0.3:
        parts.append("BYHOUR=" + ",".join(map(str, sorted(dice.sample(range(24), 2)))))
    if dice.random() < 0.2 and frequency != "HOURLY":
        parts.append(f"BYSETPOS={dice.choice((1, -1))}")
    if dice.random() < 0.3:
        parts.append(f"WKST={dice.choice(('MO', 'SU'))}")
    return ";".join(parts)


def test_a_recurrence_rule_occurs_as_the_library_by_itself_says() -> None:
    """What is searched by the year is the same as in the rule's own periods."""
    dice, seen = Random(2445), 0
    start = datetime(2025, 1, 6, 9, 30)  # noqa: DTZ001 (a Monday: a first week that is whole in both)
    while seen < 60:
        text = random_recurrence(dice)
        try:
            made = rule(rrule=text, starts_at=start.replace(tzinfo=UTC))
        except InvalidInput:  # the library would look for it until the year 9999
            continue
        found = [at.replace(tzinfo=None) for at in first(made, "2025-01-01", 6)]
        assert found == list(islice(rrulestr(text, dtstart=start), len(found))), text
        seen += 1
