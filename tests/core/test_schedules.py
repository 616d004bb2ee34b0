"""The decisions on slots that have passed: each becomes a job, waits, or is on record as skipped; none is lost or
doubled."""

from datetime import UTC, datetime, timedelta
from itertools import takewhile

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from tenure.core.kind import Kind
from tenure.core.scheduling import occurrence, rule, schedules, slots
from tenure.core.scheduling.schedule import MISFIRE_CAP, Misfire, Overlap, Schedule, Skip
from tenure.core.scheduling.schedule_definition import defined

NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
RULES = ({"cron": "*/7 * * * *"}, {"cron": "0 3 * * *"}, {"every": 61}, {"rrule": "FREQ=HOURLY;BYMINUTE=0,30"})


def schedule(said: dict[str, object] | None = None, **options: object) -> Schedule:
    made = rule.checked(rule.Said(**(said or RULES[0])), NOW)
    return schedules.begun(
        "0190a000-0000-7000-8000-000000000001",
        "t",
        "s",
        defined(Kind(name="k"), {}, made, **options),
        who="op",
        now=NOW,
    )


def every_slot(row: Schedule, until: datetime) -> list[datetime]:
    return list(takewhile(lambda at: at <= until, schedules.slots_after(row, NOW)))


@settings(max_examples=60, deadline=None)
@given(
    said=st.sampled_from(RULES),
    misfire=st.sampled_from(Misfire),
    cap=st.integers(1, 5),
    overlap=st.sampled_from(Overlap),
    looks=st.lists(st.tuples(st.integers(0, 40_000), st.booleans()), min_size=1, max_size=6),
)
def test_each_slot_is_decided_on_once_however_the_looks_are_spread(
    said: dict[str, object], misfire: Misfire, cap: int, overlap: Overlap, looks: list[tuple[int, bool]]
) -> None:
    row = schedule(said, misfire=misfire, misfire_cap=cap, overlap=overlap)
    now, fired, skipped = NOW, [], 0
    for seconds, has_open in looks:
        now += timedelta(seconds=seconds)
        plan = schedules.planned(row, ["job"] if has_open else [], now)
        fired += plan.fire
        skipped += sum(one.slots or 0 for one in plan.rows)
        row = schedules.written(row, plan.after, now)
        assert row.next_at is not None
        assert row.next_at > now
    expected = every_slot(row, now)
    assert fired == sorted(set(fired))
    assert set(fired) <= set(expected)
    assert len(fired) + skipped + (row.waiting_at is not None) == len(expected)


@given(said=st.sampled_from(RULES), seconds=st.integers(0, 200_000), keep=st.integers(1, 20))
@settings(max_examples=60, deadline=None)
def test_what_has_passed_is_what_one_would_count(said: dict[str, object], seconds: int, keep: int) -> None:
    row, until = schedule(said), NOW + timedelta(seconds=seconds)
    assert row.next_at is not None
    found, expected = slots.passed(schedules.rule_of(row), row.next_at, until, keep), every_slot(row, until)
    assert (found.newest, found.count) == (tuple(expected[-keep:]), len(expected))
    assert found.first == (expected[0] if expected else None)
    assert found.next_at == next(schedules.slots_after(row, until))


def test_after_years_the_newest_slots_are_found_from_behind() -> None:
    row = schedule({"cron": "* * * * *"}, misfire="all")
    now = NOW + timedelta(days=4 * 365, seconds=30)
    plan = schedules.planned(row, [], now)
    assert len(plan.fire) == MISFIRE_CAP
    assert plan.fire[-1] == now.replace(second=0)
    (missed,) = plan.rows
    assert (missed.skipped, missed.slots) == (Skip.MISSED, None)
    interval = schedules.planned(schedule({"every": 1}, misfire="latest"), [], now)
    assert [one.slots for one in interval.rows] == [4 * 365 * 86_400 + 30 - 1]


def test_the_key_of_a_slot_tells_schedule_edition_and_instant_in_utc() -> None:
    """B33"""
    row = schedule({"cron": "0 * * * *", "tz": "America/Los_Angeles"})
    first, second = (datetime(2026, 11, 1, hour, tzinfo=UTC) for hour in (8, 9))
    assert occurrence.key(row, first) == f"schedule/{row.id}/1/2026-11-01T08:00:00Z"
    edited = schedules.edited(row, schedules.definition_of(row), NOW)
    ids = [occurrence.job_id(one, at) for one in (row, edited) for at in (first, second)]
    assert len(set(ids)) == 4
    assert ids[0] < ids[1]
    assert occurrence.job_id(row, first) == ids[0]


def test_an_edit_drops_what_waited_and_a_resume_counts_from_now() -> None:
    row = msgspec.structs.replace(schedule(overlap="queue_one"), waiting_at=NOW)
    later = NOW + timedelta(hours=1)
    edited = schedules.edited(row, schedules.definition_of(row), later)
    assert (edited.waiting_at, edited.edition) == (None, 2)
    paused = schedules.paused(row, "op", "why", later)
    assert paused is not None
    assert schedules.paused(paused, "op", "", later) is None
    resumed = schedules.resumed(paused, later)
    assert resumed is not None
    assert (resumed.next_at, resumed.waiting_at) == (next(schedules.slots_after(row, later)), NOW)
    assert schedules.resumed(resumed, later) is None


def test_an_application_is_known_by_its_kinds() -> None:
    row = msgspec.structs.replace(schedule(), declared_with=("a", "b", "c", "k"))
    assert schedules.is_of(row, ["a", "b"])
    assert not schedules.is_of(row, ["a", "x"])
    alone = msgspec.structs.replace(row, declared_with=("k",))
    assert schedules.is_of(alone, ["k"])
    assert not schedules.is_of(alone, ["x"])
