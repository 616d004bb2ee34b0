"""The calls of operators and admins."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from tenure.client import shapes
from tenure.client.call import Call, made
from tenure.core.job import WhenFull
from tenure.core.principal import Role
from tenure.edge.audit import Audit
from tenure.edge.health import Alive, Health
from tenure.edge.keys import CreatedKey, KeyBody, Keys
from tenure.edge.kinds import Cleared, KindBody, Kinds
from tenure.edge.overviews import OverviewBody, Queues, Tenants
from tenure.edge.workers import Workers


def kind_page(*, cursor: str | None = None, limit: int | None = None) -> Call[Kinds]:
    """One page of the kinds of the scope, by name. cursor: `next` of the page before."""
    said = {"cursor": cursor, "limit": limit}
    return made("list_kinds", said, shapes.reader(Kinds))


def kind(name: str) -> Call[KindBody]:
    """One kind, with its JSON Schema. Raises NotFound."""
    return made("show_kind", {"name": name}, shapes.reader(KindBody))


def set_kind(
    name: str,
    *,
    versions: Sequence[int] | None = None,
    schema: Mapping[str, Any] | None = None,
    queue: str | None = None,
    max_retries: int | None = None,
    timeout: float | None = None,
    concurrency: int | None = None,
    priority: str | int | None = None,
    backoff: tuple[float, float] | None = None,
    progress_timeout: float | None = None,
    payload_retention: float | None = None,
    on_failure: str | None = None,
    effects: Sequence[str] | None = None,
    remedies: Mapping[str, str] | None = None,
    secret: Sequence[str] | None = None,
    secret_result: Sequence[str] | None = None,
    slots: int | None = None,
    uses: Sequence[str] | None = None,
    supersede_by: Sequence[str] | None = None,
    debounce: float | None = None,
    max_wait: float | None = None,
    when_full: WhenFull | None = None,
    why: str | None = None,
) -> Call[KindBody]:
    """Declares a kind as data, or changes it: what is not said takes its default. schema: a JSON Schema of the payload.

    backoff: first and longest wait before another try, progress_timeout: longest silence, payload_retention:
    how long the payload is kept after the end of its job, all in seconds. effects: names of those without which a job
    has not succeeded. remedies: what to do about jobs that failed with a code. secret, secret_result: paths of members
    of payload and result that are shown to nobody but the worker that claims. slots: of its worker's, that one job
    takes; uses: resources that it shares with other kinds. supersede_by: members of the payload; of jobs with the same
    values there at most one waits, the newest; debounce, max_wait: how long it waits for newer ones, in seconds.
    when_full: refuse, accept or delay, what becomes of a new job where as many wait as may. Raises Forbidden,
    InvalidInput.
    """
    said = {
        "name": name, "versions": versions, "schema": schema, "queue": queue, "max_retries": max_retries,
        "timeout": timeout, "concurrency": concurrency, "priority": priority, "backoff": backoff,
        "progress_timeout": progress_timeout, "payload_retention": payload_retention, "effects": effects,
        "remedies": remedies, "why": why, "secret": secret, "secret_result": secret_result, "slots": slots,
        "uses": uses, "when_full": when_full, "on_failure": on_failure, "supersede_by": supersede_by,
        "debounce": debounce, "max_wait": max_wait,
    }  # fmt: skip
    return made("set_kind", said, shapes.reader(KindBody))


def clear_slowdown(name: str, *, tenant: str | None = None, why: str | None = None) -> Call[bool]:
    """Lets a kind that was slowed down for a tenant start again; whether it was slowed down."""
    said = {"name": name, "tenant": tenant, "why": why}
    return made("clear_slowdown", said, lambda _status, content: shapes.read(content, Cleared).cleared)


def queue_page(*, cursor: str | None = None, limit: int | None = None) -> Call[Queues]:
    """One page of the queues that hold jobs, by name, with counts by state. cursor: `next` of the page before."""
    said = {"cursor": cursor, "limit": limit}
    return made("list_queues", said, shapes.reader(Queues))


def tenant_page(*, cursor: str | None = None, limit: int | None = None) -> Call[Tenants]:
    """One page of the tenants that have jobs, by name, with counts by state. cursor: `next` of the page before."""
    said = {"cursor": cursor, "limit": limit}
    return made("list_tenants", said, shapes.reader(Tenants))


def queue(name: str) -> Call[OverviewBody]:
    """One queue: its jobs of the scope by state, whether it is paused, what low priorities get. Raises Forbidden."""
    return made("show_queue", {"name": name}, shapes.reader(OverviewBody))


def tenant(name: str) -> Call[OverviewBody]:
    """One tenant: its jobs of the scope by state, whether it is paused, its weight. Raises Forbidden."""
    return made("show_tenant", {"name": name}, shapes.reader(OverviewBody))


def worker_page(*, cursor: str | None = None, limit: int | None = None) -> Call[Workers]:
    """One page of the workers that hold leases now, by name. cursor: `next` of the page before."""
    said = {"cursor": cursor, "limit": limit}
    return made("list_workers", said, shapes.reader(Workers))


def key_page(*, cursor: str | UUID | None = None, limit: int | None = None) -> Call[Keys]:
    """One page of the keys that this one could have made, newest first, without their secrets. cursor: `next` of the
    page before."""
    said = {"cursor": cursor, "limit": limit}
    return made("list_keys", said, shapes.reader(Keys))


def key(id: str | UUID) -> Call[KeyBody]:  # noqa: A002 (the word of the product)
    """One key, without its secret. Raises NotFound."""
    return made("show_key", {"id": id}, shapes.reader(KeyBody))


def create_key(
    name: str,
    role: Role | str,
    *,
    tenants: Sequence[str] | None = None,
    kinds: Sequence[str] | None = None,
    queues: Sequence[str] | None = None,
    max_priority: str | int | None = None,
    expires_at: datetime | None = None,
    why: str | None = None,
) -> Call[CreatedKey]:
    """Makes a key; `key` is shown this once. `*` in tenants, kinds or queues is every one. Not sent twice by itself."""
    said = {
        "name": name, "role": role, "tenants": tenants, "kinds": kinds, "queues": queues,
        "max_priority": max_priority, "expires_at": expires_at, "why": why,
    }  # fmt: skip
    return made("create_key", said, shapes.reader(CreatedKey))


def revoke_key(id: str | UUID, *, why: str | None = None) -> Call[KeyBody]:  # noqa: A002 (the word of the product)
    """Lets a key in no more. Raises NotFound."""
    return made("revoke_key", {"id": id, "why": why}, shapes.reader(KeyBody))


def audit_page(*, cursor: int | None = None, limit: int | None = None) -> Call[Audit]:
    """One page of what operators did, newest first. cursor: `next` of the page before."""
    said = {"cursor": cursor, "limit": limit}
    return made("list_audit", said, shapes.reader(Audit))


def alive() -> Call[bool]:
    """Whether the process answers."""
    return made("healthz", {}, lambda _status, content: shapes.read(content, Alive).alive)


def ready() -> Call[Health]:
    """Whether the service can do its work."""
    return made("readyz", {}, shapes.reader(Health))
