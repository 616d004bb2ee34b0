"""Show: one job whole, pages of jobs, and counts."""

from datetime import datetime

import msgspec

from tenure.core.attempt import Attempt
from tenure.core.flow import order
from tenure.core.job import Job
from tenure.core.job_filter import JobFilter
from tenure.core.ledger.effect import Effect
from tenure.core.redriving.remedies import remedy
from tenure.core.secrecy.secret_fields import NONE, hiding
from tenure.core.states import State
from tenure.operations.aware_of_newer import newer_than
from tenure.operations.declared_secrets import hidden_jobs
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Kept(msgspec.Struct, frozen=True):
    """A checkpoint without its value. attempt: the number of the one that saved it last."""

    name: str
    attempt: int
    saved_at: datetime


class Shown(msgspec.Struct, frozen=True):
    """effects: the one begun first comes first. checkpoints: by name. remedy: what to do about the code that it ended
    with, where it has failed. ahead: of a blocked job, who stands first in the line of its order key. newer: the newest
    job of its supersession key, where it runs and there is one."""

    job: Job
    attempts: tuple[Attempt, ...]
    effects: tuple[Effect, ...]
    checkpoints: tuple[Kept, ...] = ()
    remedy: str | None = None
    ahead: Job | None = None
    newer: str | None = None


class Page(msgspec.Struct, frozen=True):
    """`next` is the cursor of the following page, None at the end."""

    jobs: tuple[Job, ...]
    next: str | None


def show(verbs: Verbs, job_id: str) -> Script[Shown | None]:
    """The job, its history, effects and checkpoints, as everybody may see them; None where there is no such job."""
    job = (yield from verbs.read([job_id])).get(job_id)
    if job is None:
        return None
    history = yield from verbs.attempts([job_id])
    effects = sorted((yield from verbs.effects([job_id]))[job_id], key=lambda row: (row.started_at, row.name, row.key))
    saved = yield from verbs.checkpoints(job_id)
    kept = tuple(Kept(row.name, row.attempt, row.saved_at) for row in saved)
    ahead = yield from who_is_ahead(verbs, job)
    kinds = yield from verbs.kind_page([job.kind], None, 1)
    kind = kinds[0] if kinds else None
    newer = (yield from newer_than(verbs, [job])).get(job_id) if job.state is State.RUNNING else None
    todo = remedy(kind, job.end_code) if job.state is State.FAILED else None
    hides = hiding(job, NONE if kind is None else kind.secret_fields)
    if hides is None:
        return Shown(job, tuple(history[job_id]), tuple(effects), kept, todo, ahead, newer)
    shown = tuple(map(hides.attempt, history[job_id])), tuple(map(hides.effect, effects))
    return Shown(hides.job(job), *shown, kept, todo, ahead, newer)


def who_is_ahead(verbs: Verbs, job: Job) -> Script[Job | None]:
    """Of a blocked job, who stands first in the line of its order key: the head, or the job that stops the key."""
    key = order.key_of(job) if job.state is State.BLOCKED else None
    return None if key is None else (yield from verbs.first_in_line([key])).get(key)


def page(verbs: Verbs, which: JobFilter, before: str | None = None, limit: int = 50) -> Script[Page]:
    """At most `limit` jobs, newest first, as everybody may see them."""
    jobs = yield from verbs.list_jobs(which, before, limit + 1)
    found = yield from hidden_jobs(verbs, jobs[:limit])
    return Page(tuple(found), found[-1].id if len(jobs) > limit else None)
