"""What the end of an attempt makes of its job: reported by its owner, or found out by a sweep."""

from datetime import datetime
from typing import Any, Final

from tenure.core import defaults, lease
from tenure.core import retry as waits
from tenure.core.attempt import Attempt, EndedBy, ErrorClass, Outcome
from tenure.core.job import Job
from tenure.core.reports import Completion, Failure, Release, Report, Snoozing, Unopened
from tenure.core.states import Event, State
from tenure.core.transitions import codes
from tenure.core.transitions.history import history, reported
from tenure.core.transitions.leaving import finish, leave, requeue, retry
from tenure.core.transitions.move import Transition

WHY_EXPIRED: Final = {
    codes.WORKER_LOST: "the lease ended before the worker reported",
    codes.TIMED_OUT: "the time of the attempt was over and its worker did not report",
    codes.NO_PROGRESS: "no progress was told in time and the worker did not report",
}
"""The error of an attempt that a sweep ended."""


def end(job: Job, now: datetime, report: Report) -> Transition:
    """running → wherever the report of the attempt's owner leads."""
    match report:
        case Completion():
            return complete(job, now, report)
        case Failure():
            return fail(job, now, report)
        case Unopened():
            return send_back(job, now, report)
        case Release():
            return release(job, now, report)
        case Snoozing():
            return snooze(job, now, report)


def complete(job: Job, now: datetime, report: Completion) -> Transition:
    """running → succeeded, also after a cancellation was asked or the deadline passed: the effect came first."""
    attempt = reported(job, now, report, Outcome.SUCCEEDED)
    return leave(job, Event.COMPLETE, now, attempt, State.SUCCEEDED, result=report.result, ended_at=now, end_code=None)


def fail(job: Job, now: datetime, report: Failure) -> Transition:
    """running → by the path of the error's class."""
    attempt = reported(
        job,
        now,
        report,
        _outcome_of(report),
        error_class=report.error_class,
        error_code=report.code,
        error=report.error,
        traceback=report.traceback,
    )
    changes = _codes(job, report.code, report.error)
    match report.error_class:
        case ErrorClass.CANCEL:
            return finish(job, Event.FAIL, now, attempt, State.CANCELLED, codes.CANCELLED_BY_HANDLER, **changes)
        case ErrorClass.TERMINAL:
            changes["tries"] = job.tries + 1
            return finish(job, Event.FAIL, now, attempt, State.FAILED, report.code, **changes)
        case ErrorClass.UNCERTAIN:
            changes["tries"] = job.tries + 1
            return finish(job, Event.FAIL, now, attempt, State.FAILED, codes.EFFECT_UNCERTAIN, **changes)
        case ErrorClass.THROTTLED:
            return _throttle(job, now, report, attempt, changes)
        case ErrorClass.UNKNOWN:
            changes["unknowns"] = job.unknowns + 1
            spent = job.unknowns + 1 >= waits.unknown_tries(job.max_attempts)
            return retry(job, Event.FAIL, now, attempt, changes, report.code, _wait(job, now, report), spent=spent)
        case ErrorClass.RETRYABLE:
            return retry(job, Event.FAIL, now, attempt, changes, report.code, _wait(job, now, report))


def release(job: Job, now: datetime, report: Release) -> Transition:
    """running → ready. Not begun: free, past the budget with the back-off. Begun: costs the release budget,
    past it a retryable failure."""
    attempt = reported(job, now, report, Outcome.RELEASED, error_code=report.code, begun=report.begun)
    if not report.begun:
        over = job.returns + 1 - defaults.RELEASES
        wait = waits.backoff(job.policy, over, report.chance) if over > 0 else 0.0
        return requeue(job, Event.RELEASE, now, attempt, wait, returns=job.returns + 1)
    counters: dict[str, Any] = {"releases": job.releases + 1}
    failing = counters | _codes(job, codes.INTERRUPTED, "the attempt was stopped before it had ended")
    if job.max_attempts == 1:
        return finish(job, Event.RELEASE, now, attempt, State.FAILED, codes.INTERRUPTED, **failing)
    if job.releases >= defaults.RELEASES:
        wait = waits.backoff(job.policy, job.tries + 1, report.chance)
        return retry(job, Event.RELEASE, now, attempt, failing, codes.INTERRUPTED, wait)
    return requeue(job, Event.RELEASE, now, attempt, 0.0, **counters)


def snooze(job: Job, now: datetime, report: Snoozing) -> Transition:
    """running → scheduled, at the cost of the snooze budget; after it failed, `snoozes_exhausted`."""
    attempt = reported(job, now, report, Outcome.SNOOZED)
    counters: dict[str, Any] = {"snoozes": job.snoozes + 1}
    if job.snoozes >= defaults.SNOOZES:
        return finish(job, Event.SNOOZE, now, attempt, State.FAILED, codes.SNOOZES_EXHAUSTED, **counters)
    wait = waits.bounded(report.delay, waits.LONGEST_WAIT)
    return requeue(job, Event.SNOOZE, now, attempt, wait, **counters)


def send_back(job: Job, now: datetime, report: Unopened) -> Transition:
    """running → scheduled, since its claimer lacks the key of its payload: no try is spent. Past the budget failed,
    with the report's code."""
    if job.returns >= defaults.UNOPENED_RETURNS:
        said = Failure(
            job_id=job.id, token=report.token, error_class=ErrorClass.TERMINAL, code=report.code, error=report.error
        )
        return fail(job, now, said)
    attempt = reported(job, now, report, Outcome.RELEASED, error_code=report.code, error=report.error, begun=False)
    wait = waits.unopened_wait(now, job.returns, job.deadline)
    changes = _codes(job, report.code, report.error)
    return requeue(job, Event.RELEASE, now, attempt, wait, returns=job.returns + 1, **changes)


def has_expired(job: Job, now: datetime) -> bool:
    """Whether the job runs under a lease that has ended."""
    return job.state is State.RUNNING and job.lease_expires_at is not None and job.lease_expires_at <= now


def expire(job: Job, now: datetime, chance: float) -> Transition:
    """running → scheduled or failed, since its lease has ended.

    The reason is read off the lease's end, not off the sweep's instant: past `must_end_at` the attempt has
    timed out, past its progress deadline it made none, otherwise its worker is lost. The first loss of a job
    is due at once.
    """
    lost_at = job.lease_expires_at or now
    outcome, code = _why_expired(job, lost_at)
    attempt = history(
        job,
        EndedBy.EXPIRE,
        lost_at,
        outcome,
        error_class=ErrorClass.RETRYABLE,
        error_code=code,
        error=WHY_EXPIRED[code],
        lease_lost_at=lost_at,
    )
    changes = _codes(job, code, WHY_EXPIRED[code])
    wait = waits.backoff(job.policy, job.tries + 1, chance)
    if outcome is Outcome.LEASE_EXPIRED:
        changes["losses"] = job.losses + 1
        wait = 0.0 if job.losses == 0 else wait
    return retry(job, Event.EXPIRE, now, attempt, changes, code, wait)


def _throttle(job: Job, now: datetime, report: Failure, attempt: Attempt, changes: dict[str, Any]) -> Transition:
    nth = job.throttles + 1
    changes["throttles"] = nth
    if job.max_attempts == 1:
        return finish(job, Event.FAIL, now, attempt, State.FAILED, report.code, **changes)
    if nth > waits.throttle_budget(job.max_attempts):
        return finish(job, Event.FAIL, now, attempt, State.FAILED, codes.THROTTLED_EXHAUSTED, **changes)
    wait = waits.throttle_wait(job.policy, report.wait, nth, report.chance)
    return requeue(job, Event.FAIL, now, attempt, wait, **changes)


def _outcome_of(report: Failure) -> Outcome:
    named = {
        ErrorClass.THROTTLED: Outcome.THROTTLED,
        ErrorClass.UNCERTAIN: Outcome.UNCERTAIN,
        ErrorClass.CANCEL: Outcome.CANCELLED,
    }
    return named.get(report.error_class, report.outcome)


def _wait(job: Job, now: datetime, report: Failure) -> float:
    """A delay in a storm is cut at the cap of the back-off, and left out where the job would miss its deadline for
    it."""
    wait = waits.wished_wait(job.policy, report.wait, job.tries + 1, report.chance)
    longer = max(wait, waits.bounded(report.delay, waits.bounded(job.policy.backoff_cap, waits.LONGEST_WAIT)))
    return longer if job.deadline is None or waits.later(now, longer) <= job.deadline else wait


def _codes(job: Job, code: str, error: str | None) -> dict[str, Any]:
    return {
        "first_error_code": job.first_error_code or code,
        "last_error_code": code,
        "error": job.error if error is None else error,
    }


def _why_expired(job: Job, lost_at: datetime) -> tuple[Outcome, str]:
    if job.must_end_at is not None and lost_at > job.must_end_at:
        return Outcome.TIMED_OUT, codes.TIMED_OUT
    due = lease.progress_due_at(job)
    if due is not None and lost_at > due:
        return Outcome.NO_PROGRESS, codes.NO_PROGRESS
    return Outcome.LEASE_EXPIRED, codes.WORKER_LOST
