"""What the client answers: the bodies of the wire (`edge`), with their documents as Python values.

A member that the caller's role may not see is `msgspec.UNSET`. Every digit of an integer is kept.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET

from tenure.client.refusals import of_problem
from tenure.core.errors import TenureError
from tenure.core.payloads import documents
from tenure.edge import claims, effects, enqueues, job_pages, jobs
from tenure.edge import reports as edge

T = TypeVar("T")


class Job(jobs.JobBody, frozen=True, kw_only=True):
    """A job as the caller's role may see it; `edge.jobs.JobBody` says what its members mean."""

    payload: Any = UNSET
    result: Any = UNSET
    progress: Any = UNSET


class EnqueuedJob(Job, frozen=True, kw_only=True):
    """created: whether this call made the job, or met it."""

    created: bool


class ClaimedJob(Job, frozen=True, kw_only=True):
    """A job under a fresh lease. lease_token: for every later call about this attempt. lease_seconds: until it expires,
    unless a heartbeat renews it. must_end_at: the attempt is ended then, whatever happens. tries_left: this included.
    """

    lease_token: str
    fencing_token: int
    lease_seconds: float
    must_end_at: datetime
    tries_left: int

    def __repr__(self) -> str:
        """Without the token and the payload, which are for the worker alone."""
        return f"<ClaimedJob {self.id} {self.kind} attempt {self.attempt}>"


class ReportedJob(Job, frozen=True, kw_only=True):
    """repeated: the same report had been taken before; outcome: of that attempt."""

    repeated: bool
    outcome: str


class Attempt(jobs.AttemptBody, frozen=True, kw_only=True):
    """One ended attempt; `edge.jobs.AttemptBody` says what its members mean."""

    progress: Any = UNSET
    holder: Any = UNSET


class Effect(effects.EffectBody, frozen=True, kw_only=True):
    result: Any = UNSET


class Effects(msgspec.Struct, frozen=True, kw_only=True):
    """In the order of name and key. next: the cursor of the following page, None at the end."""

    effects: list[Effect]
    next: int | None = None


class EffectBegun(effects.EffectBegun, frozen=True, kw_only=True):
    """As `edge.effects.EffectBegun` says."""

    effect: Effect | None


class Checkpoint(effects.CheckpointBody, frozen=True, kw_only=True):
    value: Any = UNSET


class Checkpoints(msgspec.Struct, frozen=True, kw_only=True):
    """By name. next: the cursor of the following page, None at the end."""

    checkpoints: list[Checkpoint]
    next: str | None = None


class BatchItem(enqueues.BatchItem, frozen=True, kw_only=True):
    """The verdict on one submission, as `edge.enqueues.BatchItem` says."""

    job: EnqueuedJob | None = None  # type: ignore[assignment]

    @property
    def error(self) -> TenureError | None:
        """What a lone call would have raised; None where the job is recorded."""
        return None if self.problem is None else of_problem(self.problem)


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    jobs: list[BatchItem]


class JobPage(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first. next: the cursor of the following page, None at the end."""

    jobs: list[Job]
    next: str | None


class Attempts(msgspec.Struct, frozen=True, kw_only=True):
    """Oldest first. next: the cursor of the following page, None at the end."""

    attempts: list[Attempt]
    next: int | None = None


class ClaimedJobs(msgspec.Struct, frozen=True, kw_only=True):
    claim_id: str
    jobs: list[ClaimedJob]


class ReportsTaken(msgspec.Struct, frozen=True, kw_only=True):
    """An answer for each report, in order. claimed: where the call asked for a claim."""

    reports: list[edge.Reported]
    claimed: ClaimedJobs | None = None


def read(content: bytes, shape: type[T]) -> T:
    """The answer as a value of `shape`; members that it does not know are left out. Raises TenureError."""
    return shaped(value_of(content), shape)


def reader(shape: type[T]) -> Callable[[int, bytes], T]:
    """How a call reads an answer that has one shape, whatever its status."""
    return lambda _status, content: read(content, shape)


def value_of(content: bytes) -> Any:
    """The plain JSON value of an answer. Raises TenureError (`unexpected_answer`)."""
    try:
        return documents.load(content.decode())
    except (ValueError, RecursionError) as error:
        raise no_json(error) from error


def no_json(error: Exception) -> TenureError:
    """An answer that was not read: it is no JSON, or is nested deeper than anything that a service says."""
    return unexpected("is nested too deep" if isinstance(error, RecursionError) else "is no JSON")


def shaped(value: Any, shape: type[T]) -> T:
    """Raises TenureError (`unexpected_answer`)."""
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        raise unexpected(f"does not read as {shape.__name__}: {error}") from error


_IN_PYTHON: Final[dict[type[Any], type[Any]]] = {
    jobs.JobBody: Job,
    jobs.EnqueuedBody: EnqueuedJob,
    jobs.ClaimedBody: ClaimedJob,
    jobs.ReportedBody: ReportedJob,
    effects.EffectBody: Effect,
    effects.Effects: Effects,
    effects.EffectBegun: EffectBegun,
    effects.CheckpointBody: Checkpoint,
    effects.Checkpoints: Checkpoints,
    enqueues.Batch: Batch,
    job_pages.JobPage: JobPage,
    job_pages.Attempts: Attempts,
    claims.ClaimedJobs: ClaimedJobs,
    edge.ReportsTaken: ReportsTaken,
}
"""Bodies of the wire that hold documents, which only these can read; every other body is read as it is."""


def check_reads(content: bytes, bodies: Sequence[type[msgspec.Struct]]) -> None:
    """Raises TenureError (`unexpected_answer`) for an answer that is none of these bodies of the wire."""
    value, refusal = value_of(content), None
    for body in bodies:
        try:
            shaped(value, _IN_PYTHON.get(body, body))
        except TenureError as error:
            refusal = error
        else:
            return
    if refusal is not None:
        raise refusal


def unexpected(what: str) -> TenureError:
    return TenureError(
        f"the answer {what}",
        code="unexpected_answer",
        hint="Check that the URL is that of a Tenure service, of this release or a newer one.",
    )
