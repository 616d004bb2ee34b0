"""Workers on the wire."""

from tenure.edge.body import Answer
from tenure.edge.scalars import Instant


class WorkerBody(Answer, frozen=True, kw_only=True):
    """A worker that holds leases now. hosts: for operators; empty for others."""

    worker_id: str
    running: int
    oldest_started_at: Instant
    newest_heartbeat_at: Instant
    hosts: list[str]


class Workers(Answer, frozen=True, kw_only=True):
    """By name. next: the cursor of the following page, null at the end."""

    workers: list[WorkerBody]
    next: str | None = None
