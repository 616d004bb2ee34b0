"""G5: priority; inside a priority fair turns between tenants; inside a tenant run_at, then seq."""

import threading
from collections import Counter
from datetime import timedelta

from tenure.core.attempt import ErrorClass
from tenure.core.claim import Ability
from tenure.core.kind import Kind
from tenure.core.lease import Lease
from tenure.operations.clear_slowdown import clear_slowdown
from tenure.operations.complete_and_claim import complete_and_claim
from tenure.stores.reading import Slowdown
from tests.conformance.asking import Ask, done, failed, new, request
from tests.conformance.racing import race


def limit(ask: Ask, kind: str, concurrency: int) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name=kind, concurrency=concurrency)], replace=True))


def test_higher_priorities_come_first_whatever_their_age(ask: Ask) -> None:
    low, high, middle = (ask.enqueued(priority=p) for p in (-5, 30, 10))
    assert [lease.job_id for lease in ask.leases(10)] == [high, middle, low]


def test_inside_a_tenant_run_at_comes_before_the_order_of_enqueueing(ask: Ask) -> None:
    now = ask.clock()
    later = ask.enqueued(run_at=now - timedelta(seconds=1))
    earlier = ask.enqueued(run_at=now - timedelta(seconds=2))
    assert [lease.job_id for lease in ask.leases(10)] == [earlier, later]


def test_a_bulk_is_claimed_in_the_order_in_which_it_was_given(ask: Ask) -> None:
    ids = [answer.id for answer in ask.enqueue(*[new(idempotency_key=f"{9 - n}") for n in range(9)])]
    assert [lease.job_id for lease in ask.leases(10)] == ids


def test_tenants_take_turns_round_by_round(ask: Ask) -> None:
    ask.enqueue(*[new(tenant=tenant) for tenant in "aaaaabbc"])
    assert "".join(lease.tenant for lease in ask.leases(8)) == "abcabaaa"


def test_the_next_claim_starts_after_the_tenant_that_was_served_last(ask: Ask) -> None:
    ask.enqueue(*[new(tenant=tenant) for tenant in "abcd" for _ in range(5)])
    served = ""
    after: dict[int, str] = {}
    for _ in range(4):
        claimed = ask.claimed(3, after=after)
        served, after = served + "".join(lease.tenant for lease in claimed.leases), claimed.after
    assert served == "abcdabcdabcd"


def test_a_great_backlog_delays_another_tenant_by_no_more_than_a_turn(ask: Ask) -> None:
    ask.enqueue(*[new(tenant="big") for _ in range(300)])
    lonely = ask.enqueued(tenant="small")
    after: dict[int, str] = {}
    for _ in range(2):
        claimed = ask.claimed(1, after=after)
        after = claimed.after
        ask.report(*[done(lease) for lease in claimed.leases])
    assert ask.job(lonely).state == "succeeded"


def test_tenants_are_ordered_by_code_point(ask: Ask) -> None:
    tenants = ["é", "a", "B", "𝒳", "ｚ", "Z"]
    ask.enqueue(*[new(tenant=tenant) for tenant in tenants])
    assert [lease.tenant for lease in ask.leases(10)] == sorted(tenants)


def test_the_lanes_of_a_tenant_are_merged_by_run_at(ask: Ask) -> None:
    now = ask.clock()
    jobs = [new(kind, run_at=now - timedelta(seconds=age)) for kind, age in [("a", 1), ("b", 4), ("a", 3), ("b", 2)]]
    ask.enqueue(*jobs)
    assert [lease.kind for lease in ask.leases(10, ("a", "b"))] == ["b", "a", "b", "a"]


def test_what_a_tenant_leaves_of_its_share_goes_to_the_others(ask: Ask) -> None:
    ask.enqueue(*[new(tenant=tenant) for tenant in "a" * 10 + "b"])
    assert Counter(lease.tenant for lease in ask.leases(6)) == {"a": 5, "b": 1}


def test_lower_priorities_fill_the_slots_that_are_left(ask: Ask) -> None:
    ask.enqueue(new(priority=10, tenant="a"), new(tenant="a"), new(tenant="b"))
    claimed = ask.claimed(10)
    assert [lease.priority for lease in claimed.leases] == [10, 0, 0]
    assert set(claimed.after) == {10, 0}


def test_a_worker_is_given_the_versions_that_it_can_run_and_told_which_runs_them(ask: Ask) -> None:
    old, current = ask.enqueued(version=1), ask.enqueued(version=3)
    ask.enqueued(version=2)
    leases = ask.leases(10, abilities=(Ability("k", 3, 3), Ability("k", 1, 3)))
    assert {lease.job_id for lease in leases} == {old, current}
    assert {ask.job(job_id).ran_version for job_id in (old, current)} == {3}


def test_a_kind_at_its_limit_is_claimed_no_further(ask: Ask) -> None:
    limit(ask, "k", 2)
    ask.enqueue(*[new() for _ in range(5)])
    leases = ask.leases(10)
    assert len(leases) == 2
    assert ask.leases(10) == ()
    ask.report(done(leases[0]))
    assert len(ask.leases(10)) == 1


def test_a_full_kind_lets_no_lower_priority_overtake_another_kind(ask: Ask) -> None:
    limit(ask, "full", 1)
    ask.enqueue(*[new("full", priority=10) for _ in range(5)])
    behind = ask.enqueued("free", priority=10)
    low = ask.enqueued("free", priority=0)
    assert [lease.job_id for lease in ask.leases(3, ("full", "free"))][1:] == [behind, low]


def test_a_limited_kind_starves_no_tenant(ask: Ask) -> None:
    limit(ask, "limited", 1)
    ask.enqueue(*[new("limited", tenant=tenant) for tenant in "abc" for _ in range(9)])
    ask.enqueue(*[new("free", tenant="a") for _ in range(90)])
    served: Counter[str] = Counter()
    after: dict[int, str] = {}
    for _ in range(9):
        claimed = ask.claimed(10, ("limited", "free"), after=after)
        after = claimed.after
        served.update(lease.tenant for lease in claimed.leases if lease.kind == "limited")
        ask.report(*[done(lease) for lease in claimed.leases])
    assert set(served) == {"a", "b", "c"}


def test_a_slowed_kind_of_one_tenant_is_passed_over_until_its_time(ask: Ask) -> None:
    slowed, other = ask.enqueued(tenant="a"), ask.enqueued(tenant="b")
    until = ask.clock() + timedelta(seconds=30)
    ask.run(ask.verbs.slow_down(Slowdown("a", "k", until, "rate_limited")))
    assert [lease.job_id for lease in ask.leases(10)] == [other]
    assert [s.code for s in ask.run(ask.verbs.slowdowns())] == ["rate_limited"]
    ask.clock.to(until)
    assert [lease.job_id for lease in ask.leases(10)] == [slowed]
    assert ask.run(ask.verbs.slowdowns()) == []


def test_a_shorter_slowdown_does_not_end_a_longer_one(ask: Ask) -> None:
    for seconds in (60, 5):
        until = ask.clock() + timedelta(seconds=seconds)
        ask.run(ask.verbs.slow_down(Slowdown("default", "k", until, f"{seconds}")))
    ask.enqueued()
    ask.clock.advance(10)
    assert ask.leases(1) == ()


def test_a_job_past_its_deadline_never_starts(ask: Ask) -> None:
    late = ask.enqueued(deadline=ask.clock() + timedelta(seconds=5))
    low = ask.enqueued(priority=-1)
    ask.clock.advance(5)
    assert [lease.job_id for lease in ask.leases(10)] == [low]
    ask.sweep_deadlines()
    job = ask.job(late)
    assert (job.state, job.end_code, job.attempt) == ("failed", "deadline_exceeded", 0)


def test_sixteen_racing_claimers_never_exceed_a_kinds_limit(ask: Ask) -> None:
    limit(ask, "k", 3)
    ids = [answer.id for answer in ask.enqueue(*[new() for _ in range(60)])]
    live: set[str] = set()
    most, guard = [0], threading.Lock()

    def work() -> None:
        for _ in range(12):
            leases = ask.leases(2)
            with guard:
                live.update(lease.job_id for lease in leases)
                most[0] = max(most[0], len(live))
            with guard:
                live.difference_update(lease.job_id for lease in leases)
            ask.report(*[done(lease) for lease in leases])

    race([work] * 16)
    assert 0 < most[0] <= 3
    assert any(job.state == "succeeded" for job in ask.run(ask.verbs.read(ids)).values())


def test_racing_claims_that_travel_with_completions_never_exceed_a_kinds_limit(ask: Ask) -> None:
    limit(ask, "k", 2)
    ask.enqueue(*[new() for _ in range(80)])
    running: list[int] = []

    def work() -> None:
        leases: tuple[Lease, ...] = ()
        for _ in range(10):
            reports = [done(lease) for lease in leases]
            _, claimed = ask.store.run(complete_and_claim(ask.verbs, reports, request(2)), "claim")
            leases = claimed.leases
            running.append(sum(c.jobs for c in ask.run(ask.verbs.counts()) if c.state == "running"))

    race([work] * 8)
    assert 0 < max(running) <= 2


def test_a_throttled_report_for_its_whole_kind_slows_it_by_five_minutes_at_most(ask: Ask) -> None:
    ask.enqueue(new(), new(), new(tenant="other"))
    lease = ask.lease()
    ask.report(failed(lease, ErrorClass.THROTTLED, "busy", wait=100_000.0, scope="kind"))
    (slowdown,) = ask.run(ask.verbs.slowdowns())
    assert slowdown == Slowdown("default", "k", ask.clock() + timedelta(seconds=300), "busy")
    assert [lease.tenant for lease in ask.leases(5)] == ["other"]
    ask.clock.advance(300)
    assert len(ask.leases(5)) == 1


def test_an_operator_may_clear_a_slowdown_and_the_kind_starts_again(ask: Ask) -> None:
    ask.enqueued()
    ask.run(ask.verbs.slow_down(Slowdown("default", "k", ask.clock() + timedelta(seconds=60), "busy")))
    assert ask.leases(1) == ()
    assert ask.run(clear_slowdown(ask.verbs, "default", "k", who="an operator", why="it is well again"))
    assert not ask.run(clear_slowdown(ask.verbs, "default", "k", who="an operator"))
    assert len(ask.leases(1)) == 1
    (line,) = ask.run(ask.verbs.audit_lines(10))
    assert (line.verb, line.subject, line.tenant, line.why) == (
        "clear_slowdown",
        "kind k",
        "default",
        "it is well again",
    )


def restricted(ask: Ask, *tenants: str, limit: int = 10, after: dict[int, str] | None = None) -> str:
    return "".join(lease.tenant for lease in ask.leases(limit, tenants=tenants, after=after or {}))


def test_a_claim_for_some_tenants_takes_only_their_jobs(ask: Ask) -> None:
    ask.enqueue(*[new(tenant=tenant) for tenant in "abcdd"], new(tenant="a", priority=30))
    assert restricted(ask, "d", "b", "z") == "bdd"
    assert restricted(ask, "z") == ""
    assert restricted(ask) == ""
    assert "".join(lease.tenant for lease in ask.leases(10)) == "aac"


def test_tenants_of_a_claim_take_turns_from_the_cursor_on(ask: Ask) -> None:
    ask.enqueue(*[new(tenant=tenant) for tenant in "abcde" for _ in range(3)])
    assert restricted(ask, "a", "c", "e", limit=2, after={0: "a"}) == "ce"
    assert restricted(ask, "a", "c", "e", limit=2, after={0: "d"}) == "ea"
    assert restricted(ask, "a", "c", limit=2, after={0: "z"}) == "ac"


def test_a_claim_for_a_few_among_many_tenants_finds_every_lane_of_theirs(ask: Ask) -> None:
    few = ("t050", "t051", "t199")
    ask.enqueue(*[new(kind, tenant=f"t{n:03}") for n in range(200) for kind in ("k", "other")])
    found = ask.leases(10, ("k", "other"), tenants=few, after={0: "t050"})
    assert [lease.tenant for lease in found] == ["t051", "t199", "t050"] * 2
    assert {lease.kind for lease in found} == {"k", "other"}


def test_a_report_may_have_its_kind_rest_by_five_minutes_at_most(ask: Ask) -> None:
    ask.enqueued()
    ask.report(failed(ask.lease(), code="down", slow=5_000.0))
    (slowdown,) = ask.run(ask.verbs.slowdowns())
    assert slowdown == Slowdown("default", "k", ask.clock() + timedelta(seconds=300), "down")


def test_a_retry_that_is_held_up_in_a_storm_comes_back_later(ask: Ask) -> None:
    job = ask.enqueued()
    ask.report(failed(ask.lease(), delay=45.0))
    assert ask.job(job).run_at == ask.clock() + timedelta(seconds=45)
