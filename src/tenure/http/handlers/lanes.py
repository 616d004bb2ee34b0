"""Queues, tenants and workers: what there is to do, and who is at it. Counted from the rows."""

from collections.abc import Collection, Sequence
from datetime import datetime

from tenure.core import access
from tenure.core.access import Principal
from tenure.core.flow.pause import Pause
from tenure.core.flow.place import Place, place_of
from tenure.core.flow.relief import Relief
from tenure.core.states import State
from tenure.edge.answers import LaneBody, Queues, Tenants, WorkerBody, Workers
from tenure.edge.pauses import PauseBody, by_name
from tenure.edge.reliefs import ReserveBody
from tenure.http.call import Call, Reply
from tenure.http.paging import fitting
from tenure.http.service import Service
from tenure.stores.reading import By, NamedCount


async def list_queues(service: Service, call: Call) -> Reply:
    """It counts every job of the scope."""
    told, following = await _lanes(service, call, "queue")
    return Reply(body=Queues(queues=told, next=following))


async def list_tenants(service: Service, call: Call) -> Reply:
    """It counts every job of the scope."""
    told, following = await _lanes(service, call, "tenant")
    return Reply(body=Tenants(tenants=told, next=following))


async def list_workers(service: Service, call: Call) -> Reply:
    limit = call.query.limit
    scope = access.within(call.principal.scope)
    found = await service.run(service.verbs.worker_counts(scope, call.query.cursor, limit + 1))
    told = [
        WorkerBody(
            worker_id=one.worker,
            running=one.jobs,
            oldest_started_at=one.started_at,
            newest_heartbeat_at=one.heartbeat_at,
            hosts=list(one.hosts) if call.principal.sees(access.Detail.TRACEBACK) else [],
        )
        for one in found
    ]
    shown = fitting(told, limit)
    return Reply(body=Workers(workers=shown, next=shown[-1].worker_id if len(shown) < len(told) else None))


async def _lanes(service: Service, call: Call, by: By) -> tuple[list[LaneBody], str | None]:
    """One page, and its cursor where there are more."""
    limit, after, principal = call.query.limit, call.query.cursor, call.principal
    counts = await service.run(service.verbs.counts_by(by, access.within(principal.scope), after, limit + 1))
    pauses = await _pauses(service, by, principal, {count.name for count in counts})
    jobs, oldest = _by_name(counts)
    reliefs = await _reliefs(service, principal, {count.name for count in counts}) if by == "queue" else {}
    names = sorted(jobs.keys() | {name for name in pauses.keys() | reliefs.keys() if after is None or name > after})
    weights = await service.run(service.verbs.weights(names)) if by == "tenant" else {}
    told = [
        LaneBody(
            name=name,
            jobs=jobs.get(name, {}),
            oldest_run_at=oldest.get(name),
            pause=PauseBody.of(pauses.get(name), principal),
            weight=weights.get(name, 1) if by == "tenant" else None,
            aging=reliefs.get(name, Relief()).aging,
            reserve=ReserveBody.of(reliefs.get(name, Relief()).reserve),
        )
        for name in names
    ]
    shown = fitting(told, limit)
    return shown, shown[-1].name if len(shown) < len(told) else None


async def _pauses(service: Service, by: By, principal: Principal, names: Collection[str]) -> dict[str, Pause]:
    """Those of the names, and of others that the scope holds whole."""
    found = await service.run(service.verbs.pauses(by))
    return by_name(
        [one for one in found if one.name in names or access.has_whole(principal.scope, place_of(by, one.name))]
    )


async def _reliefs(service: Service, principal: Principal, names: Collection[str]) -> dict[str, Relief]:
    """Those of the queues, and of others that the scope holds whole."""
    found = await service.run(service.verbs.reliefs())
    scope = principal.scope
    return {name: one for name, one in found.items() if name in names or access.has_whole(scope, Place(queue=name))}


def _by_name(counts: Sequence[NamedCount]) -> tuple[dict[str, dict[str, int]], dict[str, datetime]]:
    """Jobs by state, and the oldest run_at of ready ones."""
    jobs: dict[str, dict[str, int]] = {}
    oldest: dict[str, datetime] = {}
    for count in counts:
        jobs.setdefault(count.name, {})[count.state.value] = count.jobs
        if count.state is State.READY:
            oldest[count.name] = count.oldest_run_at
    return jobs, oldest
