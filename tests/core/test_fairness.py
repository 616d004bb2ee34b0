"""Turns between tenants, as arithmetic and as a simulation."""

from bisect import bisect_left, bisect_right
from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tenure.core.flow import fairness

tenants = st.lists(st.text(min_size=1, max_size=3), min_size=1, max_size=12, unique=True)


@given(st.integers(0, 1000), st.integers(1, 100))
def test_shares_sum_to_the_free_slots_and_differ_by_one_at_most(free: int, count: int) -> None:
    shares = fairness.shares(free, count)
    assert (sum(shares), len(shares)) == (free, count)
    assert max(shares) - min(shares) <= 1
    assert shares == sorted(shares, reverse=True)


@given(tenants, st.none() | st.text(max_size=3))
def test_the_circle_starts_past_the_cursor_and_holds_everybody_once(names: list[str], after: str | None) -> None:
    turns = fairness.circular(names, after)
    assert sorted(turns) == sorted(names)
    if after is not None:
        past = [name > after for name in turns]
        assert past == sorted(past, reverse=True)


@given(tenants, st.integers(1, 20))
def test_with_backlogs_everywhere_nobody_is_served_twice_more_than_another(names: list[str], free: int) -> None:
    served: Counter[str] = Counter()
    after: str | None = None
    for _ in range(30):
        turns = fairness.circular(names, after)[:free]
        taken = dict(zip(turns, fairness.shares(free, len(turns)), strict=True))
        served.update(taken)
        cursor = fairness.cursor(turns, taken, free)
        assert cursor is not None
        after = cursor.after
        assert fairness.verdict(turns, taken, free) == fairness.LOWER
        assert max(served[name] for name in names) - min(served[name] for name in names) <= 1


def test_a_full_kind_moves_the_cursor_on_by_one_tenant() -> None:
    turns, first = ["a", "b", "c"], []
    after: str | None = None
    for _ in range(6):
        order = fairness.circular(turns, after)
        first.append(order[0])
        cursor = fairness.cursor(order, {order[0]: 1}, 9, left_out=5)
        assert cursor is not None
        after = cursor.after
    assert "".join(first) == "abcabc"


def test_who_takes_nothing_moves_no_cursor() -> None:
    assert fairness.cursor(["a"], {"a": 0}, 3) is None


def test_slots_that_somebody_left_are_asked_for_again_at_the_same_priority() -> None:
    assert fairness.verdict(["a", "b"], {"a": 3, "b": 1}, 6) == fairness.MORE
    assert fairness.verdict(["a", "b"], {"a": 2, "b": 1}, 6) == fairness.LOWER
    assert fairness.verdict(["a", "b"], {"a": 1}, 6, left_out=3) == fairness.MORE
    assert fairness.verdict(["a", "b"], {"a": 0}, 6, left_out=3) == fairness.LOWER


weighed = st.lists(
    st.tuples(st.text(min_size=1, max_size=3), st.integers(1, 5)), min_size=1, max_size=8, unique_by=lambda t: t[0]
)


@given(tenants, st.integers(1, 60))
def test_where_all_weigh_the_same_slots_are_shared_round_by_round(names: list[str], free: int) -> None:
    dealt = fairness.slots(names, free)
    assert dealt == fairness.slots(names, free, dict.fromkeys(names, 1))
    assert [dealt.count(name) for name in names] == fairness.shares(free, len(names))
    taken = Counter(dealt)
    assert fairness.cursor(names, taken, free) == fairness.cursor(names, taken, free, 0, dict.fromkeys(names, 1))


@given(weighed, st.lists(st.integers(1, 9), min_size=1, max_size=40))
def test_claims_of_any_size_go_on_where_the_one_before_stopped(said: list[tuple[str, int]], sizes: list[int]) -> None:
    """With backlogs everywhere many claims serve in the very order of one great claim."""
    weights = dict(said)
    cursor: fairness.Cursor | None = None
    served: list[str] = []
    for free in sizes:
        after, owed = cursor or (None, 0)
        turns = fairness.circular(weights, after, owed)
        dealt = fairness.slots(turns, free, weights, owed)
        served += dealt
        cursor = fairness.cursor(turns, Counter(dealt), free, 0, weights, owed)
        assert fairness.verdict(turns, Counter(dealt), free, 0, weights, owed) == fairness.LOWER
    assert served == fairness.slots(sorted(weights), sum(sizes), weights)


def jain(values: list[float]) -> float:
    """Jain's index: 1 where all are equal, 1/n where one has everything."""
    return sum(values) ** 2 / (len(values) * sum(value * value for value in values))


def test_ten_thousand_tenants_with_a_skewed_load_get_their_weighted_shares() -> None:
    """Every tenant wants far more than its share, the largest ten thousand times as much as the smallest; nobody waits
    more than twice its fair turn: the slots of one round."""
    chance = Random(5)
    names = [f"t{number:05}" for number in range(10_000)]
    weights = {name: chance.choice((2, 3, 5)) for name in names if chance.random() < 0.3}
    left = {name: 30 + int(chance.paretovariate(0.6)) for name in names}
    round_of_all = sum(weights.get(name, 1) for name in names)
    served: Counter[str] = Counter()
    last, longest, dealt = dict.fromkeys(names, 0), 0, 0
    after, owed = None, 0
    while dealt < 3 * round_of_all:
        free = chance.choice((50, 200, 1000))
        turns = around(names, after, owed, free)
        slots = fairness.slots(turns, free, weights, owed)
        for tenant in slots:
            dealt += 1
            longest = max(longest, dealt - last[tenant])
            last[tenant] = dealt
            left[tenant] -= 1
        served.update(slots)
        moved = fairness.cursor(turns, Counter(slots), free, 0, weights, owed)
        assert moved is not None
        after, owed = moved
    assert min(left.values()) >= 0
    assert jain([served[name] / weights.get(name, 1) for name in names]) >= 0.95
    assert longest <= 2 * round_of_all


def around(names: list[str], after: str | None, owed: int, free: int) -> list[str]:
    """As `circular`, the first `free` of them; `names` are in order."""
    start = 0 if after is None else bisect_left(names, after) if owed else bisect_right(names, after)
    return [*names[start : start + free], *names[: max(0, free - len(names) + start)]]
