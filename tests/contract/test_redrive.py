"""A redrive: the same job again, with its history, under the limits that hold now."""

from datetime import timedelta

from tenure.core import transitions
from tenure.core.attempt import ErrorClass
from tenure.core.job import Job
from tenure.core.states import State
from tenure.stores.reading import Slowdown
from tenure.stores.script import Script
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, done, failed


def redriven(ask: Ask, job_id: str) -> Job:
    """What the verb will do, which is still to come: decide on the row under its lock, and write the decision."""

    def script() -> Script[set[str]]:
        locked = yield from ask.verbs.lock([job_id])
        decided = transitions.redrive(locked.jobs[job_id], locked.now)
        assert decided is not None
        return (yield from ask.verbs.apply([decided]))

    assert ask.run(script()) == {job_id}
    return ask.job(job_id)


def dead(ask: Ask, **fields: object) -> str:
    job = ask.enqueued(**fields)  # type: ignore[arg-type]
    ask.answer(failed(ask.lease(), ErrorClass.TERMINAL, "no_such_account"))
    return job


def test_a_redriven_job_keeps_its_id_and_history_and_starts_its_budgets_anew(ask: Ask, clock: FakeClock) -> None:
    job = dead(ask, deadline=clock() + timedelta(hours=1))
    clock.advance(7200)
    row = redriven(ask, job)
    assert (row.state, row.tries, row.attempt, row.deadline, row.end_code) == (State.READY, 0, 1, None, None)
    assert row.first_error_code == "no_such_account"
    lease = ask.lease()
    assert (lease.job_id, lease.attempt) == (job, 2)
    ask.answer(done(lease))
    assert [attempt.number for attempt in ask.history(job)] == [1, 2]


def test_a_job_redriven_under_a_throttle_waits_until_it_is_over(ask: Ask, clock: FakeClock) -> None:
    job = dead(ask)
    ask.run(ask.verbs.slow_down(Slowdown("default", "k", clock() + timedelta(seconds=120), "smtp_busy")))
    assert redriven(ask, job).state is State.READY
    assert ask.leases(5) == ()
    clock.advance(121)
    assert [lease.job_id for lease in ask.leases(5)] == [job]


def test_what_cannot_run_again_is_not_redriven(ask: Ask, clock: FakeClock) -> None:
    succeeded = ask.enqueued()
    ask.answer(done(ask.lease()))
    waiting = ask.enqueued()
    assert transitions.redrive(ask.job(succeeded), clock()) is None
    assert transitions.redrive(ask.job(waiting), clock()) is None


def test_of_two_redrives_that_saw_the_same_row_one_applies(ask: Ask, clock: FakeClock) -> None:
    job = dead(ask)
    decided = transitions.redrive(ask.job(job), clock())
    assert decided is not None
    assert [ask.run(ask.verbs.apply([decided])) for _ in range(2)] == [{job}, set()]
