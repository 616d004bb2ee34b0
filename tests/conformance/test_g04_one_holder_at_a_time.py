"""G4: two workers never hold the same job at once while a lease is valid."""

from collections import Counter
from functools import partial

from tenure.core import transitions
from tenure.core.lease import Lease
from tenure.core.states import State
from tenure.core.transitions import Grant
from tests.conformance.asking import Ask, new, request
from tests.conformance.racing import race

JOBS = 500
RACERS = 16


def test_sixteen_racing_claimers_take_each_of_five_hundred_jobs_once(ask: Ask) -> None:
    ids = {answer.id for answer in ask.enqueue(*[new() for _ in range(JOBS)])}

    def work(worker: str) -> list[Lease]:
        taken: list[Lease] = []
        while leases := ask.leases(7, worker=worker):
            taken += leases
        return taken

    leases = [lease for taken in race([partial(work, f"w{n}") for n in range(RACERS)]) for lease in taken]
    assert Counter(lease.job_id for lease in leases) == Counter(ids)
    assert len({lease.fencing_token for lease in leases}) == len({lease.token for lease in leases}) == JOBS


def test_the_claimed_row_is_exactly_what_core_makes_of_it(ask: Ask) -> None:
    ids = [answer.id for answer in ask.enqueue(*[new(deadline=ask.clock().replace(hour=11)), new(run_time_limit=5.5)])]
    before = ask.run(ask.verbs.read(ids))
    ask.clock.advance(1.25)
    asked = request(2, lease_seconds=33.0)
    claimed = ask.run(ask.verbs.claim(asked))
    assert [lease.job_id for lease in claimed.leases] == ids
    after = ask.run(ask.verbs.read(ids))
    for lease, token in zip(claimed.leases, asked.tokens, strict=True):
        grant = Grant(
            lease_token=token,
            fencing_token=lease.fencing_token,
            claim_id=asked.claim_id,
            worker=asked.worker,
            holder=asked.holder,
            ran_version=1,
            lease_seconds=33.0,
        )
        assert after[lease.job_id] == transitions.claim(before[lease.job_id], claimed.now, grant).after
        assert lease.token == token


def test_a_lease_tells_what_its_row_says(ask: Ask) -> None:
    from tenure.core.lease import of_job

    job_id = ask.enqueued(value={"x": [1.0, 2]}, tags=("red",), trace="t", priority=10, tenant="é")
    assert ask.lease() == of_job(ask.job(job_id))


def test_a_held_job_is_claimed_by_nobody_until_its_lease_has_been_swept(ask: Ask) -> None:
    ask.enqueued()
    ask.lease(worker="w1")
    assert ask.leases(worker="w2") == ()
    ask.clock.advance(61)
    assert ask.leases(worker="w2") == ()
    ask.sweep()
    assert ask.lease(worker="w2").attempt == 2


def test_fencing_tokens_rise_over_all_attempts_of_the_database(ask: Ask) -> None:
    ask.enqueue(*[new() for _ in range(9)])
    tokens = [lease.fencing_token for _ in range(3) for lease in sorted(ask.leases(3), key=lambda x: x.fencing_token)]
    assert tokens == sorted(set(tokens))
    ask.clock.advance(61)
    ask.sweep()
    assert min(lease.fencing_token for lease in ask.leases(9)) > max(tokens)


def test_a_repeated_claim_answers_the_leases_that_it_holds(ask: Ask) -> None:
    from tenure.operations.claim import claim

    ask.enqueue(*[new() for _ in range(5)])
    asked = request(2)
    first = ask.run(claim(ask.verbs, asked))
    again = ask.run(claim(ask.verbs, request(2, claim_id=asked.claim_id), repeat=True))
    assert again.leases == first.leases
    assert ask.run(ask.verbs.leases(asked.claim_id, "w1")) == list(first.leases)


def test_a_claim_is_repeated_for_its_own_worker_alone(ask: Ask) -> None:
    ask.enqueued()
    asked = request(1)
    ask.run(ask.verbs.claim(asked))
    assert ask.run(ask.verbs.leases(asked.claim_id, "somebody else")) == []
    assert ask.run(ask.verbs.leases("another claim", "w1")) == []


def test_a_repeated_claim_that_holds_nothing_any_more_claims_afresh(ask: Ask) -> None:
    from tenure.operations.claim import claim

    ask.enqueued()
    asked = request(1)
    ask.run(claim(ask.verbs, asked))
    ask.clock.advance(61)
    assert ask.run(ask.verbs.leases(asked.claim_id, "w1")) == []
    ask.sweep()
    again = ask.run(claim(ask.verbs, request(1, claim_id=asked.claim_id), repeat=True))
    assert [lease.attempt for lease in again.leases] == [2]


def test_a_claim_of_nothing_leaves_the_cursor_alone(ask: Ask) -> None:
    claimed = ask.claimed(3, after={0: "t"})
    assert (claimed.leases, claimed.after) == ((), {0: "t"})


def test_only_ready_jobs_of_the_asked_queue_kind_and_version_are_claimed(ask: Ask) -> None:
    wanted = ask.enqueued()
    ask.enqueue(new(queue="other"), new("unable"), new(version=2), new(delay=60.0))
    assert [lease.job_id for lease in ask.leases(10)] == [wanted]
    assert ask.job(wanted).state is State.RUNNING
