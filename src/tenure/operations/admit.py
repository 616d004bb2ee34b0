"""Enqueue where a capacity may stand: as `operations.enqueue`, as far as there is room.

The order is that of every enqueue: who is known by key or id is answered whatever waits, so a key is looked up before a
job is refused. No lock is held. What the system makes itself (retries, redrives, occurrences of schedules) does not
come through here: it is accepted, and counts.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

import msgspec
from msgspec.structs import replace

from tenure.core.errors import QueueFull, TenureError
from tenure.core.flow import capacity
from tenure.core.flow.capacity import Full
from tenure.core.flow.place import Place
from tenure.core.intake import run_at
from tenure.core.job import NewJob
from tenure.core.kind import Kind
from tenure.operations.enqueue import Enqueued, enqueue, enqueue_each, known_rows, row_of
from tenure.operations.enqueue_newer import takers_of_places
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Drain(msgspec.Struct, frozen=True):
    """seconds: until what waits is worked off, None where that is unknown. now: the store's instant."""

    seconds: float | None
    now: datetime


class Loads(Protocol):
    """What a process knows of capacities and of what waits under them (`app.databases.loads`)."""

    def look(self, verbs: Verbs, jobs: Sequence[NewJob], *, borrowed: bool = False) -> Script[None]:
        """Asks the database what is not known of the places of these jobs, or was known too long ago. What an old
        transaction of the caller's sees (borrowed) is no news for anybody else."""

    def take(self, jobs: Sequence[NewJob]) -> list[Full | None]:
        """As `core.flow.capacity.judged`; who gets in is counted."""

    def give_back(self, jobs: Sequence[NewJob]) -> None:
        """These were counted, and are not stored."""

    def keep(self, jobs: Sequence[NewJob]) -> None:
        """These were counted, and are stored."""

    def drain(self, verbs: Verbs, place: Place) -> Script[Drain]: ...


def enqueue_admitted(
    verbs: Verbs, jobs: Sequence[NewJob], kinds: Sequence[Kind], loads: Loads, *, borrowed: bool = False
) -> Script[list[Enqueued]]:
    """As `enqueue`: all of them, or none. Raises QueueFull besides."""
    admitted, counted = yield from _admitted(verbs, jobs, loads, borrowed=borrowed)
    try:
        for verdict in admitted:
            if isinstance(verdict, QueueFull):
                raise _of_all(verdict, len(jobs))
        let_in = [job for job in admitted if isinstance(job, NewJob)]
        answers = yield from enqueue(verbs, let_in, kinds, borrowed=borrowed)
    except BaseException:
        loads.give_back(counted)
        raise
    _settle(loads, counted, answers)
    return answers


def enqueue_each_admitted(
    verbs: Verbs, jobs: Sequence[NewJob], kinds: Sequence[Kind], loads: Loads
) -> Script[list[Enqueued | TenureError]]:
    """As `enqueue_each`: a verdict for each."""
    admitted, counted = yield from _admitted(verbs, jobs, loads)
    try:
        answers = yield from enqueue_each(verbs, [job for job in admitted if isinstance(job, NewJob)], kinds)
    except BaseException:
        loads.give_back(counted)
        raise
    _settle(loads, counted, answers)
    left = iter(answers)
    return [verdict if isinstance(verdict, QueueFull) else next(left) for verdict in admitted]


def _admitted(
    verbs: Verbs, jobs: Sequence[NewJob], loads: Loads, *, borrowed: bool = False
) -> Script[tuple[list[NewJob | QueueFull], list[NewJob]]]:
    """For each job the one to insert, or why it gets no room; and those that were counted."""
    yield from loads.look(verbs, jobs, borrowed=borrowed)
    verdicts = loads.take(jobs)
    if not any(verdicts):
        return list(jobs), list(jobs)
    loads.give_back(capacity.let_in(jobs, verdicts))
    known = yield from known_rows(verbs, jobs)
    roomy = yield from takers_of_places(verbs, [job for job in jobs if row_of(job, known) is None])
    fresh = [job for job in jobs if row_of(job, known) is None and job.id not in roomy]
    verdicts = loads.take(fresh)
    counted = capacity.let_in(fresh, verdicts)
    try:
        judged = yield from _put(verbs, fresh, verdicts, loads)
    except BaseException:
        loads.give_back(counted)
        raise
    left = iter(judged)
    asked = {job.id for job in fresh}
    return [next(left) if job.id in asked else job for job in jobs], counted


def _put(
    verbs: Verbs, jobs: Sequence[NewJob], verdicts: Sequence[Full | None], loads: Loads
) -> Script[list[NewJob | QueueFull]]:
    """Those that meet a full place are refused or put off, unless they are accepted whatever waits."""
    put: list[NewJob | QueueFull] = []
    for job, full in zip(jobs, verdicts, strict=True):
        if full is None or job.policy.when_full == "accept":
            put.append(job)
            continue
        drain = yield from loads.drain(verbs, full.capacity.place)
        later = _put_off(job, drain) if job.policy.when_full == "delay" else None
        put.append(capacity.refusal(full, drain.seconds) if later is None else later)
    return put


def _put_off(job: NewJob, drain: Drain) -> NewJob | None:
    """None: it could not start before its deadline."""
    wait = timedelta(seconds=capacity.delay(drain.seconds))
    due = max(run_at(job, drain.now), drain.now + wait)
    return None if job.deadline is not None and job.deadline < due else replace(job, run_at=due, delay=None)


def _of_all(refusal: QueueFull, jobs: int) -> QueueFull:
    """The refusal of a call with so many jobs."""
    if refusal.capacity is not None and jobs > max(1, refusal.capacity):
        refusal.hint = "So many together may never fit: send fewer at a time."  # type: ignore[misc]
    return refusal


def _settle(loads: Loads, counted: Sequence[NewJob], answers: Sequence[Enqueued | TenureError]) -> None:
    """Of what was counted only what is new waits now."""
    made = {answer.id for answer in answers if isinstance(answer, Enqueued) and answer.created}
    loads.keep([job for job in counted if job.id in made])
    loads.give_back([job for job in counted if job.id not in made])
