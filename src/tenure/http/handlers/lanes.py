"""Queues, tenants and workers: what there is to do, and who is at it. Counted from the rows."""

from collections.abc import Sequence
from datetime import datetime

from tenure.core import access
from tenure.core.states import State
from tenure.edge.answers import LaneBody, Queues, Tenants, WorkerBody, Workers
from tenure.http.call import Call, Reply
from tenure.http.paging import fitting
from tenure.http.service import Service


async def list_queues(service: Service, call: Call) -> Reply:
    """It counts every job of the scope."""
    limit, lanes = call.query.limit, _Lanes()
    counts = await service.run(
        service.verbs.queue_counts(access.within(call.principal.scope), call.query.cursor, limit + 1)
    )
    for count in counts:
        lanes.add(count.queue, count.state, count.jobs, count.oldest_run_at)
    told = lanes.told()
    return Reply(body=Queues(queues=told[:limit], next=_following(told, limit)))


async def list_tenants(service: Service, call: Call) -> Reply:
    """It counts every job of the scope."""
    limit, lanes = call.query.limit, _Lanes()
    counts = await service.run(
        service.verbs.tenant_counts(access.within(call.principal.scope), call.query.cursor, limit + 1)
    )
    for count in counts:
        lanes.add(count.tenant, count.state, count.jobs, count.oldest_run_at)
    told = lanes.told()
    return Reply(body=Tenants(tenants=told[:limit], next=_following(told, limit)))


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


class _Lanes:
    """By name, what a queue or tenant holds."""

    def __init__(self) -> None:
        self._jobs: dict[str, dict[str, int]] = {}
        self._oldest: dict[str, datetime] = {}

    def add(self, name: str, state: State, jobs: int, oldest_run_at: datetime) -> None:
        by_state = self._jobs.setdefault(name, {})
        by_state[state.value] = by_state.get(state.value, 0) + jobs
        if state is State.READY:
            self._oldest[name] = min(oldest_run_at, self._oldest.get(name, oldest_run_at))

    def told(self) -> list[LaneBody]:
        return [
            LaneBody(name=name, jobs=jobs, oldest_run_at=self._oldest.get(name))
            for name, jobs in sorted(self._jobs.items())
        ]


def _following(told: Sequence[LaneBody], limit: int) -> str | None:
    """The cursor where one more than `limit` was found."""
    return told[limit - 1].name if len(told) > limit else None
