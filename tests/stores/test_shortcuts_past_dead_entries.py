"""Claims that begin past the entries of jobs that are gone (FAULTS B78), and what they see all the same."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from tenure.core.job import NewJob
from tenure.stores.postgres import shortcuts
from tenure.stores.postgres.claim_wire import LeaseColumns, Past, Step
from tenure.stores.postgres.shortcuts import Shortcuts
from tenure.stores.postgres.store import PostgresStore
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, job_id, new

NOW = datetime(2026, 5, 1, tzinfo=UTC)
AGES = 30, 10, 20
QUICK, SLOW = 0.004, 0.2
PAST = Past(priority=0, tenant="t", kind="k", version=1, run_at=NOW, seq=7)


class Time:
    """Of a monotonic clock."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def known(time: Time) -> Shortcuts:
    return Shortcuts(time)


def answered(spent: float = QUICK, past: Past | None = PAST) -> Step:
    """What a claim of jobs that have been due for `AGES` seconds tells."""
    fields: dict[str, list[Any]] = {name: [] for name in LeaseColumns.__struct_fields__}
    fields["run_at"] = [NOW - timedelta(seconds=age) for age in AGES]
    return Step(
        now=NOW, priority=0, turns=["t"], rivals=False, lower=False, spent=spent, past=past,
        leases=LeaseColumns(**fields) if past else None,
    )  # fmt: skip


@pytest.mark.parametrize(("spent", "holds"), [(0.06, 1.0), (SLOW, 2.0), (30.0, 10.0)])
def test_after_a_slow_look_claims_begin_for_ten_times_as_long_where_it_found_the_oldest_job(
    known: Shortcuts, time: Time, spent: float, holds: float
) -> None:
    known.note("q", answered(spent), is_full=False)
    found = known.of("q")
    assert found is not None
    assert found.past == replace(PAST, run_at=NOW - timedelta(seconds=max(AGES)) - shortcuts.MARGIN, seq=0)
    assert known.of("other") is None
    known.go_on("q", found, answered(past=None), is_full=False)
    time.now += holds - 0.001
    assert known.of("q") == found
    time.now += 0.001
    assert known.of("q") is None


def test_after_a_slow_look_the_place_goes_on_with_what_is_claimed_and_stays_before_what_may_come_late(
    known: Shortcuts,
) -> None:
    known.note("q", answered(SLOW), is_full=True)
    first = known.of("q")
    assert first is not None
    later = answered()
    assert later.leases is not None
    later.leases.run_at[:] = [instant + timedelta(seconds=60) for instant in later.leases.run_at]
    known.go_on("q", first, later, is_full=True)
    second = known.of("q")
    assert second is not None
    assert second.ends == first.ends
    assert second.past == replace(first.past, run_at=min(later.leases.run_at) - shortcuts.MARGIN)
    known.go_on("q", second, answered(past=replace(PAST, kind="another")), is_full=True)
    known.go_on("q", second, answered(), is_full=True)
    assert known.of("q") == second


def test_a_slow_look_is_made_again_by_one_claim_while_the_others_go_on_where_they_were(
    known: Shortcuts, time: Time
) -> None:
    known.note("q", answered(SLOW), is_full=True)
    before = known.of("q")
    assert before is not None
    time.now += 2.0
    assert known.of("q") is None
    others = known.of("q")
    assert others is not None
    assert others.past == before.past
    known.note("q", answered(), is_full=False)
    assert known.of("q") is None


def test_after_a_claim_that_filled_its_slots_the_next_ones_go_on_there_for_twenty_times_as_long_as_it_took(
    known: Shortcuts, time: Time
) -> None:
    known.note("q", answered(), is_full=True)
    first = known.of("q")
    assert first is not None
    assert first.past == PAST
    further = replace(PAST, seq=8)
    known.go_on("q", first, answered(past=further), is_full=True)
    second = known.of("q")
    assert second is not None
    assert (second.past, second.ends) == (further, first.ends)
    time.now += shortcuts.TIMES * QUICK
    assert known.of("q") is None


def test_a_claim_that_does_not_fill_its_slots_ends_a_shortcut(known: Shortcuts) -> None:
    known.note("q", answered(), is_full=True)
    found = known.of("q")
    assert found is not None
    known.go_on("q", found, answered(), is_full=False)
    assert known.of("q") is None


@pytest.mark.parametrize(
    ("step", "is_full"),
    [(answered(), False), (answered(0.0), True), (answered(SLOW, None), True)],
    ids=["not full", "no time of its own", "nothing taken"],
)
def test_every_other_look_leaves_claims_to_begin_at_the_beginning(known: Shortcuts, step: Step, is_full: bool) -> None:
    known.note("q", step, is_full=is_full)
    assert known.of("q") is None


# On a database


@pytest.fixture
def ask(own_postgres: PostgresStore, known: Shortcuts, monkeypatch: pytest.MonkeyPatch) -> Ask:
    monkeypatch.setattr(own_postgres.verbs, "_shortcuts", known)
    return Ask(own_postgres, FakeClock())


def enqueued(ask: Ask, count: int = 1, **said: Any) -> list[str]:
    jobs: list[NewJob] = [new(id=job_id(), **said) for _ in range(count)]
    return [enqueued.id for enqueued in ask.enqueue(*jobs)]


def taken(ask: Ask, limit: int = 1) -> list[str]:
    return [lease.job_id for lease in ask.leases(limit)]


def early(ask: Ask) -> str:
    """A job that becomes ready with a place before all others of its lane."""
    instant = ask.run(ask.verbs.now()) - timedelta(hours=1)
    return enqueued(ask, run_at=instant)[0]


@pytest.mark.postgres
def test_a_job_that_became_ready_behind_a_slow_look_is_claimed_at_the_next_one(
    ask: Ask, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shortcuts, "SLOW", 0.0)
    enqueued(ask)
    assert len(taken(ask)) == 1
    earlier = early(ask)
    later = enqueued(ask)
    assert taken(ask) == later
    assert taken(ask) == []
    time.now += shortcuts.HOLDS
    assert taken(ask) == [earlier]


@pytest.mark.postgres
def test_claims_that_fill_their_slots_go_on_behind_one_another_in_order(ask: Ask, known: Shortcuts) -> None:
    ids = enqueued(ask, 7)
    assert [taken(ask, 2) for _ in range(3)] == [ids[:2], ids[2:4], ids[4:6]]
    assert known.of("default") is not None
    assert taken(ask, 2) == ids[6:]
    assert known.of("default") is None


@pytest.mark.postgres
def test_a_job_that_became_ready_behind_a_full_claim_is_there_for_one_that_finds_too_little(ask: Ask) -> None:
    first, second, third = enqueued(ask, 3)
    assert taken(ask) == [first]
    earlier = early(ask)
    assert taken(ask) == [second]
    assert taken(ask, 3) == [third, earlier]


@pytest.mark.postgres
def test_a_job_that_became_ready_behind_a_full_claim_comes_first_when_the_shortcut_is_over(
    ask: Ask, time: Time
) -> None:
    first, second = enqueued(ask, 2)
    assert taken(ask) == [first]
    earlier = early(ask)
    time.now += shortcuts.HOLDS
    assert [taken(ask), taken(ask)] == [[earlier], [second]]


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("said", "claims"),
    [({"priority": 1}, 1), ({"tenant": "a tenant before"}, 2), ({"kind": "a kind before"}, 4)],
    ids=["urgent", "another's turn", "next by its run_at"],
)
def test_what_stands_before_the_lane_of_a_shortcut_comes_in_its_turn(
    ask: Ask, said: dict[str, Any], claims: int
) -> None:
    ids = enqueued(ask, 4)
    assert taken(ask) == ids[:1]
    (before,) = enqueued(ask, **said)
    found = [lease.job_id for _ in range(claims) for lease in ask.leases(1, ("k", "a kind before"))]
    assert before in found


@pytest.mark.postgres
@pytest.mark.parametrize("said", [{"priority": -1}, {"tenant": "z"}, {"kind": "z"}], ids=str)
def test_what_stands_behind_the_lane_of_a_shortcut_is_taken_when_the_lane_is_empty(
    ask: Ask, said: dict[str, Any]
) -> None:
    ids = enqueued(ask, 2)
    behind = enqueued(ask, **said)
    kinds = ("k", "z")
    assert sorted(lease.job_id for _ in range(3) for lease in ask.leases(1, kinds)) == sorted(ids + behind)
