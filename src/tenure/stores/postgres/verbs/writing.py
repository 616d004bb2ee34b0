"""The scripts that write, but for the claim."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from tenure.core import defaults
from tenure.core.attempt import LateReport
from tenure.core.flow.demand import PLAIN
from tenure.core.flow.place import Place
from tenure.core.job import CHANGING, Job, NewJob
from tenure.core.kind import Kind
from tenure.core.lease import Beat, BeatAnswer
from tenure.core.reports import Completion
from tenure.core.retention import Retention
from tenure.core.secrecy.secret_fields import SecretFields
from tenure.core.transitions import Transition
from tenure.stores.postgres import inserting, statements, wire
from tenure.stores.postgres.verbs.reading import Asking
from tenure.stores.protocol import AuditLine, Inserted, Locked, Promoted
from tenure.stores.reading import Slowdown
from tenure.stores.script import Rows, Script, Statement

_PRUNED_MEANWHILE: Final = 5

Told: TypeAlias = tuple[str, str, str | None, str | None]
"""A completion's job id, token, result and progress."""


class WriteVerbs(Asking):
    def insert(self, jobs: Sequence[NewJob], *, apart: bool = False) -> Script[Inserted]:
        if len(jobs) == 1 and jobs[0].order_key is None:
            rows = yield self._insert_one(jobs[0])
            if rows:
                return wire.utc(wire.INSERTED.decode(wire.answer(rows)))
        if any(job.order_key is not None for job in jobs):
            return (yield from self._insert_ordered(jobs))
        name, said = inserting.batch(jobs)
        rows = yield self.ask(name, **said, commits=apart or len(jobs) == 1)
        inserted = inserting.inserted(rows, jobs)
        left = [job for job in jobs if job.id not in inserted.created]
        return inserted if not left else (yield from self._insert_or_hold(inserted, left))

    def _insert_one(self, job: NewJob) -> Statement:
        is_due = job.run_at is None and job.delay is None
        said = (*self._parameter({}), *inserting.texts(job))
        return Statement(statements.text("insert_one"), said, commits=True, wakes=job.queue if is_due else None)

    def _insert_ordered(self, jobs: Sequence[NewJob]) -> Script[Inserted]:
        """Never by itself: the jobs are lined up in the same transaction."""
        rows = yield self.ask("insert_ordered", jobs=jobs)
        inserted = wire.utc(wire.INSERTED.decode(wire.answer(rows)))
        left = [job for job in jobs if job.id not in inserted.created]
        return inserted if not left else (yield from self._insert_or_hold(inserted, left))

    def _insert_or_hold(self, inserted: Inserted, left: Sequence[NewJob]) -> Script[Inserted]:
        """Holds the rows that the others met; where a pruner took one meanwhile, its key is free again."""
        for _ in range(_PRUNED_MEANWHILE):
            rows = yield self.ask("hold_known", jobs=[_identity(job) for job in left])
            held = set(wire.IDS.decode(wire.answer(rows)))
            left = [job for job in left if job.id not in held]
            if not left:
                break
            rows = yield self.ask("insert_ordered", jobs=left)
            more = wire.INSERTED.decode(wire.answer(rows)).created
            inserted = Inserted(inserted.now, inserted.created | more)
            left = [job for job in left if job.id not in more]
        return inserted

    def lock(self, ids: Collection[str]) -> Script[Locked]:
        rows = yield self.ask("lock", ids=wire.ids(ids))
        return _locked(rows)

    def complete(self, completions: Sequence[Completion]) -> Script[list[str]]:
        said = told(completions)
        done = yield from self._complete(said)
        ended = set(done)
        left = [item for item in said if item[0] not in ended]
        # The statement leaves a row that a heartbeat wrote while it read; the next one reads what was written.
        return done if not left else done + (yield from self._complete(left))

    def _complete(self, said: Sequence[Told]) -> Script[list[str]]:
        rows = yield self.ask("complete", done=said, commits=True)
        return wire.IDS.decode(wire.answer(rows))

    def heartbeat(self, beats: Sequence[Beat]) -> Script[list[BeatAnswer]]:
        rows = yield self.ask("heartbeat", beats=_of_jobs(beats), grace=defaults.END_GRACE, commits=True)
        answers = wire.utc_all(wire.ANSWERS.decode(wire.answer(rows)))
        answered = {item.job_id for item in answers}
        return answers + [BeatAnswer(beat.job_id, held=False) for beat in beats if beat.job_id not in answered]

    def apply(self, transitions: Sequence[Transition]) -> Script[set[str]]:
        known = set(wire.ids(t.before.id for t in transitions))
        jobs = [_change(t.before.revision, t.after) for t in transitions if t.before.id in known]
        attempts = [t.attempt for t in transitions if t.attempt is not None and t.before.id in known]
        rows = yield self.ask("apply", jobs=jobs, attempts=attempts)
        return set(wire.IDS.decode(wire.answer(rows)))

    def note_late(self, reports: Mapping[tuple[str, int], LateReport]) -> Script[None]:
        notes = [{"job_id": job_id, "number": number, "report": note} for (job_id, number), note in reports.items()]
        yield self.ask("note_late", notes=notes, commits=True)

    def expired(self, limit: int) -> Script[Locked]:
        rows = yield self.ask("expired", limit=limit)
        return _locked(rows)

    def overdue(self, limit: int) -> Script[Locked]:
        rows = yield self.ask("overdue", limit=limit)
        return _locked(rows)

    def due(self, limit: int) -> Script[Locked]:
        rows = yield self.ask("due", limit=limit)
        return _locked(rows)

    def promote(self, limit: int) -> Script[Promoted]:
        rows = yield self.ask("promote", limit=limit, commits=True)
        return wire.utc(wire.PROMOTED.decode(wire.answer(rows)))

    def prune(self, retention: Retention, limit: int) -> Script[int]:
        periods = {state.value: period.total_seconds() for state, period in retention.periods().items()}
        keys = retention.keys.total_seconds()
        rows = yield self.ask("prune", periods=periods, keys=keys, limit=limit, commits=True)
        return wire.COUNTED.decode(wire.answer(rows)).count

    def expire_payloads(self, retention: Retention, limit: int) -> Script[int]:
        periods = {state.value: period.total_seconds() for state, period in retention.payload_periods().items()}
        rows = yield self.ask("expire_payloads", periods=periods, limit=limit, commits=True)
        return wire.COUNTED.decode(wire.answer(rows)).count

    def put_kinds(self, kinds: Iterable[Kind], *, replace: bool) -> Script[None]:
        given = list(kinds)
        rows = yield self.ask("put_kinds", kinds=given, replace=replace)
        if replace:
            yield self.ask("replace_kinds", kinds=given)
        fresh = {name for name, is_new in rows if is_new == "true"}
        limited = [kind for kind in given if replace or (kind.name in fresh and _is_told(kind))]
        if limited:
            yield self.ask("declare_limits", kinds=limited)
        for kind in limited:
            yield self.ask("drop_empty_rules", place=Place(kind=kind.name)._asdict())

    def set_secret_fields(self, name: str, secret: SecretFields) -> Script[bool]:
        return bool(
            (yield self.ask("set_secret_fields", kind=name, secret=secret.payload, secret_result=secret.result))
        )

    def slow_down(self, slowdown: Slowdown) -> Script[None]:
        yield self.ask("slow_down", **msgspec.structs.asdict(slowdown))

    def clear_slowdown(self, tenant: str, kind: str) -> Script[bool]:
        rows = yield self.ask("clear_slowdown", tenant=tenant, kind=kind)
        return wire.COUNTED.decode(wire.answer(rows)).count > 0

    def touch(self) -> Script[None]:
        yield self.ask("touch")

    def audit(self, line: AuditLine) -> Script[None]:
        yield self.ask("audit", **msgspec.structs.asdict(line))


def _is_told(kind: Kind) -> bool:
    """Whether a claim has to know of it."""
    return kind.concurrency is not None or kind.demand != PLAIN


def told(completions: Sequence[Completion]) -> list[Told]:
    """What `complete.sql` reads: one completion for each job and token, by id; the first of a repeated one."""
    first: dict[tuple[str, str], Completion] = {}
    for item in completions:
        first.setdefault((item.job_id, item.token), item)
    known = set(wire.ids(job_id for job_id, _ in first))
    return [(*pair, first[pair].result, first[pair].progress) for pair in sorted(first) if pair[0] in known]


def _of_jobs(beats: Sequence[Beat]) -> list[Beat]:
    known = set(wire.ids(beat.job_id for beat in beats))
    return [beat for beat in beats if beat.job_id in known]


def _identity(job: NewJob) -> dict[str, object]:
    return {"id": job.id, "tenant": job.tenant, "kind": job.kind, "idempotency_key": job.idempotency_key}


def _change(seen: int, after: Job) -> dict[str, object]:
    return {"id": after.id, "seen": seen} | {name: getattr(after, name) for name in CHANGING}


def _locked(rows: Rows) -> Locked:
    held = wire.utc(wire.LOCKED.decode(wire.answer(rows)))
    return Locked(held.now, wire.by_id(held.jobs))
