"""What an event makes of a job. Every function is pure: the row, the store's instant and the die come in.

A Transition is a proposal. A store applies it only where the row still has the revision of `before`, and says
which it applied; nobody acts on one that was not.

The order in which an ended attempt is judged, first match wins:

1. complete: succeeded, whatever else was asked meanwhile
2. cancellation was asked: cancelled
3. the event itself ends the job (terminal, uncertain, a budget spent): failed
4. the next run would start after the deadline: failed, `deadline_exceeded`
5. otherwise: scheduled, or ready when due already
"""

from datetime import datetime
from typing import Any, Final

import msgspec

from tenure.core import defaults, lease, retry
from tenure.core.attempt import Attempt, EndedBy, ErrorClass, Outcome
from tenure.core.errors import TenureError
from tenure.core.job import Job
from tenure.core.reports import Completion, Failure, Release, Report, Snoozing
from tenure.core.states import TERMINAL, WAITING, Event, State, is_legal

CANCELLED: Final = "cancelled"
CANCELLED_BY_HANDLER: Final = "cancelled_by_handler"
DEADLINE_EXCEEDED: Final = "deadline_exceeded"
EFFECT_UNCERTAIN: Final = "effect_uncertain"
INTERRUPTED: Final = "interrupted"
NO_PROGRESS: Final = "no_progress"
SET_ASIDE: Final = "set_aside"
SNOOZES_EXHAUSTED: Final = "snoozes_exhausted"
SUPERSEDED: Final = "superseded"
THROTTLED_EXHAUSTED: Final = "throttled_exhausted"
TIMED_OUT: Final = "timed_out"
UNRECOVERABLE: Final = "unrecoverable"
WORKER_LOST: Final = "worker_lost"

_NO_LEASE: Final[dict[str, Any]] = dict.fromkeys((
    "lease_token", "fencing_token", "claim_id", "worker", "holder", "ran_version", "lease_seconds", "started_at",
    "heartbeat_at", "lease_expires_at", "must_end_at", "progress", "progress_at", "cancel_requested_at",
))  # fmt: skip


class IllegalTransition(TenureError):
    """A decision left the table of `core.states`: a fault of this library, never of the caller."""

    code = "illegal_transition"
    hint = "Please report it."


class Transition(msgspec.Struct, frozen=True):
    """`event` takes `before` to `after`; `attempt` is the history row that it writes, if it ends one."""

    before: Job
    after: Job
    event: Event
    attempt: Attempt | None = None


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """What a claim gives to one job: all of it is made by the claimer or the store, none of it decided here."""

    lease_token: str
    fencing_token: int
    claim_id: str
    worker: str
    holder: str | None
    ran_version: int
    lease_seconds: float


def claim(job: Job, now: datetime, grant: Grant) -> Transition:
    """ready → running. The attempt counts from here: a job that kills its worker still spends its tries."""
    running = msgspec.structs.replace(
        job,
        attempt=job.attempt + 1,
        lease_token=grant.lease_token,
        fencing_token=grant.fencing_token,
        claim_id=grant.claim_id,
        worker=grant.worker,
        holder=grant.holder,
        ran_version=grant.ran_version,
        lease_seconds=grant.lease_seconds,
        started_at=now,
        heartbeat_at=now,
        must_end_at=lease.must_end_at(now, job.run_time_limit, job.deadline),
    )
    return _move(
        job,
        Event.CLAIM,
        now,
        running,
        state=State.RUNNING,
        lease_expires_at=lease.expires_at(running, now, grant.lease_seconds),
    )


def end(job: Job, now: datetime, report: Report) -> Transition:
    """running → wherever the report of the attempt's owner leads."""
    match report:
        case Completion():
            return complete(job, now, report)
        case Failure():
            return fail(job, now, report)
        case Release():
            return release(job, now, report)
        case Snoozing():
            return snooze(job, now, report)


def complete(job: Job, now: datetime, report: Completion) -> Transition:
    """running → succeeded, also after a cancellation was asked or the deadline passed: the effect came first."""
    attempt = _ended(job, now, report, Outcome.SUCCEEDED)
    return _leave(job, Event.COMPLETE, now, attempt, State.SUCCEEDED, result=report.result, ended_at=now, end_code=None)


def fail(job: Job, now: datetime, report: Failure) -> Transition:
    """running → by the path of the error's class."""
    attempt = _ended(
        job,
        now,
        report,
        _outcome_of(report),
        error_class=report.error_class,
        error_code=report.code,
        error=report.error,
        traceback=report.traceback,
    )
    codes = _codes(job, report.code, report.error)
    match report.error_class:
        case ErrorClass.CANCEL:
            return _finish(job, Event.FAIL, now, attempt, State.CANCELLED, CANCELLED_BY_HANDLER, **codes)
        case ErrorClass.TERMINAL:
            codes["tries"] = job.tries + 1
            return _finish(job, Event.FAIL, now, attempt, State.FAILED, report.code, **codes)
        case ErrorClass.UNCERTAIN:
            codes["tries"] = job.tries + 1
            return _finish(job, Event.FAIL, now, attempt, State.FAILED, EFFECT_UNCERTAIN, **codes)
        case ErrorClass.THROTTLED:
            return _throttle(job, now, report, attempt, codes)
        case ErrorClass.UNKNOWN:
            codes["unknowns"] = job.unknowns + 1
            spent = job.unknowns + 1 >= retry.unknown_tries(job.max_attempts)
            return _retry(job, Event.FAIL, now, attempt, codes, report.code, _wait(job, report), spent=spent)
        case ErrorClass.RETRYABLE:
            return _retry(job, Event.FAIL, now, attempt, codes, report.code, _wait(job, report))


def release(job: Job, now: datetime, report: Release) -> Transition:
    """running → ready. Not begun: free, past the budget with the back-off. Begun: costs the release budget,
    past it a retryable failure."""
    attempt = _ended(job, now, report, Outcome.RELEASED, error_code=report.code, begun=report.begun)
    if not report.begun:
        over = job.returns + 1 - defaults.RELEASES
        wait = retry.backoff(job.policy, over, report.chance) if over > 0 else 0.0
        return _requeue(job, Event.RELEASE, now, attempt, wait, returns=job.returns + 1)
    counters: dict[str, Any] = {"releases": job.releases + 1}
    if job.max_attempts == 1:
        return _finish(job, Event.RELEASE, now, attempt, State.FAILED, INTERRUPTED, **counters)
    if job.releases >= defaults.RELEASES:
        wait = retry.backoff(job.policy, job.tries + 1, report.chance)
        codes = counters | _codes(job, INTERRUPTED, job.error)
        return _retry(job, Event.RELEASE, now, attempt, codes, INTERRUPTED, wait)
    return _requeue(job, Event.RELEASE, now, attempt, 0.0, **counters)


def snooze(job: Job, now: datetime, report: Snoozing) -> Transition:
    """running → scheduled, at the cost of the snooze budget; after it failed, `snoozes_exhausted`."""
    attempt = _ended(job, now, report, Outcome.SNOOZED)
    counters: dict[str, Any] = {"snoozes": job.snoozes + 1}
    if job.snoozes >= defaults.SNOOZES:
        return _finish(job, Event.SNOOZE, now, attempt, State.FAILED, SNOOZES_EXHAUSTED, **counters)
    wait = retry.bounded(report.delay, retry.LONGEST_WAIT)
    return _requeue(job, Event.SNOOZE, now, attempt, wait, **counters)


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
    attempt = _history(
        job,
        EndedBy.EXPIRE,
        lost_at,
        outcome,
        error_class=ErrorClass.RETRYABLE,
        error_code=code,
        lease_lost_at=lost_at,
    )
    codes = _codes(job, code, None)
    wait = retry.backoff(job.policy, job.tries + 1, chance)
    if outcome is Outcome.LEASE_EXPIRED:
        codes["losses"] = job.losses + 1
        wait = 0.0 if job.losses == 0 else wait
    return _retry(job, Event.EXPIRE, now, attempt, codes, code, wait)


def cancel(job: Job, now: datetime) -> Transition | None:
    """waiting → cancelled; running → running, asked. None: nothing to change (terminal, or asked already)."""
    if job.state in WAITING:
        return _end_waiting(job, Event.CANCEL, now, State.CANCELLED, CANCELLED)
    if job.state is State.RUNNING and job.cancel_requested_at is None:
        return _move(job, Event.CANCEL, now, job, state=State.RUNNING, cancel_requested_at=now)
    return None


def supersede(job: Job, now: datetime, newer_id: str) -> Transition | None:
    """waiting → cancelled in favour of `newer_id`. None: the job no longer waits."""
    if job.state not in WAITING:
        return None
    return _end_waiting(job, Event.SUPERSEDE, now, State.CANCELLED, SUPERSEDED, superseded_by=newer_id)


def pass_deadline(job: Job, now: datetime) -> Transition | None:
    """waiting → failed, never started. None: the deadline stands or the job no longer waits."""
    if job.state not in WAITING or job.deadline is None or job.deadline > now:
        return None
    return _end_waiting(job, Event.PASS_DEADLINE, now, State.FAILED, DEADLINE_EXCEEDED)


def promote(job: Job, now: datetime) -> Transition | None:
    """scheduled → ready at run_at. None: not due, or no longer scheduled."""
    if job.state is not State.SCHEDULED or job.run_at > now:
        return None
    return _move(job, Event.DUE, now, job, state=State.READY)


def set_aside(job: Job, now: datetime, reason: str) -> Transition | None:
    """waiting → failed, because its row broke a batch; `reason` says how."""
    if job.state not in WAITING:
        return None
    return _end_waiting(job, Event.SET_ASIDE, now, State.FAILED, SET_ASIDE, error=reason)


def redrive(job: Job, now: datetime, deadline: datetime | None = None) -> Transition | None:
    """failed → ready: the same job, attempt numbers go on, budgets start anew. None: not failed, superseded, or
    its payload has expired (`unrecoverable`)."""
    if job.state is not State.FAILED or job.payload is None or job.superseded_by is not None:
        return None
    fresh: dict[str, Any] = dict.fromkeys(
        ("tries", "unknowns", "losses", "throttles", "releases", "returns", "snoozes"), 0
    )
    return _move(
        job,
        Event.REDRIVE,
        now,
        job,
        state=State.READY,
        run_at=now,
        deadline=deadline,
        ended_at=None,
        end_code=None,
        **fresh,
    )


# One level below: the shared ends of the decisions above.


def _throttle(job: Job, now: datetime, report: Failure, attempt: Attempt, codes: dict[str, Any]) -> Transition:
    nth = job.throttles + 1
    codes["throttles"] = nth
    if job.max_attempts == 1:
        return _finish(job, Event.FAIL, now, attempt, State.FAILED, report.code, **codes)
    if nth > retry.throttle_budget(job.max_attempts):
        return _finish(job, Event.FAIL, now, attempt, State.FAILED, THROTTLED_EXHAUSTED, **codes)
    wait = retry.throttle_wait(job.policy, report.wait, nth, report.chance)
    return _requeue(job, Event.FAIL, now, attempt, wait, **codes)


def _retry(
    job: Job,
    event: Event,
    now: datetime,
    attempt: Attempt,
    changes: dict[str, Any],
    code: str,
    wait: float,
    *,
    spent: bool = False,
) -> Transition:
    """Spends a try; the last one ends the job."""
    changes["tries"] = job.tries + 1
    if spent or job.tries + 1 >= job.max_attempts:
        return _finish(job, event, now, attempt, State.FAILED, code, **changes)
    return _requeue(job, event, now, attempt, wait, **changes)


def _requeue(job: Job, event: Event, now: datetime, attempt: Attempt, wait: float, **changes: Any) -> Transition:
    run_at = retry.later(now, wait)
    if job.deadline is not None and run_at > job.deadline:
        return _finish(job, event, now, attempt, State.FAILED, DEADLINE_EXCEEDED, **changes)
    if job.cancel_requested_at is not None:
        return _finish(job, event, now, attempt, State.CANCELLED, CANCELLED, **changes)
    state = State.READY if run_at <= now else State.SCHEDULED
    return _leave(job, event, now, attempt, state, run_at=run_at, **changes)


def _finish(
    job: Job, event: Event, now: datetime, attempt: Attempt, state: State, code: str, **changes: Any
) -> Transition:
    """Ends the job; a cancellation that was asked wins over every end but success."""
    if job.cancel_requested_at is not None and state is not State.CANCELLED:
        state, code = State.CANCELLED, CANCELLED
    return _leave(job, event, now, attempt, state, ended_at=now, end_code=code, **changes)


def _leave(job: Job, event: Event, now: datetime, attempt: Attempt, state: State, **changes: Any) -> Transition:
    return _move(job, event, now, job, attempt, state=state, **(_NO_LEASE | changes))


def _end_waiting(job: Job, event: Event, now: datetime, state: State, code: str, **changes: Any) -> Transition:
    return _move(job, event, now, job, state=state, ended_at=now, end_code=code, **changes)


def _move(
    before: Job, event: Event, now: datetime, base: Job, attempt: Attempt | None = None, **changes: Any
) -> Transition:
    after = msgspec.structs.replace(base, revision=before.revision + 1, updated_at=now, **changes)
    if not is_legal(before.state, event, after.state):
        raise IllegalTransition(f"{event} from {before.state} to {after.state}")
    return Transition(before, after, event, attempt)


def _ended(job: Job, now: datetime, report: Report, outcome: Outcome, **facts: Any) -> Attempt:
    return _history(job, report.verb, now, outcome, said=report.progress, **facts)


def _history(
    job: Job, ended_by: EndedBy, ended_at: datetime, outcome: Outcome, said: str | None = None, **facts: Any
) -> Attempt:
    """The history row of the attempt that the job's row describes."""
    if job.lease_token is None or job.fencing_token is None or job.worker is None or job.started_at is None:
        raise IllegalTransition(f"job {job.id} has no running attempt to end")
    asked = job.cancel_requested_at is not None
    return Attempt(
        job_id=job.id,
        number=job.attempt,
        fencing_token=job.fencing_token,
        token_hash=lease.hash_token(job.lease_token),
        worker=job.worker,
        holder=job.holder,
        version=job.version,
        ran_version=job.ran_version,
        claimed_run_at=job.run_at,
        started_at=job.started_at,
        heartbeat_at=job.heartbeat_at,
        ended_at=ended_at,
        ended_by=ended_by,
        outcome=outcome,
        progress=job.progress if said is None else said,
        after_cancel=asked,
        after_deadline=job.deadline is not None and ended_at > job.deadline,
        **facts,
    )


def _outcome_of(report: Failure) -> Outcome:
    named = {
        ErrorClass.THROTTLED: Outcome.THROTTLED,
        ErrorClass.UNCERTAIN: Outcome.UNCERTAIN,
        ErrorClass.CANCEL: Outcome.CANCELLED,
    }
    return named.get(report.error_class, report.outcome)


def _wait(job: Job, report: Failure) -> float:
    return retry.wished_wait(job.policy, report.wait, job.tries + 1, report.chance)


def _codes(job: Job, code: str, error: str | None) -> dict[str, Any]:
    return {
        "first_error_code": job.first_error_code or code,
        "last_error_code": code,
        "error": job.error if error is None else error,
    }


def _why_expired(job: Job, lost_at: datetime) -> tuple[Outcome, str]:
    if job.must_end_at is not None and lost_at > job.must_end_at:
        return Outcome.TIMED_OUT, TIMED_OUT
    due = lease.progress_due_at(job)
    if due is not None and lost_at > due:
        return Outcome.NO_PROGRESS, NO_PROGRESS
    return Outcome.LEASE_EXPIRED, WORKER_LOST


def is_terminal(job: Job) -> bool:
    return job.state in TERMINAL
