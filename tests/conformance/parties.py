"""Several stores that are asked the same, and must answer the same."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from tenure.core import closing
from tenure.core.attempt import Attempt, ErrorClass, Outcome
from tenure.core.claim import Claimed
from tenure.core.errors import TenureError
from tenure.core.flow.order import HEAD, OnFailure, OrderKey, next_head
from tenure.core.job import FIXED, Job, NewJob
from tenure.core.job_filter import JobFilter
from tenure.core.lease import Lease
from tenure.core.ledger import required_effects
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import Effect
from tenure.core.ledger.effects import Begin
from tenure.core.reports import Completion
from tenure.core.states import TERMINAL, Event, State
from tenure.core.transitions import Transition
from tenure.operations.enqueue import Enqueued, enqueue
from tenure.operations.expire import Swept
from tenure.operations.order import written
from tenure.operations.run_schedule import RunNow
from tenure.operations.settle_effect import SettleAnswer
from tenure.stores.protocol import Store, Verbs
from tenure.stores.reading import Count
from tenure.stores.script import Script, T
from tests.conformance.sequences_of_supersession import check_standing

KEPT = (*sorted(FIXED), "queue", "version", "priority", "max_attempts", "run_time_limit", "policy")
"""What no transition may drop."""


class Refused(msgspec.Struct, frozen=True):
    """An error as an answer."""

    error: str
    message: str


class Party:
    """One store, and the laws that its rows must keep over a sequence."""

    def __init__(self, name: str, store: Store) -> None:
        self.name, self.store = name, store
        self.highest_fencing_token = 0
        self.seen: dict[str, Job] = {}
        self.redriven_at: dict[str, int] = {}
        self.pending: list[list[Transition]] = []

    def answer(self, script: Callable[[Verbs], Script[T]]) -> T | Refused:
        try:
            return self.store.run(script(self.store.verbs))
        except (TenureError, LookupError) as error:
            return Refused(type(error).__name__, str(error))

    def enqueued_alone(self, job: NewJob) -> list[Enqueued] | Refused:
        """By the short way where the store has one, as an application enqueues."""
        row = self.store.insert_alone(job)
        return self.answer(lambda verbs: enqueue(verbs, [job])) if row is None else [Enqueued(job.id, True, row)]

    def rows(self) -> tuple[list[Job], dict[str, list[Attempt]]]:
        def script(verbs: Verbs) -> Script[tuple[list[Job], dict[str, list[Attempt]]]]:
            jobs = yield from verbs.list_jobs(JobFilter(), None, 10_000)
            history = yield from verbs.attempts([job.id for job in jobs])
            last = yield from verbs.last_attempts([job.id for job in jobs])
            pasts = {job.id: past[-1] for job in jobs if (past := history[job.id]) and past[-1].number == job.attempt}
            assert last == {job_id: closing.of_attempt(attempt) for job_id, attempt in pasts.items()}
            return jobs, history

        return self.store.run(script(self.store.verbs))

    def ledgers(self, jobs: Sequence[Job]) -> dict[str, tuple[list[Effect], list[Checkpoint]]]:
        """Effects and checkpoints by job id."""

        def script(verbs: Verbs) -> Script[dict[str, tuple[list[Effect], list[Checkpoint]]]]:
            effects = yield from verbs.effects([job.id for job in jobs])
            found = {}
            for job in jobs:
                found[job.id] = effects[job.id], (yield from verbs.checkpoints(job.id))
            return found

        return self.store.run(script(self.store.verbs))

    def note_claim(self, leases: Sequence[Lease]) -> None:
        tokens = [lease.fencing_token for lease in leases]
        assert len(set(tokens)) == len(tokens)
        assert all(token > self.highest_fencing_token for token in tokens), f"{self.name}: a fencing token fell"
        self.highest_fencing_token = max([self.highest_fencing_token, *tokens])

    def check_laws(self, jobs: list[Job], history: Mapping[str, list[Attempt]]) -> None:
        for job in jobs:
            before = self.seen.get(job.id, job)
            # Deleted by retention, and enqueued anew under the same id: SQLite may give its old number again.
            if before.seq != job.seq or before.created_at < job.created_at:
                before = job
                self.redriven_at.pop(job.id, None)
            assert all(getattr(job, name) == getattr(before, name) for name in KEPT), f"{self.name}: a property is lost"
            assert before.state is not State.SUCCEEDED or job.state is State.SUCCEEDED
            assert job.attempt >= before.attempt
            assert (job.payload is None) == (job.payload_expired_at is not None)
            assert job.payload == (None if job.payload_expired_at else before.payload)
            assert job.payload_expired_at is None or job.state in TERMINAL, f"{self.name}: a payload is lost"
            assert (job.state is State.RUNNING) == (job.lease_token is not None) == (job.lease_expires_at is not None)
            numbers = [attempt.number for attempt in history[job.id]]
            assert numbers == sorted(set(numbers))
            if job.pruned_at is None:
                assert len(numbers) == job.attempt - (job.state is State.RUNNING), f"{self.name}: history has a gap"
                since = [a for a in history[job.id] if a.number > self.redriven_at.get(job.id, 0)]
                assert counted(since) == stored(job), f"{self.name}: counters differ from history"
            self.seen[job.id] = job


def check_lines(jobs: Sequence[Job]) -> None:
    """Of each order key only the head may run, and where somebody waits there is one, or a job that stops the key."""
    lines: dict[OrderKey, list[Job]] = {}
    for job in jobs:
        assert job.order_key is not None or (job.order_place, job.on_failure) == (None, None)
        stands = job.state not in TERMINAL or (job.state is State.FAILED and job.on_failure is OnFailure.STOP)
        assert job.order_key is None or (job.order_place is not None) == stands, f"{job.id} lacks its place"
        if job.order_key is not None and stands:
            lines.setdefault((job.tenant, job.order_key), []).append(job)
    for line in lines.values():
        places = [job.order_place for job in line]
        assert len(set(places)) == len(places)
        assert all(
            (job.order_place == HEAD) == (job.state is not State.BLOCKED) for job in line if job.state not in TERMINAL
        )
        assert next_head(line) is None, "a line has no head"


def check_required(jobs: Sequence[Job], ledgers: Mapping[str, Sequence[Effect]]) -> None:
    """No job has succeeded whose completion its ledger forbids."""
    for job in jobs:
        if job.state is State.SUCCEEDED:
            refused = required_effects.refusal(job, ledgers[job.id], Completion(job.id, ""))
            assert refused is None, f"job {job.id} succeeded: {refused.error}"


def stored(job: Job) -> dict[str, int]:
    names = ("tries", "unknowns", "losses", "throttles", "releases", "returns", "snoozes")
    return {name: getattr(job, name) for name in names}


def counted(history: Sequence[Attempt]) -> dict[str, int]:
    """The counters of a job as its history tells them (no budget of releases is reached in a sequence)."""
    classes = [attempt.error_class for attempt in history]
    outcomes = [attempt.outcome for attempt in history]
    costly = (ErrorClass.RETRYABLE, ErrorClass.UNKNOWN, ErrorClass.TERMINAL, ErrorClass.UNCERTAIN)
    return {
        "tries": sum(error_class in costly for error_class in classes),
        "unknowns": classes.count(ErrorClass.UNKNOWN),
        "losses": outcomes.count(Outcome.LEASE_EXPIRED),
        "throttles": classes.count(ErrorClass.THROTTLED),
        "releases": sum(a.outcome is Outcome.RELEASED and a.begun for a in history),
        "returns": sum(a.outcome is Outcome.RELEASED and not a.begun for a in history),
        "snoozes": outcomes.count(Outcome.SNOOZED),
    }


class Parties:
    """The first party is the oracle; `trace` tells a failing sequence."""

    def __init__(self, stores: Mapping[str, Store]) -> None:
        self.parties = [Party(name, store) for name, store in stores.items()]
        self.trace: list[str] = []

    def ask(self, what: str, script: Callable[[Verbs], Script[T]]) -> Any:
        """The oracle's answer, once all have given the same."""
        self.trace.append(what)
        answers = [party.answer(script) for party in self.parties]
        for party, answer in zip(self.parties, answers, strict=True):
            for claimed in answer if isinstance(answer, tuple) else [answer]:
                if isinstance(claimed, Claimed):
                    fresh = [x for x in claimed.leases if x.fencing_token > party.highest_fencing_token]
                    party.note_claim(claimed.leases if what != "claim again" else fresh)
        self._same(what, [plain(answer) for answer in answers])
        return answers[0]

    def enqueue_alone(self, job: NewJob) -> Any:
        """The oracle's answer to one plain job, once all have given the same."""
        self.trace.append("enqueue alone")
        answers = [party.enqueued_alone(job) for party in self.parties]
        self._same("enqueue alone", [plain(answer) for answer in answers])
        return answers[0]

    def decide(self, what: str, script: Callable[[Verbs], Script[list[Transition]]]) -> None:
        decided: list[Any] = [party.answer(script) for party in self.parties]
        self.trace.append(f"decide {what}")
        self._same(what, [plain(moves) for moves in decided])
        for party, moves in zip(self.parties, decided, strict=True):
            if moves:
                party.pending.append(moves)

    def apply_decided(self, which: float) -> None:
        """Applies what was decided earlier; `which` in [0, 1) picks the batch."""
        self.trace.append("apply")
        answers = []
        for party in self.parties:
            if party.pending:
                moves = party.pending.pop(int(which * len(party.pending)))
                applied = party.store.run(written(party.store.verbs, moves)).applied
                answers.append(applied)
                self._note_redrives(party, moves, applied)
        self._same("apply", answers)

    def _note_redrives(self, party: Party, moves: Sequence[Transition], applied: set[str]) -> None:
        for move in moves:
            if move.event is Event.REDRIVE and move.after.id in applied:
                party.redriven_at[move.after.id] = move.after.attempt

    def compare_rows(self) -> None:
        """All rows and all history of every party, and the laws."""
        found = [party.rows() for party in self.parties]
        self._same("rows", [plain(jobs) for jobs, _ in found])
        self._same("history", [{key: plain(rows) for key, rows in history.items()} for _, history in found])
        ledgers = [party.ledgers(jobs) for party, (jobs, _) in zip(self.parties, found, strict=True)]
        self._same("ledgers", [{key: plain(rows) for key, rows in ledger.items()} for ledger in ledgers])
        for party, (jobs, history), ledger in zip(self.parties, found, ledgers, strict=True):
            party.check_laws(jobs, history)
            check_standing(party.name, jobs)
            check_lines(jobs)
            check_required(jobs, {job_id: effects for job_id, (effects, _) in ledger.items()})

    def _same(self, what: str, answers: Sequence[Any]) -> None:
        for party, answer in zip(self.parties, answers, strict=False):
            if answer != answers[0]:
                steps = " → ".join(self.trace[-30:])
                raise AssertionError(
                    f"{party.name} differs in «{what}» after {len(self.trace)} steps: {steps}\n"
                    f"oracle: {answers[0]!r}\n{party.name}: {answer!r}\ndifference: {difference(answers[0], answer)}"
                )


def plain(answer: Any) -> Any:
    """An answer without the numbers that each database counts for itself."""
    match answer:
        case Enqueued():
            return answer.id, answer.created, plain(answer.job)
        case Job() | Attempt() | Lease():
            own = {"seq": 0, "order_place": rank(answer.order_place)} if isinstance(answer, Job) else {}
            fencing = None if answer.fencing_token is None else 1
            return msgspec.structs.replace(answer, fencing_token=fencing, **own)
        case Transition():
            return answer.event, plain(answer.before), plain(answer.after), plain(answer.attempt)
        case Effect():
            return msgspec.structs.replace(answer, args_digest="", fencing_token=1)
        case Checkpoint():
            return msgspec.structs.replace(answer, fencing_token=1)
        case SettleAnswer():
            return answer.happened, plain(answer.effect)
        case RunNow():
            return answer.schedule, plain(answer.job)
        case Begin():
            return answer.what, plain(answer.effect), answer.wait
        case Claimed():
            given = answer.given if answer.leases else None
            return answer.now, plain(list(answer.leases)), answer.after, answer.owed, answer.waits_for, given
        case Swept():
            ended = sorted((plain(move) for move in answer.ended), key=lambda move: move[1].id)
            return answer.now, answer.seen, ended
        case [Count(), *_]:
            return sorted(answer, key=lambda count: (count.queue, count.kind, count.state))
        case list() | tuple():
            return [plain(item) for item in answer]
        case _:
            return answer


def rank(place: int | None) -> int | None:
    """Whether it is the head, or stands behind."""
    return None if place is None else min(place, 1)


def difference(left: Any, right: Any) -> str:
    """Where two answers part, field by field where they have fields."""
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)) and len(left) == len(right):
        return "; ".join(difference(a, b) for a, b in zip(left, right, strict=True) if a != b)
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        return "; ".join(f"{key}: {difference(left[key], right[key])}" for key in left if left[key] != right[key])
    if isinstance(left, msgspec.Struct) and type(left) is type(right):
        mine, theirs = msgspec.structs.asdict(left), msgspec.structs.asdict(right)
        return str({name: (mine[name], theirs[name]) for name in mine if mine[name] != theirs[name]})
    return f"{left!r} ≠ {right!r}"
