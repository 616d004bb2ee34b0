"""Queues, tenants and workers: what there is to do, and who is at it. Counted from the rows."""

from datetime import datetime

from tenure.core import access
from tenure.core.states import State
from tenure.edge.answers import LaneBody, Queues, Tenants, WorkerBody, Workers
from tenure.http.call import Call, Reply
from tenure.http.paging import fitting
from tenure.http.service import Service
from tenure.stores.reading import By


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
    """One page, and its cursor where one more than `limit` was found."""
    limit, scope = call.query.limit, access.within(call.principal.scope)
    counts = await service.run(service.verbs.counts_by(by, scope, call.query.cursor, limit + 1))
    jobs: dict[str, dict[str, int]] = {}
    oldest: dict[str, datetime] = {}
    for count in counts:
        jobs.setdefault(count.name, {})[count.state.value] = count.jobs
        if count.state is State.READY:
            oldest[count.name] = count.oldest_run_at
    told = [LaneBody(name=name, jobs=by_state, oldest_run_at=oldest.get(name)) for name, by_state in jobs.items()]
    return told[:limit], told[limit - 1].name if len(told) > limit else None
