"""What the demo claims at its end, each claim checked against the database and the files on disk."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from statements import book
from statements.app import app
from statements.jobs import Asked
from statements.workers import WorkerProcess
from tenure.core.attempt import Attempt, Outcome
from tenure.core.job import Job
from tenure.core.ledger.effect import Effect
from tenure.core.payloads import documents
from tenure.core.states import State

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Check:
    """One claim, whether it holds, and what speaks against it."""

    claim: str
    against: Sequence[str] = ()

    @property
    def holds(self) -> bool:
        return not self.against


@dataclass(frozen=True, slots=True)
class Done:
    """The jobs of a ledger with their attempts and effects, in the order in which they were asked for."""

    jobs: Sequence[Job]
    attempts: dict[str, list[Attempt]]
    effects: dict[str, list[Effect]]


def read(asked: Asked) -> Done:
    """Their rows, history and effects as the database has them now."""
    store, ids = app.opened(), list(dict.fromkeys(job.id for job in asked.jobs))
    rows: dict[str, Job] = {}
    attempts: dict[str, list[Attempt]] = {}
    effects: dict[str, list[Effect]] = {}
    for start in range(0, len(ids), _BATCH):
        rows |= store.run(store.verbs.read(ids[start : start + _BATCH]))
        attempts |= store.run(store.verbs.attempts(ids[start : start + _BATCH]))
        effects |= store.run(store.verbs.effects(ids[start : start + _BATCH]))
    return Done([rows[job_id] for job_id in ids], attempts, effects)


def checks(asked: Asked, done: Done, out: Path, killed: Sequence[WorkerProcess]) -> Iterator[Check]:
    """Every claim of the summary."""
    number = len(asked.jobs)
    asked_for = f"{counted(number, 'statement')} asked for, {counted(number, 'job')}, each succeeded"
    yield Check(asked_for, list(_unfinished(done)))
    on_disk = f"{counted(number, 'PDF file')} on disk, each with the SHA-256 and length on record"
    yield Check(on_disk, list(_wrong_files(done, out)))
    in_book = f"{counted(number, 'row')} in the book, each committed with the success of its job"
    yield Check(in_book, list(_wrong_rows(done)))
    yield Check("none was made twice: one name and one successful attempt for each", list(_doubles(done)))
    yield Check("no unfinished file is left behind", [path.name for path in out.glob(".*.part")])
    for worker in killed:
        ids = {job.id for job in worker.interrupted}
        over = counted(len(ids), "statement")
        claim = f"the {over} that {worker.name} was killed over took a second attempt, and it succeeded"
        yield Check(claim, _not_recovered(done, ids) if ids else ["it was running none"])
    if asked.refused:
        names = [f"{each.account} {each.month}: job {each.job_id} made it from other entries" for each in asked.refused]
        yield Check("the ledger holds what it held when its statements were asked for", names)


def counted(number: int, noun: str) -> str:
    """`1 job`, `2 jobs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def second_attempts(done: Done) -> Iterator[str]:
    """Which jobs took more than one attempt, and why."""
    for job in done.jobs:
        for attempt in done.attempts[job.id][:-1]:
            process = documents.load(attempt.holder or "{}").get("process")
            held = f"{attempt.worker.partition('-')[0]} (process {process})"
            ended = f"ended {attempt.outcome}, {attempt.error_code}"
            yield f"{job.idempotency_key}: attempt {attempt.number} of {held} {ended}"


def reused(done: Done) -> list[Job]:
    """Jobs whose file an earlier attempt had finished, so that the one that succeeded made nothing."""
    return [job for job in done.jobs if any(row.attempt < job.attempt for row in done.effects[job.id])]


def _unfinished(done: Done) -> Iterator[str]:
    for job in done.jobs:
        if job.state is not State.SUCCEEDED:
            yield f"{job.idempotency_key} is {job.state}: {job.end_code or job.last_error_code or ''} {job.error or ''}"


def _wrong_files(done: Done, out: Path) -> Iterator[str]:
    expected = set()
    for job in done.jobs:
        result = documents.load(job.result) if job.result else None
        if result is None:
            continue
        expected.add(result["file"])
        place = out / result["file"]
        data = place.read_bytes() if place.is_file() else None
        if data is None:
            yield f"{place.name} is missing in this folder"
        elif (hashlib.sha256(data).hexdigest(), len(data)) != (result["sha256"], result["bytes"]):
            yield f"{place.name} is not what its job recorded"
    found = len({path.name for path in out.glob("*.pdf")} & expected)
    if found != len(done.jobs):
        yield f"{found} files for {len(done.jobs)} statements"


def _wrong_rows(done: Done) -> Iterator[str]:
    entered = book.entered(app.url)
    for job in done.jobs:
        result = documents.load(job.result) if job.result else None
        if result is None:
            continue
        if entered.get(result["file"]) != (result["sha256"], result["bytes"], job.id):
            yield f"the row of {result['file']} is not what its job recorded"
    with_success = {job.id for job in done.jobs if job.state is State.SUCCEEDED}
    of_these = {job.id for job in done.jobs}
    for name, (_, _, job_id) in entered.items():
        if job_id in of_these - with_success:
            yield f"{name} is in the book, and its job has not succeeded"


def _doubles(done: Done) -> Iterator[str]:
    names = Counter(documents.load(job.result)["file"] for job in done.jobs if job.result)
    yield from (f"{name} was made by {number} jobs" for name, number in names.items() if number > 1)
    for job in done.jobs:
        successes = sum(attempt.outcome is Outcome.SUCCEEDED for attempt in done.attempts[job.id])
        if successes > 1:
            yield f"{job.idempotency_key} succeeded {successes} times"


def _not_recovered(done: Done, interrupted: set[str]) -> list[str]:
    wrong = []
    for job in done.jobs:
        outcomes = [attempt.outcome for attempt in done.attempts[job.id]]
        if job.id in interrupted and (outcomes[0], outcomes[-1]) != (Outcome.LEASE_EXPIRED, Outcome.SUCCEEDED):
            wrong.append(f"{job.idempotency_key}: {', '.join(outcomes)}")
    return wrong
