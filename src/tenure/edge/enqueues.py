"""Submissions of jobs on the wire, and the verdicts on them."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from tenure.core import defaults
from tenure.core.flow.order import OnFailure
from tenure.core.job import WhenFull
from tenure.edge.body import Answer
from tenure.edge.jobs import EnqueuedBody
from tenure.edge.problem import Problem
from tenure.edge.requests import Body
from tenure.edge.scalars import Id, Instant, Key, Name, Number, Retries, RunTime, Seconds
from tenure.edge.words import Label


class Enqueue(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One submission. Members left out, or null, take the defaults of the kind.

    when_full: where as many jobs wait as may, `refuse` answers 429, `delay` puts the job off; `accept` takes it all the
    same, where the kind says so or for an admin.
    """

    type: Name
    payload: dict[str, Any] = {}
    priority: Label | Number | None = None
    idempotency_key: Key | None = None
    max_retries: Retries | None = None
    queue: Name | None = None
    tenant: Name | None = None
    run_at: Instant | None = None
    delay: Seconds | None = None
    deadline: Instant | None = None
    timeout: RunTime | None = None
    tags: Annotated[list[Name], Meta(max_length=defaults.TAGS)] | None = None
    id: Id | None = None
    supersede: Literal["latest"] | None = None
    supersession_key: Key | None = None
    debounce: Seconds | None = None
    max_wait: Seconds | None = None
    when_full: WhenFull | None = None
    order_key: Key | None = None
    on_failure: OnFailure | None = None


class EnqueueMany(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Up to 1,000 submissions. Each gets its own verdict; a bad one never stops the others."""

    jobs: Annotated[list[Any], Meta(min_length=1, max_length=defaults.BATCH)]


class MetJob(Answer, frozen=True, kw_only=True):
    """The job that an idempotency key already named, where the caller may not read it."""

    id: Id
    created: bool


class BatchItem(Answer, frozen=True, kw_only=True):
    """The verdict on one submission: status as of a lone POST /jobs, and the job or the problem, whose `field` and
    `pointer` lead into the submission.

    job: null too where the caller may not read the one that the key already named, and past 4 MiB of an answer; then
    only its id is told.
    """

    status: int
    id: Id | None = None
    created: bool = False
    job: EnqueuedBody | None = None
    problem: Problem | None = None


class Batch(Answer, frozen=True, kw_only=True):
    jobs: list[BatchItem]
