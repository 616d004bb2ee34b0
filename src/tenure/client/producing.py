"""The calls of a producer, and of whoever looks."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict
from uuid import UUID

import msgspec

from tenure.app.submitting.ids import new_id
from tenure.client import shapes
from tenure.client.call import Call, body_of, made, raw_list
from tenure.client.shapes import Attempts, BatchItem, EnqueuedJob, Job, JobPage
from tenure.core.errors import InvalidInput
from tenure.core.job import WhenFull
from tenure.core.states import State
from tenure.edge.cancels import Cancelled, Happened
from tenure.edge.enqueues import Enqueue, MetJob
from tenure.edge.obstacles import Explained
from tenure.edge.words import Status


class Submission(TypedDict, total=False):
    """One job of `enqueue_many`, in the words of `enqueue`."""

    type: str
    payload: Mapping[str, Any]
    idempotency_key: str | None
    id: str | UUID | None
    tenant: str | None
    queue: str | None
    priority: str | int | None
    delay: float | timedelta | None
    run_at: datetime | None
    deadline: datetime | None
    max_retries: int | None
    timeout: float | timedelta | None
    tags: Sequence[str] | None
    supersede: Literal["latest"] | None
    supersession_key: str | None
    debounce: float | timedelta | None
    max_wait: float | timedelta | None
    when_full: WhenFull | None
    order_key: str | None
    on_failure: str | None


class Which(TypedDict, total=False):
    """Which jobs `jobs` goes through, in the words of `job_page`. limit: the size of a page."""

    status: Status | str | None
    state: State | str | None
    type: str | None
    tenant: str | None
    queue: str | None
    code: str | None
    tag: str | None
    order_key: str | None
    limit: int | None


def enqueue(
    type: str,  # noqa: A002 (the word of the wire)
    payload: Mapping[str, Any] | None = None,
    *,
    idempotency_key: str | None = None,
    id: str | UUID | None = None,  # noqa: A002 (the word of the product)
    tenant: str | None = None,
    queue: str | None = None,
    priority: str | int | None = None,
    delay: float | timedelta | None = None,
    run_at: datetime | None = None,
    deadline: datetime | None = None,
    max_retries: int | None = None,
    timeout: float | timedelta | None = None,
    tags: Sequence[str] | None = None,
    supersede: Literal["latest"] | None = None,
    supersession_key: str | None = None,
    debounce: float | timedelta | None = None,
    max_wait: float | timedelta | None = None,
    when_full: WhenFull | None = None,
    order_key: str | None = None,
    on_failure: str | None = None,
) -> Call[EnqueuedJob | MetJob]:
    """Records a job, once for its idempotency key (or its id, made here where none is said).

    payload: values that JSON can carry, datetimes, UUIDs, dataclasses, structs and pydantic models too. delay, timeout:
    seconds or timedelta. supersession_key: of the tenant's jobs of this type and key at most one waits, the newest;
    debounce: it runs when no newer one has come for so long, max_wait: and at the latest so long after the first.
    MetJob: the key named a job that this credential may not read.
    when_full: refuse, accept or delay, where as many jobs wait as may; unsaid, as the kind says.
    Raises InvalidInput, UnknownKind, KeyConflict, IdConflict, Forbidden, QueueFull, TooMany, StoreUnavailable.
    """
    own = None if id is not None else new_id()
    said = {
        "type": type, "payload": payload, "idempotency_key": idempotency_key, "id": own or id, "tenant": tenant,
        "queue": queue, "priority": priority, "delay": delay, "run_at": run_at, "deadline": deadline,
        "max_retries": max_retries, "timeout": timeout, "tags": tags, "supersede": supersede,
        "supersession_key": supersession_key, "debounce": debounce, "max_wait": max_wait, "when_full": when_full,
        "order_key": order_key, "on_failure": on_failure,
    }  # fmt: skip

    def read(status: int, content: bytes) -> EnqueuedJob | MetJob:
        value = shapes.value_of(content)
        if not isinstance(value, dict) or "state" not in value:
            return shapes.shaped(value, MetJob)
        return _as_ours(shapes.shaped(value, EnqueuedJob), own)

    return made("enqueue", said, read)


def enqueue_many(jobs: Sequence[Submission]) -> Call[list[BatchItem]]:
    """Records up to 1,000 jobs; a verdict for each, in order. A bad one never stops the others.

    Raises InvalidInput for what no JSON can carry.
    """
    own = [None if job.get("id") is not None else new_id() for job in jobs]
    texts = [_submission(place, job, made_id) for place, (job, made_id) in enumerate(zip(jobs, own, strict=True))]

    def read(status: int, content: bytes) -> list[BatchItem]:
        items = shapes.read(content, shapes.Batch).jobs
        if len(items) != len(own):
            raise shapes.unexpected(f"has {len(items)} verdicts on {len(own)} jobs")
        return [_item_as_ours(item, made_id) for item, made_id in zip(items, own, strict=True)]

    return made("enqueue_many", {"jobs": raw_list(texts)}, read)


def job(id: str | UUID) -> Call[Job]:  # noqa: A002 (the word of the product)
    """One job. Raises NotFound."""
    return made("show_job", {"id": id}, shapes.reader(Job))


def job_page(
    *,
    status: Status | str | None = None,
    state: State | str | None = None,
    type: str | None = None,  # noqa: A002 (the word of the wire)
    tenant: str | None = None,
    queue: str | None = None,
    code: str | None = None,
    tag: str | None = None,
    order_key: str | None = None,
    cursor: str | None = None,
    limit: int | None = None,
) -> Call[JobPage]:
    """One page of jobs, newest first. cursor: `next` of the page before."""
    said = {
        "status": status, "state": state, "type": type, "tenant": tenant, "queue": queue, "code": code, "tag": tag,
        "order_key": order_key, "cursor": cursor, "limit": limit,
    }  # fmt: skip
    return made("list_jobs", said, shapes.reader(JobPage))


def obstacles(id: str | UUID) -> Call[Explained]:  # noqa: A002 (the word of the product)
    """What keeps a waiting job from starting. Raises NotFound."""
    return made("explain_job", {"id": id}, shapes.reader(Explained))


def attempt_page(
    id: str | UUID,  # noqa: A002 (the word of the product)
    *,
    cursor: int | None = None,
    limit: int | None = None,
) -> Call[Attempts]:
    """One page of the attempts of a job that have ended, oldest first. cursor: `next` of the page before. Raises
    NotFound."""
    said = {"id": id, "cursor": cursor, "limit": limit}
    return made("list_attempts", said, shapes.reader(Attempts))


def cancel(id: str | UUID, why: str | None = None) -> Call[Cancelled]:  # noqa: A002 (the word of the product)
    """Ends waiting work at once, asks running work to stop. Raises NotFound."""
    return made("cancel", {"id": id, "why": why}, shapes.reader(Cancelled))


def redrive(
    id: str | UUID,  # noqa: A002 (the word of the product)
    *,
    deadline: datetime | None = None,
    why: str | None = None,
) -> Call[Happened]:
    """Runs a failed job again: the same job, with fresh budgets. Not sent twice by itself. Raises NotFound."""
    said = {"id": id, "deadline": deadline, "why": why}
    return made("redrive", said, shapes.reader(Happened))


def _submission(place: int, job: Submission, own: str | None) -> str:
    """Raises InvalidInput with the place in the field's name."""
    try:
        return body_of({**job, **({} if own is None else {"id": own})}, Enqueue)
    except InvalidInput as error:
        message = error.message.removeprefix(f"{error.field}: ")
        raise InvalidInput(f"jobs[{place}].{error.field}", message, code=error.code, hint=error.hint) from error


def _item_as_ours(item: BatchItem, own: str | None) -> BatchItem:
    if own is None or item.id != own:
        return item
    job = None if item.job is None else _as_ours(item.job, own)
    return msgspec.structs.replace(item, created=True, job=job)


def _as_ours(job: EnqueuedJob, own: str | None) -> EnqueuedJob:
    """A job under an id that this call made was made by this call, also where its first answer was lost."""
    return msgspec.structs.replace(job, created=True) if job.id == own else job
