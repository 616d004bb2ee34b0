"""The audit on the wire."""

from tenure.edge.body import Answer
from tenure.edge.scalars import Instant


class AuditBody(Answer, frozen=True, kw_only=True):
    """tenant, kind, queue: what the line concerns; null is all of them."""

    seq: int
    at: Instant
    who: str
    verb: str
    subject: str
    tenant: str | None
    kind: str | None
    queue: str | None
    why: str
    detail: str


class Audit(Answer, frozen=True, kw_only=True):
    """Newest first, those that concern what lies in the scope; lines of all tenants, kinds or queues are for those with
    all of them.

    next: the cursor of the following page, null at the end.
    """

    lines: list[AuditBody]
    next: int | None
