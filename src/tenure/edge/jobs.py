"""A job in JSON, by the role of who asks."""

from typing import Any, Self

import msgspec
from msgspec import UNSET, Raw, UnsetType

from tenure.core.attempt import Attempt
from tenure.core.closing import Last, closing, retry_count
from tenure.core.flow.order import OnFailure
from tenure.core.job import Job
from tenure.core.principal import Detail, Principal
from tenure.core.secrecy import sealed
from tenure.core.secrecy.secret_fields import NONE, Hiding, SecretFields, shown
from tenure.core.states import State
from tenure.edge import words
from tenure.edge.scalars import Id, Instant, RetryCount, TriesLeft
from tenure.edge.words import Status


class Ahead(msgspec.Struct, frozen=True, kw_only=True):
    """Who stands first in the line of an order key: its head, or, in state `failed`, the job that stops it. id,
    error_code: null for a job out of sight."""

    id: Id | None
    state: State
    error_code: str | None

    @classmethod
    def of(cls, job: Job, *, is_seen: bool) -> Self:
        code = job.last_error_code or job.end_code
        return (
            cls(id=job.id, state=job.state, error_code=code)
            if is_seen
            else cls(id=None, state=job.state, error_code=None)
        )


class JobBody(msgspec.Struct, frozen=True, kw_only=True):
    """A job. `kind` and `type`, `state` and `status` say the same in newer and older words.

    payload, result and progress are the stored documents byte for byte, but that `"•••"` stands for what the kind keeps
    secret, except to the worker that claims. What the caller's role may not see is left out. `worker_id` and
    `claimed_at` are those of the running attempt, or of the one that the job ended in; null while it waits, and where
    it ended waiting. `error` is the latest text. `sealed_with` is there only where payload or result is encrypted and
    does not open here, and null therefore: the id of its key. `behind` is there only where one blocked job is shown.
    """

    id: Id
    type: str
    kind: str
    version: int
    tenant: str
    queue: str
    priority: words.Label | int
    status: Status
    state: State
    tags: tuple[str, ...]
    trace: str | None
    attempt: int
    max_retries: int
    retry_count: RetryCount
    timeout: float
    created_at: Instant
    updated_at: Instant
    run_at: Instant
    deadline: Instant | None
    ended_at: Instant | None
    claimed_at: Instant | None
    worker_id: str | None
    lease_expires_at: Instant | None
    cancel_requested_at: Instant | None
    first_error_code: str | None
    error_code: str | None
    end_code: str | None
    superseded_by: Id | None
    unrecoverable: bool
    supersedes: Id | UnsetType | None = UNSET
    burst_at: Instant | UnsetType | None = UNSET
    supersession_key: str | UnsetType = UNSET
    order_key: str | None = None
    on_failure: OnFailure | None = None
    behind: Ahead | UnsetType = UNSET
    idempotency_key: str | UnsetType | None = UNSET
    payload: Raw | UnsetType | None = UNSET
    result: Raw | UnsetType | None = UNSET
    progress: Raw | UnsetType | None = UNSET
    sealed_with: str | UnsetType = UNSET
    error: str | UnsetType | None = UNSET

    @classmethod
    def of(
        cls,
        job: Job,
        principal: Principal,
        last: Last | None = None,
        *,
        secret: SecretFields | None = NONE,
        **more: Any,
    ) -> Self:
        """The job as `principal` may see it. last: its newest attempt, where it has ended. secret: what its kind keeps
        secret, None where all is shown. more: the members of a subclass."""
        ended_in = closing(job, last)
        if secret is not None:
            job = shown(job, secret)
        sees_documents = principal.sees(Detail.PAYLOAD)
        key = job.supersession_key
        return cls(
            id=job.id,
            type=job.kind,
            kind=job.kind,
            version=job.version,
            tenant=job.tenant,
            queue=job.queue,
            priority=words.priority_of(job.priority),
            status=words.status_of(job.state),
            state=job.state,
            tags=job.tags,
            trace=job.trace,
            attempt=job.attempt,
            max_retries=words.max_retries(job.max_attempts),
            retry_count=retry_count(job, ended_in),
            timeout=job.run_time_limit,
            created_at=job.created_at,
            updated_at=job.updated_at,
            run_at=job.run_at,
            deadline=job.deadline,
            ended_at=job.ended_at,
            claimed_at=job.started_at if ended_in is None else ended_in.started_at,
            worker_id=job.worker if ended_in is None else ended_in.worker,
            lease_expires_at=job.lease_expires_at,
            cancel_requested_at=job.cancel_requested_at,
            first_error_code=job.first_error_code,
            error_code=job.last_error_code,
            end_code=job.end_code,
            superseded_by=job.superseded_by,
            unrecoverable=job.unrecoverable,
            supersedes=UNSET if key is None else job.supersedes,
            burst_at=UNSET if key is None else job.burst_at,
            supersession_key=key if key is not None and sees_documents else UNSET,
            order_key=job.order_key,
            on_failure=job.on_failure,
            idempotency_key=job.idempotency_key if sees_documents else UNSET,
            payload=raw(job.payload) if sees_documents else UNSET,
            result=raw(job.result) if sees_documents else UNSET,
            progress=raw(job.progress) if sees_documents else UNSET,
            sealed_with=sealed_with(job.payload, job.result) if sees_documents else UNSET,
            error=job.error if principal.sees(Detail.ERROR) else UNSET,
            **more,
        )


class EnqueuedBody(JobBody, frozen=True, kw_only=True):
    """created: whether this request made the job, or met it."""

    created: bool


class ClaimedBody(JobBody, frozen=True, kw_only=True):
    """A job under a fresh lease. `lease_token` goes into every later call about this attempt.

    fencing_token rises over all attempts of the database; must_end_at: when the attempt is ended whatever happens.
    slots: of the worker's, that it takes.
    """

    lease_token: str
    fencing_token: int
    lease_seconds: float
    must_end_at: Instant
    tries_left: TriesLeft
    slots: int = 1


class ReportedBody(JobBody, frozen=True, kw_only=True):
    """The job after a report. repeated: the same report had been taken before; outcome: of that attempt."""

    repeated: bool
    outcome: str


class AttemptBody(msgspec.Struct, frozen=True, kw_only=True):
    """One ended attempt. ended_by: the verb; traceback and holder are for operators."""

    number: int
    fencing_token: int
    worker_id: str
    version: int
    ran_version: int | None
    started_at: Instant
    heartbeat_at: Instant | None
    lease_lost_at: Instant | None
    ended_at: Instant
    ended_by: str
    outcome: str
    begun: bool
    error_class: str | None
    error_code: str | None
    after_cancel: bool
    after_deadline: bool
    late_report: dict[str, Any] | None
    progress: Raw | UnsetType | None = UNSET
    error: str | UnsetType | None = UNSET
    traceback: str | UnsetType | None = UNSET
    holder: Raw | UnsetType | None = UNSET

    @classmethod
    def of(cls, attempt: Attempt, principal: Principal, hides: Hiding | None = None) -> Self:
        """The attempt as `principal` may see it. hides: what is hidden of its job."""
        if hides is not None:
            attempt = hides.attempt(attempt)
        details: dict[str, Any] = {}
        if principal.sees(Detail.PAYLOAD):
            details["progress"] = raw(attempt.progress)
        if principal.sees(Detail.ERROR):
            details["error"] = attempt.error
        if principal.sees(Detail.TRACEBACK):
            details.update(traceback=attempt.traceback, holder=raw(attempt.holder))
        late = attempt.late_report
        return cls(
            number=attempt.number,
            fencing_token=attempt.fencing_token,
            worker_id=attempt.worker,
            version=attempt.version,
            ran_version=attempt.ran_version,
            started_at=attempt.started_at,
            heartbeat_at=attempt.heartbeat_at,
            lease_lost_at=attempt.lease_lost_at,
            ended_at=attempt.ended_at,
            ended_by=attempt.ended_by.value,
            outcome=attempt.outcome.value,
            begun=attempt.begun,
            error_class=None if attempt.error_class is None else attempt.error_class.value,
            error_code=attempt.error_code,
            after_cancel=attempt.after_cancel,
            after_deadline=attempt.after_deadline,
            late_report=None if late is None else {"verb": late.verb, "at": late.at, "code": late.code},
            **details,
        )


def raw(document: str | None) -> Raw | None:
    """A stored document, to be written as it is; null for one that cannot be opened here."""
    document = sealed.readable(document)
    return None if document is None else Raw(document.encode())


def sealed_with(*documents: str | None) -> str | UnsetType:
    """The member that says of documents that one of them cannot be opened here."""
    return sealed.sealed_with(*documents) or UNSET
