"""What a job takes: several slots of its worker, and resources that kinds share."""

from collections import Counter
from typing import Any

import pytest

from tenure.core.errors import InvalidInput, TooLarge
from tenure.core.flow.demand import Demand
from tenure.core.flow.limits import Rate
from tenure.core.flow.place import Place
from tenure.core.kind import Kind
from tenure.core.lease import Lease
from tenure.operations.claim import claim
from tenure.operations.pause import pause
from tenure.operations.set_kind import set_kind
from tenure.operations.set_limit import set_limit
from tests.conformance.asking import Ask, done, new, released, request
from tests.conformance.racing import race

BOTH = ("heavy", "light")


def declared(ask: Ask, name: str, slots: int = 1, uses: tuple[str, ...] = ()) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name=name, slots=slots, uses=uses)], replace=True))


def limited(ask: Ask, place: Place, concurrency: int | None = None, rate: Rate | None = None) -> None:
    ask.run(set_limit(ask.verbs, place, concurrency, rate, who="op"))


def kinds_of(leases: tuple[Lease, ...]) -> list[str]:
    return [lease.kind for lease in leases]


def taken(ask: Ask, limit: int, **fields: Any) -> list[str]:
    return kinds_of(ask.leases(limit, BOTH, **fields))


def test_a_claim_takes_no_more_slots_than_are_free(ask: Ask) -> None:
    declared(ask, "heavy", 3)
    ask.enqueue(new("heavy"), new("heavy"), new("heavy"))
    leases = ask.leases(7, BOTH)
    assert [lease.slots for lease in leases] == [3, 3]


def test_nothing_passes_a_job_that_waits_for_slots_of_its_worker(ask: Ask) -> None:
    declared(ask, "heavy", 3)
    ask.enqueue(
        new("light"), new("heavy", tenant="default"), *[new("light") for _ in range(9)], new("light", priority=-1)
    )
    first = ask.claimed(3, BOTH, slots=4)
    assert (kinds_of(first.leases), first.waits_for) == (["light"], 3)
    again = ask.claimed(2, BOTH, slots=4, after=first.after)
    assert (kinds_of(again.leases), again.waits_for) == ([], 3)
    last = ask.claimed(4, BOTH, slots=4, after=again.after)
    assert (kinds_of(last.leases), last.waits_for) == (["heavy", "light"], 0)


def test_the_tenant_of_a_job_that_waits_is_the_next_one_served(ask: Ask) -> None:
    declared(ask, "heavy", 3)
    ask.enqueue(*[new("light", tenant=tenant) for tenant in "abc" for _ in range(5)], new("heavy", tenant="bb"))
    first = ask.claimed(4, BOTH, slots=10)
    assert [lease.tenant for lease in first.leases] == ["a", "b"]
    second = ask.claimed(3, BOTH, slots=10, after=first.after)
    assert [lease.tenant for lease in second.leases] == ["bb"]


def test_a_job_that_the_worker_can_never_run_is_passed_over(ask: Ask) -> None:
    declared(ask, "heavy", 5)
    ask.enqueue(new("heavy"), new("light"), new("light"))
    claimed = ask.claimed(4, BOTH, slots=4)
    assert (kinds_of(claimed.leases), claimed.waits_for, claimed.is_held_back) == (["light", "light"], 0, False)
    assert taken(ask, 2, slots=5) == []
    assert taken(ask, 5) == ["heavy"]


def test_a_claim_that_counts_jobs_takes_one_whatever_it_costs(ask: Ask) -> None:
    declared(ask, "heavy", 5)
    ask.enqueue(new("heavy"), new("heavy"), new("light"))
    assert taken(ask, 1, counts_jobs=True) == ["heavy"]
    assert taken(ask, 2, counts_jobs=True) == ["heavy", "light"]


def test_a_heavy_job_counts_its_slots_in_every_limit_that_it_has(ask: Ask) -> None:
    declared(ask, "heavy", 3)
    limited(ask, Place(tenant="default"), 7)
    ask.enqueue(*[new("heavy") for _ in range(3)], *[new("light") for _ in range(3)])
    first = ask.leases(50, BOTH)
    assert kinds_of(first) == ["heavy", "heavy"]
    assert [use.running for use in ask.run(ask.verbs.limits())] == [6]
    ask.report(done(first[0]))
    assert taken(ask, 50) == ["heavy", "light"]


def test_one_that_takes_more_than_a_limit_has_takes_all_of_it(ask: Ask) -> None:
    declared(ask, "heavy", 3)
    limited(ask, Place(tenant="default"), 2)
    ask.enqueue(new("heavy"), new("light"), new("heavy"))
    (first,) = ask.leases(50, BOTH)
    assert first.kind == "heavy"
    ask.report(done(first))
    (second,) = ask.leases(50, BOTH)
    assert second.kind == "light"
    assert taken(ask, 50) == []


def test_room_in_a_limit_is_kept_for_a_job_that_needs_more_of_it(ask: Ask) -> None:
    declared(ask, "heavy", 3, ("smtp",))
    declared(ask, "light", uses=("smtp",))
    limited(ask, Place(resource="smtp"), 3)
    kinds = (*BOTH, "other")
    ask.enqueue(new("light"), new("heavy"), *[new("light") for _ in range(5)], new("other"))
    first = ask.claimed(50, kinds)
    assert (kinds_of(first.leases), first.waits_for, first.is_held_back) == (["light", "other"], 0, True)
    assert kinds_of(ask.leases(50, kinds)) == []
    ask.report(done(first.leases[0]))
    assert kinds_of(ask.leases(50, kinds)) == ["heavy"]


def test_light_jobs_of_other_tenants_do_not_pass_a_heavy_one_in_a_limit_for_ever(ask: Ask) -> None:
    declared(ask, "heavy", 2)
    limited(ask, Place(), 2)
    ask.enqueue(*[new("light", tenant=tenant) for tenant in "abd" for _ in range(20)], new("heavy", tenant="c"))
    workers: list[dict[int, str]] = [{}, {0: "b"}, {0: "d"}]
    running: list[Lease] = []
    for turn in range(30):
        at = turn % len(workers)
        claimed = ask.claimed(5, BOTH, after=workers[at], slots=5)
        workers[at] = claimed.after
        running += claimed.leases
        if "heavy" in kinds_of(claimed.leases):
            return
        ask.report(done(running.pop(0)))
        if running and turn % 2:
            ask.report(done(running.pop(0)))
    pytest.fail("the heavy job never started")


def test_a_heavy_job_is_taken_by_its_id_where_its_slots_are_free(ask: Ask) -> None:
    declared(ask, "heavy", 3)
    job_id = ask.enqueued("heavy")
    assert ask.leases(2, BOTH, only=job_id) == ()
    assert [lease.slots for lease in ask.leases(3, BOTH, only=job_id)] == [3]


def test_a_repeated_claim_says_again_what_its_jobs_take(ask: Ask) -> None:
    declared(ask, "heavy", 3)
    ask.enqueue(new("heavy"))
    asked = request(3, BOTH)
    assert [lease.slots for lease in ask.run(claim(ask.verbs, asked)).leases] == [3]
    assert [lease.slots for lease in ask.run(claim(ask.verbs, asked, repeat=True)).leases] == [3]


def test_kinds_that_use_a_resource_share_its_limit_over_queues_and_tenants(ask: Ask) -> None:
    for kind in "xyz":
        declared(ask, kind, uses=("smtp",) if kind != "z" else ("db",))
    limited(ask, Place(resource="smtp"), 3)
    for queue in ("default", "mail"):
        ask.enqueue(*[new(kind, tenant=tenant, queue=queue) for kind in "xyz" for tenant in "ab"])
    first = ask.leases(50, tuple("xyz"))
    assert Counter(lease.kind == "z" for lease in first) == {True: 2, False: 3}
    assert kinds_of(ask.leases(50, tuple("xyz"), queue="mail")) == ["z", "z"]
    ask.report(*[done(lease) for lease in first if lease.kind != "z"])
    assert Counter(kinds_of(ask.leases(50, ("x", "y"), queue="mail"))).total() == 3


def test_a_kind_of_several_resources_needs_all_of_them_open(ask: Ask) -> None:
    declared(ask, "heavy", uses=("db", "smtp"))
    declared(ask, "light", uses=("db",))
    limited(ask, Place(resource="db"), 2)
    limited(ask, Place(resource="smtp"), 1)
    ask.enqueue(*[new("heavy") for _ in range(3)], *[new("light") for _ in range(3)])
    assert taken(ask, 50) == ["heavy", "light"]
    ask.run(pause(ask.verbs, "resource", "smtp", who="op"))
    limited(ask, Place(resource="db"), 9)
    assert taken(ask, 50) == ["light", "light"]


def test_a_resource_without_a_rule_holds_nothing_back(ask: Ask) -> None:
    declared(ask, "heavy", uses=("smtp",))
    ask.enqueue(*[new("heavy") for _ in range(5)])
    claimed = ask.claimed(3, BOTH)
    assert (len(claimed.leases), claimed.is_held_back) == (3, False)


def test_a_start_that_never_began_gives_its_token_back_to_the_resource(ask: Ask) -> None:
    declared(ask, "heavy", uses=("smtp",))
    limited(ask, Place(resource="smtp"), rate=Rate(1, 100.0, 1))
    ask.enqueue(new("heavy"), new("heavy"))
    (lease,) = ask.leases(10, BOTH)
    assert taken(ask, 10) == []
    ask.report(released(lease, begun=False))
    assert len(taken(ask, 10)) == 1


def test_what_a_kind_takes_is_kept_with_it_and_replaced_with_it(ask: Ask) -> None:
    ask.run(set_kind(ask.verbs, Kind(name="k", slots=3, uses=("smtp", "db", "smtp"), concurrency=2), who="op"))
    stands = ask.run(ask.verbs.kinds())["k"]
    assert (stands.slots, stands.uses, stands.concurrency) == (3, ("db", "smtp"), 2)
    assert ask.run(ask.verbs.kind_page(None, None, 1))[0].demand == Demand(3, ("db", "smtp"))
    assert ask.run(ask.verbs.demands()) == {"k": Demand(3, ("db", "smtp"))}
    ask.run(ask.verbs.put_kinds([Kind(name="k", slots=5)], replace=False))
    assert ask.run(ask.verbs.kinds())["k"].slots == 3
    limited(ask, Place(kind="k"))
    assert ask.run(ask.verbs.demands()) != {}
    ask.run(set_kind(ask.verbs, Kind(name="k"), who="op"))
    assert ask.run(ask.verbs.demands()) == {}


@pytest.mark.parametrize(
    ("said", "field"),
    [({"slots": 0}, "slots"), ({"slots": 1001}, "slots"), ({"uses": "smtp"}, "uses"), ({"uses": ("",)}, "uses")],
)
def test_what_no_job_can_take_is_refused(ask: Ask, said: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        ask.run(set_kind(ask.verbs, Kind(name="k", **said), who="op"))
    assert caught.value.field == field


def test_no_kind_uses_resources_without_number(ask: Ask) -> None:
    with pytest.raises(TooLarge, match="uses"):
        ask.run(set_kind(ask.verbs, Kind(name="k", uses=tuple(map(str, range(21)))), who="op"))


def test_racing_claimers_never_take_more_slots_of_a_resource_than_it_has(ask: Ask) -> None:
    declared(ask, "heavy", 2, ("smtp",))
    declared(ask, "light", 1, ("smtp", "db"))
    limited(ask, Place(resource="smtp"), 3)
    limited(ask, Place(resource="db"), 2)
    ids = [answer.id for answer in ask.enqueue(*[new(kind) for kind in BOTH for _ in range(20)])]
    seen: list[int] = []

    def work() -> None:
        for _ in range(8):
            leases = ask.leases(4, BOTH)
            seen.append(max(use.running for use in ask.run(ask.verbs.limits()) if use.limit.place.resource == "smtp"))
            ask.report(*[done(lease) for lease in leases])

    race([work] * 6)
    assert max(seen) <= 3
    assert sum(job.state == "succeeded" for job in ask.run(ask.verbs.read(ids)).values()) > 2
