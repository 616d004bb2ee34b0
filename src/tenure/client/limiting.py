"""The calls about pauses, limits, weights and what low priorities get."""

from tenure.client import shapes
from tenure.client.call import Call, made
from tenure.core.flow.lateness import USUAL_SHARE
from tenure.core.flow.limits import Rate
from tenure.core.flow.relief import Reserve
from tenure.edge.capacities import Capacities, CapacityChanged
from tenure.edge.lateness import AllLateness, LatenessBody, ObjectiveChanged
from tenure.edge.limits import LimitChanged, Limits, RateBody, WeightChanged
from tenure.edge.pauses import PauseChanged
from tenure.edge.reliefs import QueueChanged, ReserveBody
from tenure.edge.resources import Resources


def pause_queue(name: str, *, why: str | None = None) -> Call[PauseChanged]:
    """Lets no job of a queue start until it is resumed; what runs goes on. Raises Forbidden."""
    return made("pause_queue", {"name": name, "why": why}, shapes.reader(PauseChanged))


def resume_queue(name: str, *, why: str | None = None) -> Call[PauseChanged]:
    """Lets the jobs of a queue start again. Raises Forbidden."""
    return made("resume_queue", {"name": name, "why": why}, shapes.reader(PauseChanged))


def pause_kind(name: str, *, why: str | None = None) -> Call[PauseChanged]:
    """As `pause_queue`, of a kind."""
    return made("pause_kind", {"name": name, "why": why}, shapes.reader(PauseChanged))


def resume_kind(name: str, *, why: str | None = None) -> Call[PauseChanged]:
    """As `resume_queue`, of a kind."""
    return made("resume_kind", {"name": name, "why": why}, shapes.reader(PauseChanged))


def pause_tenant(name: str, *, why: str | None = None) -> Call[PauseChanged]:
    """As `pause_queue`, of a tenant."""
    return made("pause_tenant", {"name": name, "why": why}, shapes.reader(PauseChanged))


def resume_tenant(name: str, *, why: str | None = None) -> Call[PauseChanged]:
    """As `resume_queue`, of a tenant."""
    return made("resume_tenant", {"name": name, "why": why}, shapes.reader(PauseChanged))


def pause_resource(name: str, *, why: str | None = None) -> Call[PauseChanged]:
    """As `pause_queue`, of all kinds that use a resource."""
    return made("pause_resource", {"name": name, "why": why}, shapes.reader(PauseChanged))


def resume_resource(name: str, *, why: str | None = None) -> Call[PauseChanged]:
    """As `resume_queue`, of all kinds that use a resource."""
    return made("resume_resource", {"name": name, "why": why}, shapes.reader(PauseChanged))


def resource_page(*, cursor: str | None = None, limit: int | None = None) -> Call[Resources]:
    """One page of the resources, by name, with who uses each, its limit and its pause. cursor: `next` of the page
    before."""
    return made("list_resources", {"cursor": cursor, "limit": limit}, shapes.reader(Resources))


def set_tenant(name: str, weight: int, *, why: str | None = None) -> Call[WeightChanged]:
    """Gives a tenant so many slots in each round of turns. Raises Forbidden, InvalidInput."""
    return made("set_tenant", {"name": name, "weight": weight, "why": why}, shapes.reader(WeightChanged))


def set_queue(
    name: str, *, aging: float | None = None, reserve: Reserve | None = None, why: str | None = None
) -> Call[QueueChanged]:
    """Lets low priorities of a queue get on beside urgent ones; without both they wait as long as urgent ones come.
    aging: seconds of waiting that are worth a step of priority. reserve: of `tenure.core.flow.relief.reserve_of`, as
    `10%`. Raises Forbidden, InvalidInput.
    """
    members = {"name": name, "aging": aging, "reserve": ReserveBody.of(reserve), "why": why}
    return made("set_queue", members, shapes.reader(QueueChanged))


def limit_page(*, cursor: int | None = None, limit: int | None = None) -> Call[Limits]:
    """One page of the limits of the scope, and what runs under them. cursor: `next` of the page before."""
    return made("list_limits", {"cursor": cursor, "limit": limit}, shapes.reader(Limits))


def set_limit(
    *,
    queue: str | None = None,
    type: str | None = None,  # noqa: A002 (the word of the wire)
    tenant: str | None = None,
    resource: str | None = None,
    concurrency: int | None = None,
    rate: Rate | None = None,
    why: str | None = None,
) -> Call[LimitChanged]:
    """Limits a queue, a type, a tenant, a type of one tenant, a resource, or the whole store; without concurrency and
    rate the limit is taken away. rate: of `tenure.core.flow.limits.rate`. Raises Forbidden, InvalidInput.
    """
    said = None if rate is None else RateBody.of(rate)
    members = {
        "queue": queue,
        "type": type,
        "tenant": tenant,
        "resource": resource,
        "concurrency": concurrency,
        "rate": said,
        "why": why,
    }
    return made("set_limit", members, shapes.reader(LimitChanged))


def capacity_page(*, cursor: int | None = None, limit: int | None = None) -> Call[Capacities]:
    """One page of the capacities of the scope, and what waits there. cursor: `next` of the page before."""
    return made("list_capacities", {"cursor": cursor, "limit": limit}, shapes.reader(Capacities))


def set_capacity(
    capacity: int | None, *, queue: str | None = None, tenant: str | None = None, why: str | None = None
) -> Call[CapacityChanged]:
    """Lets so many jobs wait in a queue, of a tenant, or in a queue of one tenant; None: as many as come. Raises
    Forbidden, InvalidInput."""
    said = {"queue": queue, "tenant": tenant, "capacity": capacity, "why": why}
    return made("set_capacity", said, shapes.reader(CapacityChanged))


def lateness() -> Call[list[LatenessBody]]:
    """How late the jobs of each queue of the scope start, how long its backlog takes, and what starves."""
    return made("list_lateness", {}, lambda _status, content: shapes.read(content, AllLateness).queues)


def set_objective(
    queue: str, within: float | None, *, share: float = USUAL_SHARE, why: str | None = None
) -> Call[ObjectiveChanged]:
    """So large a share of the jobs of a queue is to start within so many seconds of when it was due; None: nothing is
    said of it. Raises Forbidden, InvalidInput."""
    said = {"queue": queue, "within": within, "share": share, "why": why}
    return made("set_objective", said, shapes.reader(ObjectiveChanged))
