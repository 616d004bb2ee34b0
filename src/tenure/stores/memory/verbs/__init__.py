"""The verbs of the memory store. What each decides is core's; here is only what each reads and writes."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice

import msgspec

from tenure.core import intake, lease, retention, standing, transitions
from tenure.core.attempt import LateReport
from tenure.core.claim import Claimed, ClaimRequest
from tenure.core.job import FIXED, Job, NewJob
from tenure.core.kind import Kind, together
from tenure.core.lease import Beat, BeatAnswer
from tenure.core.reports import Completion
from tenure.core.retention import Retention
from tenure.core.secrecy.secret_fields import SecretFields
from tenure.core.states import TERMINAL, WAITING, State
from tenure.core.transitions import Transition
from tenure.stores.memory.claiming import Claiming
from tenure.stores.memory.tables import key_of
from tenure.stores.memory.verbs.admitting import AdmissionVerbs
from tenure.stores.memory.verbs.base import by_itself, within
from tenure.stores.memory.verbs.hinting import HintVerbs
from tenure.stores.memory.verbs.limiting import LimitVerbs
from tenure.stores.memory.verbs.ordering import OrderVerbs
from tenure.stores.memory.verbs.paging import PagingVerbs
from tenure.stores.memory.verbs.pausing import PauseVerbs
from tenure.stores.memory.verbs.redriving import RedriveVerbs
from tenure.stores.memory.verbs.resealing import ResealVerbs
from tenure.stores.memory.verbs.scheduling import ScheduleVerbs
from tenure.stores.memory.verbs.superseding import SupersedeVerbs
from tenure.stores.protocol import AuditLine, Inserted, Locked, Promoted
from tenure.stores.reading import AuditEntry, Slowdown
from tenure.stores.script import Script, alone


class MemoryVerbs(
    PagingVerbs,
    RedriveVerbs,
    ResealVerbs,
    HintVerbs,
    ScheduleVerbs,
    PauseVerbs,
    LimitVerbs,
    AdmissionVerbs,
    SupersedeVerbs,
    OrderVerbs,
):
    """The Verbs of one MemoryStore."""

    def insert(self, jobs: Sequence[NewJob], *, apart: bool = False) -> Script[Inserted]:
        if any(job.order_key is not None for job in jobs):  # they are lined up in the same transaction
            return self._insert_together(jobs)
        return self._insert_apart(jobs) if apart or len(jobs) == 1 else self._insert_together(jobs)

    @by_itself
    def _insert_apart(self, jobs: Sequence[NewJob]) -> Inserted:
        return self._insert(jobs)

    @within
    def _insert_together(self, jobs: Sequence[NewJob]) -> Inserted:
        return self._insert(jobs)

    def _insert(self, jobs: Sequence[NewJob]) -> Inserted:
        now, created = self._tables.now(), {}
        for new in jobs:
            if not self._tables.holds(new.id, key_of(new)):
                created[new.id] = self._tables.next_seq()
                place = None if new.order_key is None else self._tables.tail((new.tenant, new.order_key)) + 1
                self._tables.put(intake.row(new, created[new.id], now, place))
        return Inserted(now, created)

    @within
    def lock(self, ids: Collection[str]) -> Locked:
        return Locked(self._tables.now(), self._rows(ids))

    @by_itself
    def claim(self, request: ClaimRequest) -> Claimed:
        return self._claim(request)

    @by_itself
    def complete(self, completions: Sequence[Completion]) -> list[str]:
        return self._complete(completions)

    @by_itself
    def complete_and_claim(self, completions: Sequence[Completion], request: ClaimRequest) -> tuple[list[str], Claimed]:
        return self._complete(completions), self._claim(request)

    def _claim(self, request: ClaimRequest) -> Claimed:
        return alone(Claiming(self._tables, request, self._tables.now()).answer())

    def _complete(self, completions: Sequence[Completion]) -> list[str]:
        now, done = self._tables.now(), []
        for item in completions:
            job = self._tables.jobs.get(item.job_id)
            if job is not None and standing.owns(job, item) and not job.policy.effects and job.order_place is None:
                self._write(transitions.complete(job, now, item))
                done.append(job.id)
        return done

    @by_itself
    def heartbeat(self, beats: Sequence[Beat]) -> list[BeatAnswer]:
        now = self._tables.now()
        return [self._beat(beat, now) for beat in beats]

    def _beat(self, beat: Beat, now: datetime) -> BeatAnswer:
        job = self._tables.jobs.get(beat.job_id)
        if job is None or job.lease_token != beat.token or transitions.has_expired(job, now):
            return BeatAnswer(beat.job_id, held=False)
        if beat.progress is not None:
            job = msgspec.structs.replace(job, progress=beat.progress, progress_at=now)
        ends = lease.expires_at(job, now, job.lease_seconds or 0.0)
        self._tables.put(msgspec.structs.replace(job, heartbeat_at=now, lease_expires_at=ends))
        return BeatAnswer(job.id, True, ends, job.cancel_requested_at is not None)

    @within
    def apply(self, transitions: Sequence[Transition]) -> set[str]:
        applied = set()
        for transition in transitions:
            row = self._tables.jobs.get(transition.before.id)
            if row is not None and row.revision == transition.before.revision:
                self._write(transition)
                applied.add(row.id)
        return applied

    def _write(self, transition: Transition) -> None:
        row = self._tables.jobs[transition.before.id]
        kept = {name: getattr(row, name) for name in FIXED}
        self._tables.put(msgspec.structs.replace(transition.after, **kept))
        if transition.attempt is not None:
            self._tables.add_attempt(transition.attempt)

    @within
    def note_late(self, reports: Mapping[tuple[str, int], LateReport]) -> None:
        for (job_id, number), report in reports.items():
            self._tables.note_late(job_id, number, report)

    @within
    def expired(self, limit: int) -> Locked:
        now = self._tables.now()
        running = self._tables.in_state(State.RUNNING)
        return _locked(now, (job for job in running if transitions.has_expired(job, now)), limit)

    @within
    def overdue(self, limit: int) -> Locked:
        now = self._tables.now()
        waiting = self._tables.in_state(*WAITING)
        return _locked(now, (job for job in waiting if job.deadline is not None and job.deadline <= now), limit)

    @within
    def due(self, limit: int) -> Locked:
        now = self._tables.now()
        return _locked(now, self._due(now), limit)

    def _due(self, now: datetime) -> Iterator[Job]:
        scheduled = sorted(self._tables.in_state(State.SCHEDULED), key=lambda job: (job.run_at, job.seq))
        return (job for job in scheduled if job.run_at <= now)

    @within
    def promote(self, limit: int) -> Promoted:
        now = self._tables.now()
        moves = [transitions.promote(job, now) for job in islice(self._due(now), limit)]
        made = [move for move in moves if move is not None]
        for move in made:
            self._write(move)
        next_run_at = min((job.run_at for job in self._tables.in_state(State.SCHEDULED)), default=None)
        return Promoted(now, len(made), frozenset(move.after.queue for move in made), next_run_at)

    @within
    def prune(self, retention: Retention, limit: int) -> int:
        return self._prune(retention, limit)

    def _prune(self, periods: Retention, limit: int) -> int:
        now = self._tables.now()
        for place in [place for place, slowdown in self._tables.slowdowns.items() if slowdown.until <= now]:
            self._tables.end_slowdown(place)
        past = (job for job in self._tables.in_state(*TERMINAL) if _is_prunable(job, now, periods))
        pruned = list(islice(past, limit))
        for job in pruned:
            if retention.leaves_tombstone(job, now, periods):
                self._tables.clear_traces(job.id)
                self._tables.put(retention.tombstone(job, now))
            else:
                self._tables.delete(job)
        return len(pruned)

    @within
    def expire_payloads(self, retention: Retention, limit: int) -> int:
        return self._expire_payloads(retention, limit)

    def _expire_payloads(self, periods: Retention, limit: int) -> int:
        now = self._tables.now()
        ended = self._tables.in_state(*TERMINAL)
        past = list(islice((job for job in ended if retention.is_payload_past(job, now, periods)), limit))
        for job in past:
            self._tables.put(retention.without_payload(job, now))
        return len(past)

    @within
    def put_kinds(self, kinds: Iterable[Kind], *, replace: bool) -> None:
        for kind in kinds:
            known = self._tables.kinds.get(kind.name)
            row = together(known or kind, kind, replace=replace)
            self._tables.put_kind(msgspec.structs.replace(row, concurrency=None))
            if replace or known is None:
                self._tables.declare_limit(kind.name, kind.concurrency)

    @within
    def set_secret_fields(self, name: str, secret: SecretFields) -> bool:
        known = self._tables.kinds.get(name)
        if known is None:
            return False
        self._tables.put_kind(msgspec.structs.replace(known, secret=secret.payload, secret_result=secret.result))
        return True

    @within
    def slow_down(self, slowdown: Slowdown) -> None:
        known = self._tables.slowdowns.get((slowdown.tenant, slowdown.kind))
        if known is None or known.until < slowdown.until:
            self._tables.put_slowdown(slowdown)

    @within
    def clear_slowdown(self, tenant: str, kind: str) -> bool:
        known = self._tables.slowdowns.get((tenant, kind))
        if known is None or known.until <= self._tables.now():
            return False
        self._tables.end_slowdown((tenant, kind))
        return True

    @within
    def touch(self) -> None:
        """Memory takes every write."""

    @within
    def audit(self, line: AuditLine) -> None:
        seq = len(self._tables.audit) + 1
        self._tables.add_audit(AuditEntry(seq=seq, at=self._tables.now(), **msgspec.structs.asdict(line)))


def _locked(now: datetime, jobs: Iterable[Job], limit: int) -> Locked:
    return Locked(now, {job.id: job for job in islice(jobs, limit)})


def _is_prunable(job: Job, now: datetime, periods: Retention) -> bool:
    kept = job.pruned_at is not None and retention.leaves_tombstone(job, now, periods)
    return retention.is_past(job, now, periods) and not kept
