"""Give back the tokens of rates that starts have cost which never came to a handler."""

from collections import Counter
from collections.abc import Sequence

from tenure.core.flow import limits
from tenure.core.flow.demand import Demands, of
from tenure.core.flow.place import Place, places
from tenure.core.job import Job
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def return_tokens(verbs: Verbs, jobs: Sequence[Job]) -> Script[None]:
    """One for each of the jobs, at each rate that it has."""
    if not jobs:
        return
    demands = yield from verbs.demands()
    starts = Counter(place for job in jobs for place in _places(job, demands))
    held = yield from verbs.hold_limits(list(starts))
    rated = [limit for limit in held.limits if limit.rate is not None]
    yield from verbs.write_tokens([limits.spent(limit, -starts[limit.place], held.now) for limit in rated])


def _places(job: Job, demands: Demands) -> tuple[Place, ...]:
    return places(job.queue, job.kind, job.tenant, of(demands, job.kind).uses)
