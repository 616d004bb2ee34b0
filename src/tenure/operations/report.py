"""Report: the owner of an attempt says how it ended. Complete, fail, release and snooze, in one batch."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import msgspec

from tenure.core import defaults, standing, transitions
from tenure.core.attempt import ErrorClass, Outcome
from tenure.core.flow import order
from tenure.core.job import Job
from tenure.core.ledger import required_effects
from tenure.core.reports import Answer, Completion, Failure, Report, Standing
from tenure.core.retry import bounded, later
from tenure.core.secrecy import secret_fields
from tenure.core.states import State
from tenure.core.transitions import Transition
from tenure.operations.aware_of_newer import aware_of_newer
from tenure.operations.order import Written, written
from tenure.operations.return_tokens import return_tokens
from tenure.stores.protocol import Verbs
from tenure.stores.reading import Slowdown
from tenure.stores.script import Script


def report(verbs: Verbs, reports: Sequence[Report]) -> Script[list[Answer]]:
    """An answer for each report, in order.

    Completions by the owner are written in one statement; everything else is read, decided and written under
    the rows' locks. A job named twice is judged in the order given.
    """
    completions = lone_completions(reports)
    done = set((yield from verbs.complete(completions))) if completions else set()
    return (yield from answered(verbs, reports, done))


def lone_completions(reports: Sequence[Report]) -> list[Completion]:
    """The completions of jobs that are named once: a store answers by job, and could not say whose token stood."""
    completions = [item for item in reports if isinstance(item, Completion)]
    if len({item.job_id for item in reports}) == len(reports):
        return completions
    named = Counter(item.job_id for item in reports)
    return [item for item in completions if named[item.job_id] == 1]


def answered(verbs: Verbs, reports: Sequence[Report], done: set[str]) -> Script[list[Answer]]:
    """As `report`. done: the ids of jobs whose completion is written already."""
    answers = [
        Answer(item.job_id, Standing.DONE, State.SUCCEEDED, Outcome.SUCCEEDED) if item.job_id in done else None
        for item in reports
    ]
    while left := [place for place, answer in enumerate(answers) if answer is None]:
        batch = _first_of_each_job(reports, left)
        settled = yield from _settle(verbs, [reports[place] for place in batch])
        for place, answer in zip(batch, settled, strict=True):
            answers[place] = answer
    return [answer for answer in answers if answer is not None]


def _first_of_each_job(reports: Sequence[Report], left: Sequence[int]) -> list[int]:
    first: dict[str, int] = {}
    for place in left:
        first.setdefault(reports[place].job_id, place)
    return list(first.values())


def _settle(verbs: Verbs, reports: Sequence[Report]) -> Script[list[Answer]]:
    """Read, decide, write; one report a job."""
    locked = yield from verbs.lock([r.job_id for r in reports])
    jobs = locked.jobs
    reports = [secret_fields.stored(r, jobs.get(r.job_id)) for r in reports]
    owned = {r.job_id: r for r in reports if standing.owns(jobs.get(r.job_id), r)}
    held = yield from _held_to_their_effects(verbs, owned, jobs)
    aware = yield from aware_of_newer(verbs, [jobs[i] for i, r in held.items() if not isinstance(r, Completion)])
    decided = [transitions.end(aware.get(job_id, jobs[job_id]), locked.now, item) for job_id, item in held.items()]
    done = yield from written(verbs, decided)
    answers = {t.after.id: _told(t, done) for t in decided if t.after.id in done.applied}
    yield from return_tokens(verbs, [t.before for t in decided if t.after.id in answers and _never_began(t)])
    yield from _slow_down(verbs, [(jobs[r.job_id], r) for r in owned.values()], locked.now)
    others = [r for r in reports if r.job_id not in answers]
    if others:
        answers |= yield from _answer_others(verbs, others, jobs, locked.now)
    return [answers[r.job_id] for r in reports]


def _held_to_their_effects(verbs: Verbs, owned: dict[str, Report], jobs: dict[str, Job]) -> Script[dict[str, Report]]:
    """A completion whose job lacks a required effect becomes the failure that it is."""
    completions = {
        job_id: item for job_id, item in owned.items() if isinstance(item, Completion) and jobs[job_id].policy.effects
    }
    if not completions:
        return owned
    ledgers = yield from verbs.effects(list(completions))
    refused = {
        job_id: refusal
        for job_id, item in completions.items()
        if (refusal := required_effects.refusal(jobs[job_id], ledgers[job_id], item)) is not None
    }
    return owned | refused


def _told(move: Transition, done: Written) -> Answer:
    key = order.key_of(move.before)
    queue = None if key is None or not order.gives_way(move.before, move.after) else done.next.get(key)
    return msgspec.structs.replace(standing.of_applied(move), next_queue=queue)


def _never_began(move: Transition) -> bool:
    return move.attempt is not None and not move.attempt.begun


def _answer_others(
    verbs: Verbs, reports: Sequence[Report], jobs: dict[str, Job], now: datetime
) -> Script[dict[str, Answer]]:
    history = yield from verbs.attempts([r.job_id for r in reports if r.job_id in jobs])
    answers, notes = {}, {}
    for item in reports:
        ended = standing.matching(history.get(item.job_id, []), item)
        answers[item.job_id] = standing.of_other(jobs.get(item.job_id), item, ended)
        note = standing.late_report(item, ended, now)
        if note is not None and ended is not None:
            notes[ended.job_id, ended.number] = note
    if notes:
        yield from verbs.note_late(notes)
    return answers


def _slow_down(verbs: Verbs, owned: Sequence[tuple[Job, Report]], now: datetime) -> Script[None]:
    for job, item in owned:
        rest = _rest(job, item) if isinstance(item, Failure) else 0.0
        if rest > 0 and isinstance(item, Failure):
            yield from verbs.slow_down(Slowdown(job.tenant, job.kind, later(now, rest), item.code))


def _rest(job: Job, item: Failure) -> float:
    """Seconds for which the other jobs of the kind wait."""
    is_of_kind = item.error_class is ErrorClass.THROTTLED and item.scope == "kind"
    wished = (item.wait or job.policy.backoff_base) if is_of_kind else 0.0
    return bounded(max(wished, item.slow), defaults.KIND_THROTTLE_CAP)
