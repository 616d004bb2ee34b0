"""Lists of jobs and of their attempts on the wire."""

from tenure.core.states import State
from tenure.edge.body import Answer
from tenure.edge.jobs import AttemptBody, JobBody
from tenure.edge.requests import Body
from tenure.edge.scalars import Code, Id, Key, Name, PageSize
from tenure.edge.words import Status


class ListJobs(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """cursor: `next` of the page before."""

    status: Status | None = None
    state: State | None = None
    type: Name | None = None
    tenant: Name | None = None
    queue: Name | None = None
    code: Code | None = None
    tag: Name | None = None
    order_key: Key | None = None
    cursor: Id | None = None
    limit: PageSize = 50


class JobPage(Answer, frozen=True, kw_only=True):
    """Newest first. next: the cursor of the following page, null at the end."""

    jobs: list[JobBody]
    next: str | None


class Attempts(Answer, frozen=True, kw_only=True):
    """Oldest first; the running attempt is not among them. next: the cursor of the following page, null at the end."""

    attempts: list[AttemptBody]
    next: int | None = None
