"""Enqueue: record intent, once for each identity."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from tenure.core import dedupe, intake
from tenure.core.errors import InvalidInput, RetryTransaction, TenureError
from tenure.core.job import Job, NewJob
from tenure.core.kind import Kind
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Enqueued(msgspec.Struct, frozen=True):
    """One submission's outcome: a new job, or the known one that its key or id already named."""

    id: str
    created: bool
    origin: Job | tuple[NewJob, int, datetime]

    @property
    def job(self) -> Job:
        """The row, as it was when this was answered. Made on demand: a bulk of 1,000 rarely wants it."""
        return self.origin if isinstance(self.origin, Job) else intake.row(*self.origin)


def enqueue(verbs: Verbs, jobs: Sequence[NewJob], kinds: Sequence[Kind] = ()) -> Script[list[Enqueued]]:
    """All of `jobs`, or none of them, in the order given; an answer for each.

    kinds: rows to write first where they are missing.
    Raises KeyConflict, IdConflict, InvalidInput (a deadline that cannot be met); RetryTransaction where the
    caller's snapshot hides the row that it clashes with.
    """
    if kinds:
        yield from verbs.put_kinds(kinds, replace=False)
    if _have_deadlines(jobs):
        for refusal in (yield from _hopeless(verbs, jobs)).values():
            raise refusal
    answers = yield from _recorded(verbs, jobs)
    for answer in answers:
        if isinstance(answer, TenureError):
            raise answer
    return answers  # type: ignore[return-value]


def enqueue_each(
    verbs: Verbs, jobs: Sequence[NewJob], kinds: Sequence[Kind] = ()
) -> Script[list[Enqueued | TenureError]]:
    """As `enqueue`, with a verdict for each: a refused one stops no other, and new ones stay whatever comes after."""
    if kinds:
        yield from verbs.put_kinds(kinds, replace=False)
    refused = (yield from _hopeless(verbs, jobs)) if _have_deadlines(jobs) else {}
    if jobs and not refused:
        return (yield from _recorded(verbs, jobs, apart=True))
    hopeful = [job for place, job in enumerate(jobs) if place not in refused]
    answers = iter((yield from _recorded(verbs, hopeful, apart=True)) if hopeful else [])
    return [refused[place] if place in refused else next(answers) for place in range(len(jobs))]


def _recorded(verbs: Verbs, jobs: Sequence[NewJob], *, apart: bool = False) -> Script[list[Enqueued | TenureError]]:
    """What became of each: a new row, the known one, or the clash with it."""
    inserted = yield from verbs.insert(jobs, apart=apart)
    created, now = inserted.created, inserted.now
    if len(created) == len(jobs):
        return [Enqueued(job.id, True, (job, created[job.id], now)) for job in jobs]
    fresh = dict(created)
    known = yield from known_rows(verbs, [job for job in jobs if fresh.pop(job.id, None) is None])
    fresh = dict(created)
    answers: list[Enqueued | TenureError] = []
    for job in jobs:
        seq = fresh.pop(job.id, None)
        answers.append(_same(job, known) if seq is None else Enqueued(job.id, True, (job, seq, now)))
    return answers


def _have_deadlines(jobs: Sequence[NewJob]) -> bool:
    return any(job.deadline is not None for job in jobs)


def _hopeless(verbs: Verbs, jobs: Sequence[NewJob]) -> Script[dict[int, InvalidInput]]:
    """By place, the new jobs that could never start in time. A repeat of a known one may come late."""
    hopeless: dict[int, InvalidInput] = {}
    now = yield from verbs.now()
    for place, job in enumerate(jobs):
        try:
            intake.check_deadline(job, now)
        except InvalidInput as error:
            hopeless[place] = error
    known = (yield from known_rows(verbs, [jobs[place] for place in hopeless])) if hopeless else {}
    return {place: refusal for place, refusal in hopeless.items() if row_of(jobs[place], known) is None}


def known_rows(verbs: Verbs, jobs: Sequence[NewJob]) -> Script[dict[object, Job]]:
    """The rows that hold the ids and the keys of `jobs`."""
    found: dict[object, Job] = dict((yield from verbs.read([job.id for job in jobs])).items())
    keys = [(job.tenant, job.kind, job.idempotency_key) for job in jobs if job.idempotency_key is not None]
    if keys:
        found.update((yield from verbs.read_keys(keys)).items())
    return found


def _same(job: NewJob, known: dict[object, Job]) -> Enqueued | TenureError:
    row = row_of(job, known)
    if row is None:
        return RetryTransaction(f"the job that holds key {job.idempotency_key!r} is not visible to this transaction")
    return dedupe.clash(job, row) or Enqueued(row.id, False, row)


def row_of(job: NewJob, known: dict[object, Job]) -> Job | None:
    """The known row that holds the job's id or key."""
    return known.get(job.id) or known.get((job.tenant, job.kind, job.idempotency_key))
