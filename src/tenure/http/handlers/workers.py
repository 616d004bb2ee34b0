"""Workers: who is at it, as the leases on the jobs' rows tell."""

from tenure.core import access
from tenure.core.principal import Detail
from tenure.edge.workers import WorkerBody, Workers
from tenure.http.call import Call, Reply
from tenure.http.paging import fitting
from tenure.http.service import Service


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
            hosts=list(one.hosts) if call.principal.sees(Detail.TRACEBACK) else [],
        )
        for one in found
    ]
    shown = fitting(told, limit)
    return Reply(body=Workers(workers=shown, next=shown[-1].worker_id if len(shown) < len(told) else None))
