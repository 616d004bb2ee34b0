"""Enqueue: record intent, once for each identity."""

from collections.abc import Sequence
from functools import partial

from tenure.core import intake
from tenure.core.errors import InvalidInput, TenureError
from tenure.core.flow.newer_job import NewerJob
from tenure.core.job import NewJob
from tenure.core.kind import Kind
from tenure.operations.enqueue_newer import enqueue_newer
from tenure.operations.known_jobs import Enqueued, known_rows, row_of, same_or_clash
from tenure.stores.protocol import Inserted, Verbs
from tenure.stores.script import Script

__all__ = ["Enqueued", "enqueue", "enqueue_each", "known_rows", "row_of"]


def enqueue(
    verbs: Verbs, jobs: Sequence[NewJob], kinds: Sequence[Kind] = (), *, borrowed: bool = False
) -> Script[list[Enqueued]]:
    """All of `jobs`, or none of them, in the order given; an answer for each.

    kinds: rows to write first where they are missing. borrowed: in a transaction of the caller's.
    Raises KeyConflict, IdConflict, InvalidInput (a deadline that cannot be met); RetryTransaction where the
    caller's snapshot hides the row that it clashes with.
    """
    if kinds:
        yield from verbs.put_kinds(kinds, replace=False)
    if _have_deadlines(jobs):
        for place, refusal in (yield from _hopeless(verbs, jobs)).items():
            raise refusal if len(jobs) == 1 else intake.of_item(place, refusal)
    answers = yield from _recorded(verbs, jobs, borrowed=borrowed)
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


def _recorded(
    verbs: Verbs, jobs: Sequence[NewJob], *, apart: bool = False, borrowed: bool = False
) -> Script[list[Enqueued | TenureError]]:
    """What became of each: a new row, the known one, or the clash with it."""
    newer = {place: job for place, job in enumerate(jobs) if isinstance(job, NewerJob)}
    if newer:
        return (yield from _recorded_apart(verbs, jobs, newer, apart=apart, borrowed=borrowed))
    inserted = yield from verbs.insert(jobs, apart=apart)
    ordered = [job for job in jobs if job.order_key is not None]
    answers = yield from _answers(verbs, jobs, inserted)
    return answers if not ordered else (yield from _lined_up(verbs, ordered, answers, borrowed=borrowed))


def _lined_up(
    verbs: Verbs, ordered: Sequence[NewJob], answers: list[Enqueued | TenureError], *, borrowed: bool
) -> Script[list[Enqueued | TenureError]]:
    """The answers, once whoever is first in its line has become the head of it."""
    fresh = {answer.id for answer in answers if isinstance(answer, Enqueued) and answer.created}
    joined = [job for job in ordered if job.id in fresh]
    keys = dict.fromkeys((job.tenant, job.order_key or "") for job in joined)
    if not keys:
        return answers
    yield from verbs.line_up(keys, borrowed=borrowed)
    rows = yield from verbs.read([job.id for job in joined])
    return [
        Enqueued(answer.id, True, rows[answer.id])
        if isinstance(answer, Enqueued) and answer.created and answer.id in rows
        else answer
        for answer in answers
    ]


def _answers(verbs: Verbs, jobs: Sequence[NewJob], inserted: Inserted) -> Script[list[Enqueued | TenureError]]:
    created, now, row = inserted.created, inserted.now, intake.row
    if len(created) == len(jobs):
        return [Enqueued(job.id, True, partial(row, job, created[job.id], now)) for job in jobs]
    fresh = dict(created)
    known = yield from known_rows(verbs, [job for job in jobs if fresh.pop(job.id, None) is None])
    fresh = dict(created)
    answers: list[Enqueued | TenureError] = []
    for job in jobs:
        seq = fresh.pop(job.id, None)
        answers.append(
            same_or_clash(job, known) if seq is None else Enqueued(job.id, True, partial(row, job, seq, now))
        )
    return answers


def _recorded_apart(
    verbs: Verbs, jobs: Sequence[NewJob], newer: dict[int, NewerJob], *, apart: bool, borrowed: bool
) -> Script[list[Enqueued | TenureError]]:
    """Those with a supersession key first: the others join their transaction, where one is open, and where one of them
    is refused all are, unless they are apart."""
    answers = dict(zip(newer, (yield from enqueue_newer(verbs, list(newer.values()))), strict=True))
    if not apart and any(isinstance(answer, TenureError) for answer in answers.values()):
        return list(answers.values())
    plain = [job for place, job in enumerate(jobs) if place not in newer]
    others = iter((yield from _recorded(verbs, plain, apart=apart, borrowed=borrowed)) if plain else [])
    return [answers[place] if place in answers else next(others) for place in range(len(jobs))]


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
