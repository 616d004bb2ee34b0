"""Enqueue with a supersession key: the newest job of a key stands, older ones that wait give way to it."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from tenure.core import intake
from tenure.core.errors import RetryTransaction, TenureError
from tenure.core.flow import supersession
from tenure.core.flow.newer_job import NewerJob
from tenure.core.job import NewJob
from tenure.core.states import WAITING
from tenure.operations.known_jobs import Enqueued, known_rows, row_of, same_or_clash
from tenure.operations.order import written
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

_ROUNDS: Final = 20
"""Each is lost to a rival who has committed a newer job meanwhile."""


def enqueue_newer(verbs: Verbs, jobs: Sequence[NewerJob]) -> Script[list[Enqueued | TenureError]]:
    """An answer for each, in order. Who is known by id or idempotency key supersedes nobody.

    Raises RetryTransaction: an older job gave way to one that turned out to be known by a key that a rival wrote at
    that moment, or rivals come too fast.
    """
    answers: dict[int, Enqueued | TenureError] = {}
    gave_way_to: set[str] = set()
    yield from verbs.take_turns({supersession.standing_of(job) for job in jobs})
    for _ in range(_ROUNDS):
        left = {place: job for place, job in enumerate(jobs) if place not in answers}
        answers |= yield from _known(verbs, left)
        turn = _first_of_each_identity({place: job for place, job in left.items() if place not in answers})
        if not turn:
            break
        answers |= yield from _inserted(verbs, turn, gave_way_to)
    else:
        raise RetryTransaction("others keep enqueueing newer jobs of the same supersession key")
    created = {answer.id for answer in answers.values() if isinstance(answer, Enqueued) and answer.created}
    if not gave_way_to <= created:
        raise RetryTransaction("the job that others gave way to is known already, by a key that was written meanwhile")
    return [answers[place] for place in range(len(jobs))]


def _known(verbs: Verbs, left: Mapping[int, NewerJob]) -> Script[dict[int, Enqueued | TenureError]]:
    if not left:
        return {}
    known = yield from known_rows(verbs, list(left.values()))
    return {place: same_or_clash(job, known) for place, job in left.items() if row_of(job, known) is not None}


def _first_of_each_identity(left: Mapping[int, NewerJob]) -> dict[int, NewerJob]:
    """A job twice in one batch is inserted once; the second finds the first in the next round."""
    seen: set[object] = set()
    turn = {}
    for place, job in left.items():
        names = {job.id} | ({(job.tenant, job.kind, job.idempotency_key)} if job.idempotency_key is not None else set())
        if not names & seen:
            turn[place] = job
        seen |= names
    return turn


def _inserted(
    verbs: Verbs, turn: Mapping[int, NewerJob], gave_way_to: set[str]
) -> Script[dict[int, Enqueued | TenureError]]:
    """Those of this round that are rows now. Notes to whom others gave way."""
    held = yield from verbs.hold_standing({supersession.standing_of(job) for job in turn.values()})
    step = supersession.step(list(turn.values()), held.jobs.values(), held.now)
    if step.superseded:
        yield from written(verbs, step.superseded)
    inserted = yield from verbs.insert_newer(step.new)
    made = {job.id: job for job in step.new if job.id in inserted.created}
    gave_way_to |= {move.after.superseded_by for move in step.superseded if move.after.superseded_by is not None}
    gave_way_to |= {job.superseded_by for job in made.values() if job.superseded_by is not None}
    return {
        place: Enqueued(job.id, True, partial(intake.row, made[job.id], inserted.created[job.id], inserted.now))
        for place, job in turn.items()
        if job.id in made
    }


def takers_of_places(verbs: Verbs, jobs: Sequence[NewJob]) -> Script[set[str]]:
    """The ids of those that take the place of a job that waits, or give their own to a later one of the batch, and so
    need no room beside it; what they replace is held."""
    newer = [job for job in jobs if isinstance(job, NewerJob)]
    if not newer:
        return set()
    last = {supersession.standing_of(job): job.id for job in newer}
    held = yield from verbs.hold_standing(last.keys())
    replaced = {supersession.standing_of(row) for row in held.jobs.values() if row.state in WAITING}
    return {job.id for job in newer} - {job_id for place, job_id in last.items() if place not in replaced}
