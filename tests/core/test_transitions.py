"""What each end of an attempt makes of its job: budgets, deadlines, cancellation."""

from datetime import timedelta

import pytest

from tenure.core import defaults, transitions
from tenure.core.attempt import ErrorClass, Outcome
from tenure.core.job import Job, Policy
from tenure.core.reports import Completion, Release, Report, Snoozing, Unopened
from tenure.core.states import State
from tests.core.making import GRANT, NOW, applied, at, failure, job_in, running, waiting


def released(*, begun: bool) -> Release:
    return Release(job_id="j", token="token", begun=begun)


UNOPENED = Unopened(job_id="j", token="token", code="sealed_key_missing", error="no key")


def snoozed(delay: float = 5.0) -> Snoozing:
    return Snoozing(job_id="j", token="token", delay=delay)


def again(job: Job) -> Job:
    """The next attempt, whenever it is due."""
    if job.state is State.SCHEDULED:
        job = applied(transitions.promote(job, job.run_at))
    return transitions.claim(job, job.run_at, GRANT).after


def test_a_claim_counts_the_attempt_at_once() -> None:
    assert running().attempt == 1
    assert running().tries == 0


@pytest.mark.parametrize(("limit", "deadline", "end"), [(100.0, None, 100), (100.0, 50, 50), (100.0, 200, 100)])
def test_an_attempt_must_end_by_its_limit_or_the_deadline(limit: float, deadline: int | None, end: int) -> None:
    job = running(run_time_limit=limit, deadline=None if deadline is None else at(deadline))
    assert job.must_end_at == at(end)


def test_retryable_failures_spend_tries_and_the_last_one_fails() -> None:
    job = running(max_attempts=3)
    states = []
    for nth in range(3):
        move = transitions.fail(job, job.run_at, failure(code=f"e{nth}"))
        states.append(move.after.state)
        job = again(move.after) if nth < 2 else move.after
    assert states == [State.SCHEDULED, State.SCHEDULED, State.FAILED]
    assert (job.first_error_code, job.last_error_code, job.end_code) == ("e0", "e2", "e2")
    assert (job.tries, job.tries_left) == (3, 0)


def test_unknown_errors_have_three_quarters_of_the_tries_rounded_up() -> None:
    for most, allowed in [(1, 1), (2, 2), (3, 3), (4, 3), (8, 6), (10, 8)]:
        job, tries = running(max_attempts=most), 0
        while job.state is State.RUNNING:
            job, tries = transitions.fail(job, job.run_at, failure(ErrorClass.UNKNOWN)).after, tries + 1
            job = again(job) if job.state is not State.FAILED else job
        assert tries == allowed


def test_throttling_spends_its_own_budget_and_no_try() -> None:
    job = running(max_attempts=2)
    for _ in range(20):
        job = again(transitions.fail(job, job.run_at, failure(ErrorClass.THROTTLED, wait=1.0)).after)
    assert (job.tries, job.throttles) == (0, 20)
    ended = transitions.fail(job, job.run_at, failure(ErrorClass.THROTTLED)).after
    assert (ended.state, ended.end_code) == (State.FAILED, "throttled_exhausted")


def test_a_throttled_job_waits_at_least_what_it_was_told() -> None:
    for chance in (0.0, 0.999):
        job = transitions.fail(running(), NOW, failure(ErrorClass.THROTTLED, wait=30.0, chance=chance)).after
        assert at(30) <= job.run_at <= at(33)


@pytest.mark.parametrize(
    ("error_class", "state", "code"),
    [
        (ErrorClass.TERMINAL, State.FAILED, "e"),
        (ErrorClass.UNCERTAIN, State.FAILED, "effect_uncertain"),
        (ErrorClass.CANCEL, State.CANCELLED, "cancelled_by_handler"),
    ],
)
def test_some_errors_end_the_job_at_once(error_class: ErrorClass, state: State, code: str) -> None:
    job = transitions.fail(running(), NOW, failure(error_class)).after
    assert (job.state, job.end_code, job.ended_at) == (state, code, NOW)


@pytest.mark.parametrize("report", [failure(), failure(ErrorClass.UNKNOWN), failure(ErrorClass.THROTTLED)])
def test_with_one_attempt_every_failure_ends_the_job(report: Report) -> None:
    assert transitions.end(running(max_attempts=1), NOW, report).after.state is State.FAILED


def test_with_one_attempt_a_lost_lease_and_a_begun_release_end_the_job_and_a_snooze_does_not() -> None:
    lost = transitions.expire(running(max_attempts=1), at(61), 0.5).after
    interrupted = transitions.release(running(max_attempts=1), NOW, released(begun=True)).after
    snoozing = transitions.snooze(running(max_attempts=1), NOW, snoozed()).after
    assert [(job.state, job.end_code, job.last_error_code) for job in (lost, interrupted)] == [
        (State.FAILED, "worker_lost", "worker_lost"),
        (State.FAILED, "interrupted", "interrupted"),
    ]
    assert snoozing.state is State.SCHEDULED


def test_a_release_that_had_not_begun_is_free_twenty_times_then_waits() -> None:
    job = running()
    for _ in range(defaults.RELEASES):
        move = transitions.release(job, job.run_at, released(begun=False))
        assert move.after.state is State.READY
        job = again(move.after)
    waits = transitions.release(job, job.run_at, released(begun=False)).after
    assert waits.state is State.SCHEDULED
    assert (waits.returns, waits.releases, waits.tries) == (21, 0, 0)


def test_a_job_whose_key_is_missing_goes_back_longer_each_time_at_no_try_and_fails_in_the_end() -> None:
    job, waits = running(max_attempts=1), []
    for _ in range(defaults.UNOPENED_RETURNS):
        move = transitions.end(job, job.run_at, UNOPENED)
        assert move.attempt is not None
        assert (move.attempt.outcome, move.attempt.begun, move.attempt.error) == (Outcome.RELEASED, False, "no key")
        waits.append((move.after.run_at - job.run_at).total_seconds())
        assert (move.after.state, move.after.tries) == (State.SCHEDULED, 0)
        job = again(move.after)
    assert waits == [15.0, 30.0, 60.0, 120.0, 240.0, 480.0, *[600.0] * 6]
    ended = transitions.end(job, job.run_at, UNOPENED).after
    assert (ended.state, ended.end_code, ended.error) == (State.FAILED, "sealed_key_missing", "no key")


def test_a_job_whose_key_is_missing_is_tried_again_before_its_deadline() -> None:
    sent_back = transitions.end(running(deadline=at(10)), NOW, UNOPENED).after
    assert (sent_back.state, sent_back.run_at) == (State.SCHEDULED, at(5))


def test_a_job_whose_key_is_missing_and_whose_cancel_was_asked_is_cancelled() -> None:
    asked = applied(transitions.cancel(running(), NOW))
    assert transitions.end(asked, NOW, UNOPENED).after.state is State.CANCELLED


def test_a_begun_release_costs_the_release_budget_then_a_try() -> None:
    job = running(max_attempts=2)
    for _ in range(defaults.RELEASES):
        job = again(transitions.release(job, job.run_at, released(begun=True)).after)
    assert (job.releases, job.tries) == (20, 0)
    costly = transitions.release(job, job.run_at, released(begun=True)).after
    assert (costly.state, costly.tries, costly.last_error_code) == (State.SCHEDULED, 1, "interrupted")
    ended = transitions.release(again(costly), at(9999), released(begun=True)).after
    assert (ended.state, ended.end_code) == (State.FAILED, "interrupted")


def test_snoozes_have_a_budget() -> None:
    job = running(snoozes=defaults.SNOOZES - 1)
    last = transitions.snooze(job, NOW, snoozed()).after
    assert last.state is State.SCHEDULED
    over = transitions.snooze(running(snoozes=defaults.SNOOZES), NOW, snoozed()).after
    assert (over.state, over.end_code) == (State.FAILED, "snoozes_exhausted")


@pytest.mark.parametrize("report", [failure(wait=60.0), failure(ErrorClass.THROTTLED, wait=60.0), snoozed(60.0)])
def test_a_requeue_past_the_deadline_fails_the_job(report: Report) -> None:
    job = transitions.end(running(deadline=at(50)), at(1), report).after
    assert (job.state, job.end_code) == (State.FAILED, "deadline_exceeded")


@pytest.mark.parametrize(
    "report",
    [failure(), failure(ErrorClass.TERMINAL), failure(ErrorClass.UNCERTAIN), failure(ErrorClass.UNKNOWN),
     failure(ErrorClass.THROTTLED), failure(ErrorClass.CANCEL), released(begun=True), released(begun=False), snoozed()],
)  # fmt: skip
@pytest.mark.parametrize("deadline", [None, 2])
def test_once_cancellation_was_asked_every_end_but_completion_is_cancelled(
    report: Report, deadline: int | None
) -> None:
    job = applied(transitions.cancel(running(deadline=None if deadline is None else at(deadline)), at(1)))
    move = transitions.end(job, at(1.5), report)
    assert move.after.state is State.CANCELLED
    assert move.attempt is not None
    assert move.attempt.after_cancel


def test_completion_wins_over_cancellation_and_deadline_and_history_says_so() -> None:
    job = applied(transitions.cancel(running(deadline=at(5)), at(1)))
    move = transitions.complete(job, at(9), Completion("j", "token", "1"))
    assert move.after.state is State.SUCCEEDED
    assert move.attempt is not None
    assert (move.attempt.after_cancel, move.attempt.after_deadline) == (True, True)


def test_why_a_lease_expired_is_read_off_its_end_and_not_off_the_sweep() -> None:
    hour_later = at(3600 * 3)
    lost = transitions.expire(running(), hour_later, 0.5)
    timed = transitions.expire(running(run_time_limit=30.0), hour_later, 0.5)
    idle = transitions.expire(running(policy=Policy(progress_timeout=20.0)), hour_later, 0.5)
    outcomes = [move.attempt.outcome for move in (lost, timed, idle) if move.attempt]
    assert outcomes == [Outcome.LEASE_EXPIRED, Outcome.TIMED_OUT, Outcome.NO_PROGRESS]
    assert [move.after.losses for move in (lost, timed, idle)] == [1, 0, 0]


def test_a_redrive_starts_all_budgets_anew_and_goes_on_numbering() -> None:
    job = running(max_attempts=1, releases=7, snoozes=9)
    failed = transitions.fail(job, at(1), failure()).after
    redriven = applied(transitions.redrive(failed, at(50), at(99)))
    assert (redriven.state, redriven.attempt, redriven.tries, redriven.snoozes, redriven.releases) == (
        State.READY,
        1,
        0,
        0,
        0,
    )
    assert (redriven.run_at, redriven.deadline, redriven.ended_at, redriven.end_code) == (at(50), at(99), None, None)
    assert (redriven.first_error_code, redriven.last_error_code) == ("e", "e")


def test_superseded_and_expired_payloads_are_never_redriven() -> None:
    superseded = applied(transitions.supersede(waiting(), NOW, "newer"))
    assert (superseded.state, superseded.end_code, superseded.superseded_by) == (State.CANCELLED, "superseded", "newer")
    assert transitions.redrive(superseded, NOW) is None


def test_a_deadline_passes_at_its_instant() -> None:
    job = waiting(deadline=at(10))
    assert transitions.pass_deadline(job, at(10) - timedelta(microseconds=1)) is None
    ended = applied(transitions.pass_deadline(job, at(10)))
    assert (ended.state, ended.end_code, ended.attempt) == (State.FAILED, "deadline_exceeded", 0)


def test_a_lease_ends_at_its_instant() -> None:
    job = running()
    assert not transitions.has_expired(job, at(60) - timedelta(microseconds=1))
    assert transitions.has_expired(job, at(60))


def test_cancelling_twice_changes_nothing_the_second_time() -> None:
    asked = applied(transitions.cancel(running(), NOW))
    assert transitions.cancel(asked, at(1)) is None
    assert transitions.cancel(job_in(State.SUCCEEDED), NOW) is None


def test_the_reason_of_a_row_that_is_set_aside_is_cleaned() -> None:
    aside = transitions.set_aside(waiting(), NOW, "postgresql://bob:hunter2@db/x refuses " + "x" * 5000)
    assert aside is not None
    assert "hunter2" not in (aside.after.error or "")
    assert len((aside.after.error or "").encode()) <= 4096
