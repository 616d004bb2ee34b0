"""A claim that names its job takes it where the store says that it can be taken, and nothing else."""

from datetime import timedelta

from tenure.core.attempt import ErrorClass
from tenure.core.claim import Ability
from tenure.core.kind import Kind
from tenure.core.lease import Lease
from tenure.core.states import State
from tenure.operations.claim import claim
from tenure.operations.complete_and_claim import complete_and_claim
from tenure.stores.reading import Slowdown
from tests.conformance.asking import NOBODY, Ask, done, failed, new, request
from tests.conformance.racing import race


def test_it_takes_that_very_job_out_of_turn(ask: Ask) -> None:
    urgent, wanted, _other = (ask.enqueued(priority=p) for p in (30, 0, 0))
    claimed = ask.claimed(only=wanted, after={0: "b", 30: "a"})
    assert [(lease.job_id, lease.priority, lease.attempt) for lease in claimed.leases] == [(wanted, 0, 1)]
    assert claimed.after == {0: "b", 30: "a"}
    assert ask.job(urgent).state is State.READY


def test_its_row_is_the_one_that_an_ordinary_claim_would_have_written(ask: Ask) -> None:
    first, second = ask.enqueued(run_time_limit=20.0), ask.enqueued(run_time_limit=20.0)
    named, common = ask.lease(only=second, worker="w", claim_id="c"), ask.lease(worker="w", claim_id="c")
    assert common.job_id == first
    names = ("lease_expires_at", "must_end_at", "started_at", "ran_version", "holder", "claim_id", "worker", "revision")
    one, other = ask.job(second), ask.job(first)
    assert [getattr(one, name) for name in names] == [getattr(other, name) for name in names]
    assert named.lease_expires_at == common.lease_expires_at
    assert ask.answer(done(named)).outcome == ask.answer(done(common)).outcome


def test_what_is_not_ready_in_that_queue_is_left(ask: Ask) -> None:
    later, elsewhere, ran = ask.enqueued(delay=9), ask.enqueued(queue="mail"), ask.enqueued("ran")
    lease = ask.lease(("ran",))
    for job_id in (later, elsewhere, ran, NOBODY, "no id", ""):
        assert ask.leases(kinds=("k", "ran"), only=job_id) == ()
    ask.report(done(lease))
    assert ask.leases(kinds=("ran",), only=ran) == ()
    assert ask.job(ran).state is State.SUCCEEDED


def test_what_the_worker_cannot_run_is_left(ask: Ask) -> None:
    job_id = ask.enqueued(version=2, tenant="a")
    assert ask.leases(only=job_id) == ()
    able = (Ability("k", 2, 2),)
    assert ask.leases(only=job_id, abilities=able, tenants=("b",)) == ()
    assert ask.leases(only=job_id, abilities=able, tenants=()) == ()
    assert ask.leases(only=job_id, abilities=()) == ()
    assert [lease.version for lease in ask.leases(only=job_id, abilities=able, tenants=("a",))] == [2]


def test_without_a_slot_nothing_is_taken(ask: Ask) -> None:
    assert ask.leases(0, only=ask.enqueued()) == ()


def test_a_limited_kind_is_taken_while_it_has_room(ask: Ask) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name="k", concurrency=1)], replace=True))
    first, second = ask.enqueued(), ask.enqueued()
    held = ask.lease(only=second)
    assert ask.leases(only=first) == ()
    ask.report(done(held))
    assert [lease.job_id for lease in ask.leases(only=first)] == [first]


def test_a_slowed_kind_is_left_until_it_is_over(ask: Ask) -> None:
    job_id = ask.enqueued()
    ask.run(ask.verbs.slow_down(Slowdown("default", "k", ask.clock() + timedelta(seconds=5), "busy")))
    assert ask.leases(only=job_id) == ()
    ask.clock.advance(6)
    assert len(ask.leases(only=job_id)) == 1


def test_a_job_whose_deadline_has_passed_never_starts(ask: Ask) -> None:
    job_id = ask.enqueued(deadline=ask.clock() + timedelta(seconds=5))
    ask.clock.advance(6)
    assert ask.leases(only=job_id) == ()


def test_a_job_that_waits_out_a_retry_is_left_until_it_is_promoted(ask: Ask) -> None:
    job_id = ask.enqueued()
    ask.report(failed(ask.lease(), ErrorClass.RETRYABLE, wait=10.0))
    ask.clock.advance(11)
    assert ask.leases(only=job_id) == ()
    ask.promote()
    assert [lease.attempt for lease in ask.leases(only=job_id)] == [2]


def test_a_repeat_finds_the_lease_and_takes_no_other(ask: Ask) -> None:
    job_id, _other = ask.enqueued(), ask.enqueued()
    named = request(only=job_id)
    first = ask.run(claim(ask.verbs, named))
    again = ask.run(claim(ask.verbs, named, repeat=True))
    assert [lease.token for lease in again.leases] == [lease.token for lease in first.leases]
    ask.report(done(first.leases[0]))
    assert ask.run(claim(ask.verbs, named, repeat=True)).leases == ()


def test_it_travels_with_completions(ask: Ask) -> None:
    ended, wanted = ask.enqueued(), ask.enqueued()
    lease = ask.lease(only=ended)
    answers, claimed = ask.run(complete_and_claim(ask.verbs, [done(lease)], request(only=wanted)))
    assert [answer.state for answer in answers] == [State.SUCCEEDED]
    assert [lease.job_id for lease in claimed.leases] == [wanted]


def test_of_many_claims_for_one_job_one_takes_it(ask: Ask) -> None:
    job_id = ask.enqueue(new())[0].id

    def take() -> tuple[Lease, ...]:
        return ask.leases(only=job_id)

    assert sum(map(len, race([take] * 6))) == 1
