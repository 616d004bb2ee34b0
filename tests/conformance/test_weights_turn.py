"""Weights of tenants: slots in each round of turns, from the cursor on, over any number of small claims."""

from collections import Counter
from typing import Any

import pytest

from tenure.core.claim import Cursors
from tenure.core.errors import InvalidInput
from tenure.operations.set_weight import set_weight
from tests.conformance.asking import Ask, done, new


def weigh(ask: Ask, **weights: int) -> None:
    for tenant, weight in weights.items():
        ask.run(set_weight(ask.verbs, tenant, weight, who="op", why="they pay more"))


def backlog(ask: Ask, tenants: str, each: int = 30) -> None:
    ask.enqueue(*[new(tenant=tenant) for tenant in tenants for _ in range(each)])


def served(ask: Ask, *limits: int, **fields: Any) -> str:
    """The tenants in the order in which claims of these sizes start their jobs, each from the cursor of the one
    before."""
    found, cursors = "", Cursors()
    for limit in limits:
        claimed = ask.claimed(limit, after=cursors.after, owed=cursors.owed, **fields)
        found, cursors = found + "".join(lease.tenant for lease in claimed.leases), cursors.past(claimed)
    return found


def test_a_tenant_gets_as_many_slots_of_a_round_as_it_weighs(ask: Ask) -> None:
    weigh(ask, b=3)
    backlog(ask, "abc")
    assert served(ask, 10) == "abbbcabbbc"


@pytest.mark.parametrize("limits", [(1,) * 10, (2,) * 5, (3, 3, 3, 1), (4, 4, 2), (7, 3)])
def test_claims_of_any_size_serve_in_the_same_order(ask: Ask, limits: tuple[int, ...]) -> None:
    weigh(ask, b=3, c=2)
    backlog(ask, "abc")
    assert served(ask, *limits) == "abbbccabbb"


def test_a_weight_holds_from_the_next_claim_until_it_is_changed(ask: Ask) -> None:
    backlog(ask, "ab")
    assert served(ask, 4) == "abab"
    weigh(ask, b=3)
    assert served(ask, 4) == "abbb"
    weigh(ask, b=1)
    assert served(ask, 4) == "abab"
    assert ask.run(ask.verbs.weights()) == {}
    assert [line.detail for line in ask.run(ask.verbs.audit_lines(5))] == ["weight 3 → 1", "weight 1 → 3"]


def test_what_a_heavy_tenant_leaves_goes_to_the_others(ask: Ask) -> None:
    weigh(ask, a=5)
    backlog(ask, "a", 2)
    backlog(ask, "b", 9)
    assert Counter(served(ask, 8)) == {"a": 2, "b": 6}


def test_who_is_owed_slots_and_has_no_jobs_left_holds_up_nobody(ask: Ask) -> None:
    weigh(ask, a=5)
    backlog(ask, "a", 1)
    backlog(ask, "bc", 3)
    assert served(ask, 1, 1, 1, 1) == "abcb"


def test_one_tenant_alone_takes_everything_whatever_it_weighs(ask: Ask) -> None:
    weigh(ask, a=4)
    backlog(ask, "a", 9)
    assert served(ask, 6, 6) == "a" * 9


def test_priorities_have_cursors_of_their_own(ask: Ask) -> None:
    weigh(ask, a=2)
    ask.enqueue(*[new(tenant=tenant, priority=30) for tenant in "ab"])
    backlog(ask, "ab", 4)
    assert served(ask, 3, 1, 1, 1) == "abaaba"


def test_weights_hold_for_claims_of_some_tenants(ask: Ask) -> None:
    weigh(ask, b=2)
    backlog(ask, "abcd")
    assert served(ask, 3, 3, tenants=("b", "d")) == "bbdbbd"


def test_the_lanes_of_a_heavy_tenant_are_merged_by_run_at(ask: Ask) -> None:
    weigh(ask, a=2)
    for kind in ("x", "y", "x", "y"):
        ask.enqueued(kind, tenant="a")
        ask.enqueued(kind, tenant="b")
    leases = ask.leases(6, ("x", "y"))
    assert [(lease.tenant, lease.kind) for lease in leases] == [
        ("a", "x"), ("a", "y"), ("b", "x"), ("a", "x"), ("a", "y"), ("b", "y"),
    ]  # fmt: skip


def test_over_many_small_claims_each_gets_its_share(ask: Ask) -> None:
    weigh(ask, a=5, b=2)
    backlog(ask, "abcd", 60)
    cursors, got = Cursors(), Counter[str]()
    for number in range(45):
        claimed = ask.claimed(1 + number % 3, after=cursors.after, owed=cursors.owed)
        cursors = cursors.past(claimed)
        got.update(lease.tenant for lease in claimed.leases)
        ask.report(*[done(lease) for lease in claimed.leases])
    assert got == {"a": 50, "b": 20, "c": 10, "d": 10}


@pytest.mark.parametrize("weight", [0, -1, 1001, True, 1.5])
def test_a_weight_is_a_whole_number_from_one_to_a_thousand(ask: Ask, weight: Any) -> None:
    with pytest.raises(InvalidInput, match="weight"):
        ask.run(set_weight(ask.verbs, "a", weight, who="op"))
