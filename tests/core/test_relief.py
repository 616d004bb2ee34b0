"""Aging and reserved capacity as rules: what a slot is due to, and what a claimer's account remembers."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from tenure.core.errors import InvalidInput
from tenure.core.flow import relief
from tenure.core.flow.relief import Credit, Given, Level, Relief, Reserve, Ripening

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
TENTH = Relief(reserve=Reserve(10, 0))
AGING = Relief(aging=60.0)


def waiting(priority: int, seconds: float) -> Level:
    return Level(priority, NOW - timedelta(seconds=seconds), NOW)


def levels_seen(ripening: Ripening, levels: list[Level]) -> list[int]:
    """Where a round looks, over these levels."""
    seen = []
    while ripening.most is not None:
        seen.append(ripening.most)
        ripening.saw(max((one for one in levels if one.priority <= ripening.most), default=None))
    return seen


@pytest.mark.parametrize(
    ("text", "made"),
    [("10%", Reserve(10, 0)), ("25", Reserve(25, 0)), (" 90 %:medium ", Reserve(90, 10)), ("1%:-5", Reserve(1, -5))],
)
def test_a_reserve_is_written_as_a_share_and_the_highest_priority_it_is_for(text: str, made: Reserve) -> None:
    assert relief.reserve_of(text) == made


@pytest.mark.parametrize(
    ("said", "field"),
    [("", "reserve"), ("many", "reserve"), (None, "reserve"), (10, "reserve"), ("0%", "reserve"), ("91%", "reserve"),
     ("10%:urgent", "priority"), ("10%:99999", "priority")],
)  # fmt: skip
def test_what_is_no_reserve_is_refused_by_its_field(said: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        relief.reserve_of(said)
    assert refusal.value.field == field


def test_a_relief_in_words() -> None:
    assert relief.in_words(Relief(90.0, Reserve(5, 7))) == "aging 90 s a step, reserve 5 % up to 7"
    assert relief.in_words(Relief()) == "none"


@pytest.mark.parametrize("percent", [1, 7, 10, 33, 50, 90])
def test_over_any_claims_the_reserve_gets_its_share_to_within_one_slot(percent: int) -> None:
    chance, said = Random(percent), Relief(reserve=Reserve(percent, 0))
    for _ in range(50):
        credit, slots, got = relief.begun(chance.random()), 0, 0
        for _ in range(chance.randrange(1, 60)):
            free = chance.choice((1, 1, 2, 7, 10, 100))
            mine = relief.reserved_slots(said, credit, free)
            credit = relief.after(credit, Given(said, free, low=mine, reserved=mine))
            slots, got = slots + free, got + mine
        assert abs(got - slots * percent / 100) <= 1


def test_ripe_levels_get_every_second_slot_to_within_one() -> None:
    chance = Random(1)
    for _ in range(50):
        credit, slots, got = relief.begun(chance.random()), 0, 0
        for _ in range(chance.randrange(1, 60)):
            free = chance.choice((1, 1, 2, 7, 10, 100))
            mine = relief.ripe_slots(AGING, credit, free)
            credit = relief.after(credit, Given(AGING, free, ripe=mine))
            slots, got = slots + free, got + mine
        assert abs(got - slots / 2) <= 1


def test_nothing_is_saved_up_while_nobody_is_there_to_take_it() -> None:
    credit = Credit()
    for _ in range(1000):
        credit = relief.after(credit, Given(Relief(60.0, Reserve(10, 0)), 10))
    assert (credit.reserved, credit.ripe) == (99, 99)
    assert relief.reserved_slots(TENTH, credit, 1) == 1
    assert relief.reserved_slots(TENTH, credit, 10) == 1
    assert relief.ripe_slots(AGING, credit, 1) == 1
    assert relief.ripe_slots(AGING, relief.after(credit, Given(AGING, 1, ripe=1)), 1) == 0


def test_who_got_more_than_a_share_owes_nothing() -> None:
    assert relief.after(Credit(50, 0), Given(TENTH, 100, low=100)) == Credit()


def test_claims_under_way_at_once_add_to_one_account() -> None:
    first = relief.after(Credit(), Given(TENTH, 4))
    assert relief.after(first, Given(TENTH, 3)).reserved == 70


def test_an_account_stays_as_it_is_where_nothing_is_dealt_out_and_is_closed_with_the_relief() -> None:
    assert relief.after(Credit(40, 50, 10), None) == Credit(40, 50, 10)
    assert relief.after(Credit(40, 50, 10), Given(AGING, 0)) == Credit(0, 50, 10)


@pytest.mark.parametrize(
    ("level", "seconds", "is_ripe"),
    [
        (20, 59.9, False),
        (20, 60, True),
        (0, 179, False),
        (0, 180, True),
        (25, 30, True),
        (-30, 359, False),
        (-30, 360, True),
    ],
)
def test_a_step_is_the_distance_between_two_labels(level: int, seconds: float, is_ripe: bool) -> None:
    assert relief.is_ripe(60.0, 30, waiting(level, seconds)) is is_ripe


def test_the_longest_wait_for_the_farthest_level_is_still_a_number() -> None:
    assert not relief.is_ripe(relief.AGING[1], 32_767, waiting(-32_768, 1e9))


@pytest.mark.parametrize(
    ("last", "seen", "ripe"),
    [
        (None, [29, 9, -1], [10, 0]),
        (10, [9, -1, 29, 9], [0, 10]),
        (0, [-1, 29, 9, -1], [10, 0]),
        (30, [29, 9, -1], [10, 0]),
        (5, [4, -1, 29, 9], [0, 10]),
    ],
)
def test_a_round_of_levels_begins_below_the_one_served_last_and_meets_each_once(
    last: int | None, seen: list[int], ripe: list[int]
) -> None:
    ripening = Ripening(60.0, 30, last)
    assert levels_seen(ripening, [waiting(30, 9e9), waiting(10, 9e9), waiting(0, 9e9)]) == seen
    assert ripening.ripe == ripe


def test_a_round_looks_at_a_bounded_number_of_levels() -> None:
    ripening = Ripening(60.0, 1000, None)
    assert len(levels_seen(ripening, [waiting(level, 0) for level in range(1000)])) == relief.LEVELS
