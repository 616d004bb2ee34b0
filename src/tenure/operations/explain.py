"""Explain a waiting job: what keeps it from starting."""

from typing import Final

from tenure.core.flow import demand, obstacles
from tenure.core.flow.limits import LimitUse
from tenure.core.flow.obstacles import Obstacle
from tenure.core.job import Job
from tenure.core.job_filter import JobFilter
from tenure.core.states import State
from tenure.operations.show import who_is_ahead
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

HOLDERS: Final = 5
"""Jobs that are named for a limit."""
LOOKED_AT: Final = 1000
"""Jobs that ended lately, the newest."""


def explain(verbs: Verbs, job: Job) -> Script[list[Obstacle]]:
    """Nothing for a job that runs or has ended, nor for one that only waits for its time or its turn."""
    if not obstacles.is_waiting(job):
        return []
    now, demands = (yield from verbs.now()), (yield from verbs.demands())
    takes = demand.of(demands, job.kind)
    first = yield from who_is_ahead(verbs, job)
    found = obstacles.ahead(job, first) + obstacles.of_pauses(job, (yield from verbs.pauses()), takes)
    for use in obstacles.short(job, (yield from verbs.limits()), takes, now):
        found.append(obstacles.of_limit(use, (yield from _holders(verbs, use, demands)), now))
    for slow in (yield from verbs.slowdowns([job.kind])):
        if slow.tenant == job.tenant:
            words = f"kind {slow.kind} of tenant {slow.tenant} is slowed down: {slow.code}"
            what = f"kind {slow.kind} of tenant {slow.tenant}"
            found.append(Obstacle(cause="slowed_down", what=what, words=words, until=slow.until))
    if found:
        return found
    kind = next(iter((yield from verbs.kind_page([job.kind], None, 1))), None)
    return obstacles.of_workers(job, kind, now, is_queue_worked=(yield from _is_worked(verbs, job.queue)))


def _is_worked(verbs: Verbs, queue: str) -> Script[bool]:
    """Whether anything of the queue runs, or ended a moment ago: short jobs, or a rate, leave gaps in which none
    does."""
    running = yield from verbs.list_jobs(JobFilter(states=(State.RUNNING,), queues=(queue,)), None, 1)
    if running:
        return True
    lately = yield from verbs.seen(obstacles.UNSEEN.total_seconds(), LOOKED_AT)
    return any(one.queue == queue for one in lately.seen)


def _holders(verbs: Verbs, use: LimitUse, demands: demand.Demands) -> Script[list[Job]]:
    """Some jobs that run under the limit, the newest."""
    place = use.limit.place
    which = JobFilter(
        states=(State.RUNNING,),
        queues=(place.queue,) if place.queue else None,
        tenants=(place.tenant,) if place.tenant else None,
        kinds=obstacles.users(place, demands.items()),
    )
    return (yield from verbs.list_jobs(which, None, HOLDERS))
