"""A job in words: why it is where it is, and its attempts as a time line."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from tenure.cli.rendering import duration, instant
from tenure.cli.telling_of_lines import STOPS, behind
from tenure.core.attempt import Attempt, Outcome
from tenure.core.cancellation import Cancellation, Told
from tenure.core.fields import priority_label
from tenure.core.flow import order
from tenure.core.flow.obstacles import Obstacle
from tenure.core.flow.supersession import longest_wait
from tenure.core.job import Job
from tenure.core.ledger.effect import Effect
from tenure.core.retry import later, unknown_tries
from tenure.core.secrecy import sealed
from tenure.core.states import WAITING, State
from tenure.core.transitions import CANCELLED
from tenure.operations.show import Kept

CHECKPOINT_HEADINGS: Final = ("checkpoint", "attempt", "saved")
EFFECT_HEADINGS: Final = ("effect", "state", "calls", "attempt", "updated", "code")
_CANCELLED: Final = {
    Told.NOT_STARTED: "not started",
    Told.WAITED: "no attempt was running",
    Told.STOPPED: "stopped at a safe point",
    Told.INTERRUPTED: "its attempt ended otherwise",
    Told.TOO_LATE: "too late",
    Told.ASKED: "asked to stop, no answer yet",
    Told.NOT_ASKED: "nobody has asked",
}
HEADINGS: Final = ("attempt", "started", "outcome", "took", "worker", "code", "message")
_WORKER_SHOWN: Final = 18


def why(job: Job, now: datetime, obstacles: Sequence[Obstacle] = (), ahead: Job | None = None) -> str:
    """One sentence: what the job waits for, what it does, or how it ended. obstacles: what keeps it from starting.
    ahead: who stands first in the line of its order key."""
    match job.state:
        case State.SCHEDULED:
            reason = f" after {job.last_error_code}" if job.last_error_code else ""
            words = f"waits for run_at {instant(job.run_at)}, in {_until(job.run_at, now)}{reason}; {_tries(job)}"
            return "; ".join([words, *map(_said, obstacles)])
        case State.READY if obstacles:
            return f"waits: {'; '.join(map(_said, obstacles))}"
        case State.READY:
            return (
                f"ready since {instant(job.run_at)}: waits in queue {job.queue} for a worker that asks for it, serves "
                f"kind {job.kind} and has a free slot"
            )
        case State.BLOCKED:
            return behind(job, ahead)
        case State.RUNNING:
            return _running(job, now)
        case State.SUCCEEDED:
            return f"succeeded at {instant(job.ended_at)}, in attempt {job.attempt}"
        case State.FAILED:
            words = f"failed at {instant(job.ended_at)}: {job.end_code}; {_spent(job)}"
            return f"{words}; {STOPS}" if order.stops_its_key(job) else words
        case State.CANCELLED:
            newer = f" by {job.superseded_by}" if job.superseded_by else ""
            code = "" if job.end_code == CANCELLED else f": {job.end_code}"
            return f"cancelled at {instant(job.ended_at)}{code}{newer}"


def facts(
    job: Job, attempts: Sequence[Attempt], remedy: str | None = None, newer: str | None = None
) -> list[tuple[str, str]]:
    """What is known of the job, name by name; nothing that is empty. attempts: oldest first. newer: of its supersession
    key."""
    pairs = [
        ("kind", f"{job.kind} version {job.version}"),
        ("queue", job.queue),
        ("tenant", job.tenant),
        ("priority", priority_label(job.priority)),
        ("key", job.idempotency_key),
        ("tags", ", ".join(job.tags)),
        ("supersession key", job.supersession_key),
        ("supersedes", job.supersedes),
        ("burst", _burst(job)),
        ("newer", f"{newer}: this one may complete, and does not come back" if newer else None),
        ("superseded by", job.superseded_by if job.state is State.FAILED else None),
        ("order key", None if job.order_key is None else f"{job.order_key} (on failure: {job.on_failure})"),
        ("created", instant(job.created_at)),
        ("deadline", instant(job.deadline)),
        ("payload", _document(job.payload) or f"expired {instant(job.payload_expired_at)}: the job never runs again"),
        ("result", _document(job.result)),
        ("progress", job.progress),
        ("cancel", _too_late(job, attempts)),
        _error(job, attempts),
        ("remedy", remedy),
    ]
    return [(name, value) for name, value in pairs if value]


def _burst(job: Job) -> str | None:
    """What a debounced job that has not begun waits for."""
    if job.policy.debounce is None or job.state not in WAITING or job.burst_at is None or job.attempt:
        return None
    latest = later(job.burst_at, longest_wait(job.policy))
    return (
        f"since {instant(job.burst_at)}: runs when no newer one has come for {duration(job.policy.debounce)}, "
        f"by {instant(latest)} at the latest"
    )


def _too_late(job: Job, attempts: Sequence[Attempt]) -> str | None:
    """Of a job that has ended by itself though somebody had asked it to stop."""
    if job.state not in (State.SUCCEEDED, State.FAILED) or not attempts or not attempts[-1].after_cancel:
        return None
    return f"asked for while attempt {attempts[-1].number} ran, and too late: it ended by itself"


def _error(job: Job, attempts: Sequence[Attempt]) -> tuple[str, str | None]:
    """The one that the job ended with; of any other job the last one that it met."""
    met = next((attempt for attempt in reversed(attempts) if attempt.error_code is not None), None)
    if met is None or job.state in (State.FAILED, State.CANCELLED):
        return "error", job.error
    words = ": ".join(filter(None, (met.error_code, met.error)))
    return "last error", f"of attempt {met.number}: {words}"


def _document(text: str | None) -> str | None:
    """As it is shown: in its place the reason why it could not be opened."""
    return sealed.reason("it", text) if text is not None and sealed.is_sealed(text) else text


def time_line(job: Job, attempts: Sequence[Attempt], now: datetime) -> list[tuple[str, ...]]:
    """A row for each attempt, oldest first, the running one last; the columns are HEADINGS."""
    rows = [_row(attempt) for attempt in attempts]
    if job.state is State.RUNNING and job.started_at is not None:
        took = duration((now - job.started_at).total_seconds())
        running = (str(job.attempt), instant(job.started_at), "running", took, _short(job.worker or ""), "", "")
        rows.append(running)
    return rows


def effect_lines(effects: Sequence[Effect]) -> list[tuple[str, ...]]:
    """A row for each; the columns are EFFECT_HEADINGS."""
    return [
        (row.name, str(row.state), f"{row.tries}", f"{row.attempt}", instant(row.updated_at), row.error_code or "")
        for row in effects
    ]


def checkpoint_lines(checkpoints: Sequence[Kept]) -> list[tuple[str, ...]]:
    """A row for each; the columns are CHECKPOINT_HEADINGS."""
    return [(kept.name, f"{kept.attempt}", instant(kept.saved_at)) for kept in checkpoints]


def cancelled(found: Cancellation | None) -> str:
    """What a cancellation came to."""
    if found is None:
        return ""
    happened = f"; has happened: {', '.join(found.confirmed)}" if found.confirmed else ""
    unknown = f"; may have happened: {', '.join(found.open)}" if found.open else ""
    return f"{_CANCELLED[found.told]}{happened}{unknown}"


def _running(job: Job, now: datetime) -> str:
    words = [f"running since {instant(job.started_at)}"]
    if job.lease_expires_at is not None:
        left = job.lease_expires_at > now
        gap = abs((job.lease_expires_at - now).total_seconds())
        words.append(f"lease ends in {duration(gap)}" if left else f"lease ended {duration(gap)} ago, not swept yet")
    words.append(f"attempt {job.attempt}, {_tries(job)}")
    if job.cancel_requested_at is not None:
        words.append(f"asked to stop at {instant(job.cancel_requested_at)}")
    return ", ".join(words)


def _said(obstacle: Obstacle) -> str:
    since = "" if obstacle.cause != "paused" else f" since {instant(obstacle.since)} by {obstacle.who}"
    why = f": {obstacle.why}" if obstacle.why else ""
    until = "" if obstacle.until is None else f", until {instant(obstacle.until)}"
    held = f" (job {', '.join(obstacle.holders)})" if obstacle.holders else ""
    return f"{obstacle.words}{since}{why}{until}{held}"


def _tries(job: Job) -> str:
    return f"try {min(job.tries + 1, job.max_attempts)} of {job.max_attempts}"


def _spent(job: Job) -> str:
    words, most = f"{job.tries} of {job.max_attempts} tries spent", unknown_tries(job.max_attempts)
    if job.tries < job.max_attempts and job.unknowns >= most:
        return f"{words} (unknown errors get {most} of them)"
    return words


def _row(attempt: Attempt) -> tuple[str, ...]:
    took = duration((attempt.ended_at - attempt.started_at).total_seconds())
    late = f" (late {attempt.late_report.verb})" if attempt.late_report else ""
    if attempt.after_cancel and attempt.outcome is not Outcome.CANCELLED:
        late = f"{late} (after cancel)"
    return (
        str(attempt.number),
        instant(attempt.started_at),
        f"{attempt.outcome}{late}",
        took,
        _short(attempt.worker),
        attempt.error_code or "",
        (attempt.error or "").replace("\n", " "),
    )


def _short(worker: str) -> str:
    return worker if len(worker) <= _WORKER_SHOWN else f"{worker[: _WORKER_SHOWN - 1]}…"


def _until(instant_ahead: datetime, now: datetime) -> str:
    return duration(max(0.0, (instant_ahead - now).total_seconds()))
