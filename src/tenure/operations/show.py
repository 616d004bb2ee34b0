"""Show: one job whole, pages of jobs, and counts."""

import msgspec

from tenure.core.attempt import Attempt
from tenure.core.effect import Effect
from tenure.core.job import Job
from tenure.core.job_filter import JobFilter
from tenure.core.secret_fields import NONE, hiding
from tenure.operations.declared_secrets import declared_secrets, hidden_jobs
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Shown(msgspec.Struct, frozen=True):
    job: Job
    attempts: tuple[Attempt, ...]
    effects: tuple[Effect, ...]


class Page(msgspec.Struct, frozen=True):
    """`next` is the cursor of the following page, None at the end."""

    jobs: tuple[Job, ...]
    next: str | None


def show(verbs: Verbs, job_id: str) -> Script[Shown | None]:
    """The job, its history and its effects, as everybody may see them; None where there is no such job."""
    job = (yield from verbs.read([job_id])).get(job_id)
    if job is None:
        return None
    history = yield from verbs.attempts([job_id])
    effects = yield from verbs.effects([job_id])
    declared = yield from declared_secrets(verbs, [job.kind])
    hides = hiding(job, declared.get(job.kind, NONE))
    if hides is None:
        return Shown(job, tuple(history[job_id]), tuple(effects[job_id]))
    return Shown(hides.job(job), tuple(map(hides.attempt, history[job_id])), tuple(map(hides.effect, effects[job_id])))


def page(verbs: Verbs, which: JobFilter, before: str | None = None, limit: int = 50) -> Script[Page]:
    """At most `limit` jobs, newest first, as everybody may see them."""
    jobs = yield from verbs.list_jobs(which, before, limit + 1)
    found = yield from hidden_jobs(verbs, jobs[:limit])
    return Page(tuple(found), found[-1].id if len(jobs) > limit else None)
