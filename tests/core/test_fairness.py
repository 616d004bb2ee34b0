"""Turns between tenants, as arithmetic and as a simulation."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tenure.core import fairness

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
        after = fairness.cursor(turns, taken, free)
        assert fairness.verdict(turns, taken, free) == fairness.LOWER
        assert max(served[name] for name in names) - min(served[name] for name in names) <= 1


def test_a_full_kind_moves_the_cursor_on_by_one_tenant() -> None:
    turns, after, first = ["a", "b", "c"], None, []
    for _ in range(6):
        order = fairness.circular(turns, after)
        first.append(order[0])
        after = fairness.cursor(order, {order[0]: 1}, 9, left_out=5)
    assert "".join(first) == "abcabc"


def test_who_takes_nothing_moves_no_cursor() -> None:
    assert fairness.cursor(["a"], {"a": 0}, 3) is None


def test_slots_that_somebody_left_are_asked_for_again_at_the_same_priority() -> None:
    assert fairness.verdict(["a", "b"], {"a": 3, "b": 1}, 6) == fairness.MORE
    assert fairness.verdict(["a", "b"], {"a": 2, "b": 1}, 6) == fairness.LOWER
    assert fairness.verdict(["a", "b"], {"a": 1}, 6, left_out=3) == fairness.MORE
    assert fairness.verdict(["a", "b"], {"a": 0}, 6, left_out=3) == fairness.LOWER
