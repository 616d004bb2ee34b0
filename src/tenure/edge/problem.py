"""The body of every refusal."""

import msgspec

from tenure.edge.body import Answer
from tenure.edge.scalars import Id


class Problem(Answer, frozen=True, kw_only=True):
    """RFC 9457. code: stable, machine-readable. field: the argument; pointer: the same as RFC 6901 into the body.

    hint: what to do next. job_id: the job that a conflict names. queue, tenant: what is full; waiting, capacity: how
    many jobs wait there, about, and may, for who has all of it; drain_seconds: until they are worked off, null:
    unknown.
    """

    type: str
    title: str
    status: int
    code: str
    detail: str
    request_id: str = ""
    hint: str | msgspec.UnsetType = msgspec.UNSET
    field: str | msgspec.UnsetType = msgspec.UNSET
    pointer: str | msgspec.UnsetType = msgspec.UNSET
    job_id: Id | msgspec.UnsetType = msgspec.UNSET
    retry_after: float | msgspec.UnsetType = msgspec.UNSET
    queue: str | msgspec.UnsetType | None = msgspec.UNSET
    tenant: str | msgspec.UnsetType | None = msgspec.UNSET
    waiting: int | msgspec.UnsetType = msgspec.UNSET
    capacity: int | msgspec.UnsetType = msgspec.UNSET
    drain_seconds: float | msgspec.UnsetType | None = msgspec.UNSET
