"""G8: recovery reads the lease on the job itself; an expired lease counts against no limit."""

from tenure.core import transitions
from tenure.core.attempt import Outcome
from tenure.core.claim import ClaimRequest
from tenure.core.kind import Kind
from tenure.core.lease import Beat, of_job
from tenure.core.reports import Completion, Failure, Release, Snoozing, Standing
from tenure.core.states import State
from tests.conformance.asking import Ask, done, new
from tests.conformance.racing import race


def test_an_expired_lease_counts_against_no_limit(ask: Ask) -> None:
    """B09: recovery is not gated by the very place under a limit that the dead job still holds."""
    ask.run(ask.verbs.put_kinds([Kind(name="k", concurrency=1)], replace=True))
    abandoned = ask.enqueued()
    ask.lease()
    second = ask.enqueued()
    ask.clock.advance(61)
    assert ask.lease().job_id == second, "before any sweep"
    ask.sweep()
    assert ask.leases(5) == ()
    ask.report(done(of_job(ask.job(second))))
    assert ask.lease().job_id == abandoned


def test_a_swept_row_and_its_history_are_exactly_what_core_makes_of_them(ask: Ask) -> None:
    job_id = ask.enqueued()
    ask.lease()
    before = ask.job(job_id)
    now = ask.clock.advance(75)
    swept = ask.sweep()
    expected = transitions.expire(before, now, 0.5)
    assert swept.ended == (expected,)
    assert ask.job(job_id) == expected.after
    (attempt,) = ask.history(job_id)
    assert attempt == expected.attempt
    assert attempt.ended_at == attempt.lease_lost_at == before.lease_expires_at, "the expiry, not the sweep"


def test_the_first_loss_is_due_at_once_and_later_ones_wait_out_the_back_off(ask: Ask) -> None:
    job_id = ask.enqueued()
    states = []
    for _ in range(2):
        ask.lease()
        ask.clock.advance(61)
        ask.sweep()
        states.append(ask.job(job_id).state)
    assert states == [State.READY, State.SCHEDULED]


def test_a_job_whose_workers_all_die_fails_as_worker_lost(ask: Ask) -> None:
    job_id = ask.enqueued(max_attempts=3)
    for _ in range(3):
        ask.promote()
        ask.lease()
        ask.clock.advance(4000)
        ask.sweep(lambda: 0.0)
    job = ask.job(job_id)
    assert (job.state, job.end_code, job.attempt, job.tries) == (State.FAILED, "worker_lost", 3, 3)


def test_a_live_lease_is_swept_by_nobody(ask: Ask) -> None:
    job_id = ask.enqueued()
    ask.lease()
    ask.clock.advance(59.999)
    assert ask.sweep().seen == 0
    ask.clock.advance(0.001)
    assert [move.after.id for move in ask.sweep().ended] == [job_id]


def test_nothing_but_the_row_is_needed_to_recover_a_job(ask: Ask) -> None:
    """No registry of workers: the worker, its host and process are unknown to everybody else."""
    ask.enqueued()
    lease = ask.lease(worker="gone", holder=None)
    ask.clock.advance(61)
    ask.sweep()
    assert ask.history(lease.job_id)[0].outcome is Outcome.LEASE_EXPIRED
    assert ask.lease(worker="other").attempt == 2
    assert ask.answer(done(lease)).standing is Standing.STALE


def test_a_sweep_takes_no_more_than_it_was_asked_for(ask: Ask) -> None:
    ask.enqueue(*[new() for _ in range(5)])
    ask.leases(5)
    ask.clock.advance(61)
    assert len(ask.run(ask.verbs.expired(2)).jobs) == 2


def test_a_workers_clock_decides_nothing(ask: Ask) -> None:
    """Every instant in a row is the store's: nothing that a worker sends holds an instant of its own."""
    for message in (Beat, ClaimRequest, Completion, Failure, Release, Snoozing):
        assert not any("datetime" in str(kind) for kind in message.__annotations__.values()), message
    job_id = ask.enqueued()
    lease = ask.lease()
    ask.clock.advance(50)
    assert ask.beat(lease).held
    ask.clock.advance(50)
    assert ask.sweep().seen == 0
    assert ask.job(job_id).attempt == 1


def test_racing_sweeps_end_each_lost_attempt_once(ask: Ask) -> None:
    ids = [answer.id for answer in ask.enqueue(*[new() for _ in range(40)])]
    ask.leases(40)
    ask.clock.advance(61)
    ended = [move.after.id for swept in race([ask.sweep] * 8) for move in swept.ended]
    assert sorted(ended) == sorted(ids)
    assert all(len(history) == 1 for history in ask.run(ask.verbs.attempts(ids)).values())
