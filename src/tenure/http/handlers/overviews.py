"""Queues and tenants: what there is to do. Counted from the rows."""

from collections.abc import Callable

from tenure.core import access
from tenure.core.flow.place import place_of
from tenure.core.job_filter import JobFilter
from tenure.core.principal import Principal
from tenure.edge.overviews import OverviewBody, Queues, Tenants
from tenure.http.call import Call, Reply
from tenure.http.paging import fitting
from tenure.http.service import Service
from tenure.operations.overviews import overview, overviews
from tenure.stores.reading import By


async def list_queues(service: Service, call: Call) -> Reply:
    """It counts every job of the scope."""
    told, following = await _overviews(service, call, "queue")
    return Reply(body=Queues(queues=told, next=following))


async def list_tenants(service: Service, call: Call) -> Reply:
    """It counts every job of the scope."""
    told, following = await _overviews(service, call, "tenant")
    return Reply(body=Tenants(tenants=told, next=following))


async def show_queue(service: Service, call: Call) -> Reply:
    """It counts the jobs of the queue that lie in the scope."""
    return Reply(
        body=await _overview(service, call, "queue", access.within(call.principal.scope, queue=call.path["name"]))
    )


async def show_tenant(service: Service, call: Call) -> Reply:
    """It counts the jobs of the tenant that lie in the scope."""
    return Reply(
        body=await _overview(service, call, "tenant", access.within(call.principal.scope, tenant=call.path["name"]))
    )


async def _overview(service: Service, call: Call, by: By, which: JobFilter) -> OverviewBody:
    found = await service.run(overview(service.verbs, by, call.path["name"], which, _shown(by, call.principal)))
    return OverviewBody.of(found, call.principal)


async def _overviews(service: Service, call: Call, by: By) -> tuple[list[OverviewBody], str | None]:
    """One page, and its cursor where there are more."""
    limit, after, principal = call.query.limit, call.query.cursor, call.principal
    script = overviews(service.verbs, by, access.within(principal.scope), after, limit + 1, _shown(by, principal))
    told = [OverviewBody.of(one, principal) for one in await service.run(script)]
    shown = fitting(told, limit)
    return shown, shown[-1].name if len(shown) < len(told) else None


def _shown(by: By, principal: Principal) -> Callable[[str], bool]:
    """Of names without jobs in the scope: those that it holds whole."""
    return lambda name: access.has_whole(principal.scope, place_of(by, name))
