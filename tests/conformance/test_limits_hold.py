"""Limits of concurrency and rate: at every place, over all workers, at once, counted from live leases."""

import threading
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from tenure.core.errors import InvalidInput
from tenure.core.flow import limits
from tenure.core.flow.limits import Rate
from tenure.core.flow.place import Place, places
from tenure.core.kind import Kind
from tenure.core.lease import Lease
from tenure.core.reports import Standing
from tenure.operations.set_kind import set_kind
from tenure.operations.set_limit import set_limit
from tests.conformance.asking import Ask, done, failed, new, released
from tests.conformance.racing import race

OF_ALL = (
    Place(),
    Place(queue="default"),
    Place(kind="k"),
    Place(tenant="a"),
    Place(kind="k", tenant="a"),
    Place(resource="smtp"),
)
by_place = pytest.mark.parametrize("place", OF_ALL, ids=lambda place: "-".join(filter(None, place)) or "store")


def limited(ask: Ask, place: Place, concurrency: int | None = None, rate: Rate | None = None) -> bool:
    if place.resource:
        ask.run(ask.verbs.put_kinds([Kind(name="k", uses=(place.resource,))], replace=True))
    return ask.run(set_limit(ask.verbs, place, concurrency, rate, who="op", why="the bank asks for it"))


def starts(ask: Ask, limit: int = 10, **fields: Any) -> int:
    return len(ask.leases(limit, **fields))


@by_place
def test_no_more_run_at_once_than_a_limit_allows(ask: Ask, place: Place) -> None:
    limited(ask, place, 2)
    ask.enqueue(*[new(tenant="a") for _ in range(5)])
    first = ask.leases(10)
    assert (len(first), starts(ask)) == (2, 0)
    ask.report(done(first[0]))
    assert starts(ask) == 1


@by_place
def test_no_more_start_than_a_rate_allows(ask: Ask, place: Place) -> None:
    limited(ask, place, rate=Rate(2, 10.0, 3))
    ask.enqueue(*[new(tenant="a") for _ in range(20)])
    told = []
    for seconds in (0, 4, 1, 5, 2.5, 100, 0):
        ask.clock.advance(seconds)
        told.append(starts(ask, 10, lease_seconds=1000.0))
    assert told == [3, 0, 1, 1, 0, 3, 0]


@by_place
def test_a_limit_holds_from_the_next_claim_and_so_does_its_end(ask: Ask, place: Place) -> None:
    ask.enqueue(*[new(tenant="a") for _ in range(9)])
    assert starts(ask, 2) == 2
    assert limited(ask, place, 3)
    assert starts(ask, 10) == 1
    assert limited(ask, place, 5)
    assert starts(ask, 10) == 2
    assert limited(ask, place)
    assert not limited(ask, place)
    assert starts(ask, 10) == 4
    assert ask.run(ask.verbs.limits()) == []


@by_place
def test_an_expired_lease_counts_against_no_limit(ask: Ask, place: Place) -> None:
    """B65: no slot is held by the dead for longer than their lease."""
    limited(ask, place, 1)
    ask.enqueue(*[new(tenant="a") for _ in range(5)])
    ask.lease(lease_seconds=60.0)
    ask.clock.advance(59)
    assert starts(ask) == 0
    ask.clock.advance(1)
    assert starts(ask) == 1


def test_a_slot_is_never_given_back_twice(ask: Ask) -> None:
    """B67: the first copy ends after its lease was lost and the second one runs; then twenty start."""
    limited(ask, Place(kind="k"), 1)
    lost: list[Lease] = []
    ask.enqueued(max_attempts=100)
    for _ in range(20):
        lost.append(ask.lease(lease_seconds=1.0))
        ask.clock.advance(1)
        ask.sweep()
        ask.clock.advance(3600)
        ask.promote()
    last = ask.lease(lease_seconds=1000.0)
    for lease in lost:
        assert ask.answer(released(lease, begun=False)).standing is Standing.STALE
    ask.enqueue(*[new() for _ in range(20)])
    assert starts(ask) == 0
    ask.report(done(last))
    assert starts(ask) == 1


def test_a_job_needs_room_at_every_place_that_it_has(ask: Ask) -> None:
    limited(ask, Place(), 4)
    limited(ask, Place(tenant="a"), 2)
    limited(ask, Place(kind="x", tenant="b"), 1)
    ask.enqueue(*[new(kind, tenant=tenant) for _ in range(4) for tenant in "ab" for kind in ("x", "y")])
    leases = ask.leases(10, ("x", "y"))
    assert Counter(lease.tenant for lease in leases) == {"a": 2, "b": 2}
    assert Counter((lease.tenant, lease.kind) for lease in leases)["b", "x"] == 1
    assert starts(ask, 10, kinds=("x", "y")) == 0
    ask.report(*[done(lease) for lease in leases if lease.tenant == "a"])
    assert Counter(lease.tenant for lease in ask.leases(10, ("x", "y"))) == {"a": 1, "b": 1}


@by_place
def test_other_lanes_take_what_a_full_one_leaves(ask: Ask, place: Place) -> None:
    other = {"queue": "other", "kind": "k2", "tenant": "b"}
    limited(ask, place, 1)
    ask.enqueue(*[new(tenant="a") for _ in range(50)])
    ask.enqueue(*[new(other["kind"], tenant=other["tenant"], queue=other["queue"]) for _ in range(5)])
    assert starts(ask) == 1
    expected = 0 if place == Place() else 5
    assert starts(ask, 10, kinds=("k2",), queue="other") == expected


def test_a_full_tenant_at_the_front_costs_the_others_no_slot(ask: Ask) -> None:
    limited(ask, Place(tenant="a"), 1)
    ask.enqueue(*[new(tenant="a") for _ in range(50)])
    ask.enqueue(*[new(tenant=tenant) for tenant in "bcd" for _ in range(10)])
    first = Counter(lease.tenant for lease in ask.leases(10))
    assert (first["a"], sum(first.values())) == (1, 10)
    assert max(first.values()) <= 4
    assert Counter(lease.tenant for lease in ask.leases(9)) == {"b": 3, "c": 3, "d": 3}


def test_waiting_costs_no_attempt(ask: Ask) -> None:
    limited(ask, Place(kind="k"), 1)
    ask.enqueued()
    ask.lease()
    waiting = ask.enqueued()
    for _ in range(5):
        ask.clock.advance(1)
        assert starts(ask) == 0
    job = ask.job(waiting)
    assert (job.state, job.attempt, job.tries) == ("ready", 0, 0)


def test_a_token_comes_back_when_the_handler_never_began(ask: Ask) -> None:
    limited(ask, Place(kind="k"), rate=Rate(1, 100.0, 2))
    limited(ask, Place(), rate=Rate(1, 100.0, 2))
    ask.enqueue(*[new() for _ in range(9)])
    first, second = ask.leases(10)
    ask.report(released(first, begun=False))
    assert starts(ask) == 1
    ask.report(released(second, begun=True))
    assert starts(ask) == 0


def test_a_claim_says_when_a_limit_has_kept_something_back(ask: Ask) -> None:
    limited(ask, Place(kind="k"), 1)
    ask.enqueue(new(), new())
    assert ask.claimed(10).is_held_back
    assert ask.claimed(10).is_held_back
    assert not ask.claimed(10, ("other",), queue="other").is_held_back


def test_a_changed_rate_keeps_what_fits_of_its_tokens(ask: Ask) -> None:
    limited(ask, Place(kind="k"), rate=Rate(1, 100.0, 5))
    ask.enqueue(*[new() for _ in range(20)])
    assert starts(ask, 1) == 1
    limited(ask, Place(kind="k"), rate=Rate(1, 100.0, 2))
    assert starts(ask) == 2
    limited(ask, Place(kind="k"), rate=Rate(1, 1.0, 9))
    assert starts(ask) == 0
    ask.clock.advance(3)
    assert starts(ask) == 3


def test_the_limit_that_a_kind_declares_is_the_one_at_its_kind(ask: Ask) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name="k", concurrency=2)], replace=False))
    assert [(use.limit.place, use.limit.concurrency) for use in ask.run(ask.verbs.limits())] == [(Place(kind="k"), 2)]
    limited(ask, Place(kind="k"), 7)
    ask.run(ask.verbs.put_kinds([Kind(name="k", concurrency=3)], replace=False))
    assert ask.run(ask.verbs.kinds())["k"].concurrency == 7
    assert [kind.concurrency for kind in ask.run(ask.verbs.kind_page(None, None, 5))] == [7]
    limited(ask, Place(kind="k"))
    for declared in (3, 4, None):
        ask.run(ask.verbs.put_kinds([Kind(name="k", concurrency=declared)], replace=True))
        assert ask.run(ask.verbs.kinds())["k"].concurrency == declared
    assert ask.run(ask.verbs.limits()) == []


def test_what_an_operator_has_set_outlives_the_next_start_of_a_worker(ask: Ask) -> None:
    def concurrency() -> int | None:
        return ask.run(ask.verbs.kinds())["k"].concurrency

    declaration = Kind(name="k", concurrency=2)
    ask.run(ask.verbs.put_kinds([declaration], replace=True))
    limited(ask, Place(kind="k"), 7, Rate(1, 1.0, 3))
    ask.run(ask.verbs.put_kinds([declaration], replace=True))
    assert concurrency() == 7
    assert ask.run(set_kind(ask.verbs, declaration, who="a worker", keeps_limit=True)).concurrency == 7
    assert [line.verb for line in ask.run(ask.verbs.audit_lines(5))] == ["set_limit"]
    assert ask.run(set_kind(ask.verbs, declaration, who="op")).concurrency == 2
    assert concurrency() == 2
    limited(ask, Place(kind="k"), None, Rate(1, 1.0, 3))
    ask.run(ask.verbs.put_kinds([declaration], replace=True))
    (use,) = ask.run(ask.verbs.limits())
    assert (use.limit.concurrency, use.limit.rate, use.limit.is_declared) == (2, Rate(1, 1.0, 3), True)


def test_limits_are_listed_by_place_with_what_runs(ask: Ask) -> None:
    for place in OF_ALL:
        limited(ask, place, 3)
    ask.enqueue(new(tenant="a"), new(tenant="b"))
    ask.leases(10)
    ask.enqueued(tenant="a")
    ask.lease(lease_seconds=1.0)
    ask.clock.advance(1)
    told = {use.limit.place: use.running for use in ask.run(ask.verbs.limits())}
    assert list(told) == sorted(OF_ALL)
    assert told == {Place(): 2, OF_ALL[1]: 2, OF_ALL[2]: 2, OF_ALL[3]: 1, OF_ALL[4]: 1, OF_ALL[5]: 2}
    assert [use.limit.place for use in ask.run(ask.verbs.limits([Place(tenant="a"), Place(tenant="z")]))] == [OF_ALL[3]]
    lines = {line.subject: line for line in ask.run(ask.verbs.audit_lines(50))}
    line = lines["kind k of tenant a"]
    assert (line.verb, line.kind, line.tenant, lines["resource smtp"].kind) == ("set_limit", "k", "a", None)
    assert (line.why, line.detail) == ("the bank asks for it", "none → 3 at once")


def test_a_place_that_no_limit_can_have_is_refused(ask: Ask) -> None:
    for place in (Place(queue="q", kind="k"), Place(queue="q", tenant="t"), Place(kind="k", resource="smtp")):
        with pytest.raises(InvalidInput, match="stands alone"):
            limited(ask, place, 1)
    with pytest.raises(InvalidInput, match="concurrency"):
        limited(ask, Place(), 0)


@by_place
def test_racing_claimers_never_exceed_a_limit(ask: Ask, place: Place) -> None:
    limited(ask, place, 3)
    ids = [answer.id for answer in ask.enqueue(*[new(tenant=tenant) for tenant in "aaaab" for _ in range(12)])]
    live: set[str] = set()
    most, guard = [0], threading.Lock()

    def covered(lease: Lease) -> bool:
        return place in ((), *places(lease.queue, lease.kind, lease.tenant, ("smtp",)))

    def work() -> None:
        for _ in range(8):
            leases = ask.leases(2)
            with guard:
                live.update(lease.job_id for lease in leases if covered(lease))
                most[0] = max(most[0], len(live))
                live.difference_update(lease.job_id for lease in leases)
            ask.report(*[done(lease) for lease in leases])

    race([work] * 8)
    assert 0 < most[0] <= 3
    assert any(job.state == "succeeded" for job in ask.run(ask.verbs.read(ids)).values())


def test_racing_claimers_never_exceed_a_rate(ask: Ask) -> None:
    limited(ask, Place(tenant="a"), rate=Rate(1, 1000.0, 5))
    ask.enqueue(*[new(tenant="a") for _ in range(60)])
    started: list[Lease] = []

    def work() -> None:
        for _ in range(4):
            started.extend(ask.leases(3))

    race([work] * 8)
    assert len(started) == 5


def test_racing_claimers_under_limits_that_cross_do_not_wait_in_a_circle(ask: Ask) -> None:
    for name in "abcd":
        limited(ask, Place(tenant=name), 2)
        limited(ask, Place(kind=name), 2)
    ask.enqueue(*[new(kind, tenant=tenant) for tenant in "abcd" for kind in "abcd" for _ in range(4)])

    def work() -> None:
        for _ in range(6):
            leases = ask.leases(3, tuple("abcd"))
            ask.report(*[failed(lease) if lease.tenant == "a" else done(lease) for lease in leases])

    race([work] * 8)
    assert ask.run(ask.verbs.limits()) != []


def test_a_bucket_is_full_at_first_and_fills_evenly() -> None:
    assert limits.rate(10) == Rate(10, 1.0, 20)
    assert limits.rate(1, 60.0) == Rate(1, 60.0, 1)
    assert limits.rate(3, 1.0, 1).burst == 1
    assert timedelta(seconds=limits.rate(100, 60.0).burst) < timedelta(seconds=5)


@by_place
def test_a_job_that_is_asked_for_by_its_id_needs_room_too(ask: Ask, place: Place) -> None:
    limited(ask, place, 1, Rate(1, 100.0, 2))
    first, second, third = (ask.enqueued(tenant="a") for _ in range(3))
    (lease,) = ask.leases(1, only=second)
    assert lease.job_id == second
    assert ask.leases(1, only=first) == ()
    ask.report(done(lease))
    assert [lease.job_id for lease in ask.leases(1, only=third)] == [third]
    limited(ask, place, 10, Rate(1, 100.0, 2))
    assert ask.leases(1, only=first) == ()
