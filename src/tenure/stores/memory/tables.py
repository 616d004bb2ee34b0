"""The rows of the memory store, with a journal that takes back what a failed script has written."""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import Any
from uuid import uuid4

import msgspec

from tenure.core.attempt import Attempt, LateReport
from tenure.core.flow.demand import PLAIN, Demand
from tenure.core.flow.lateness import Objective
from tenure.core.flow.limits import Limit, LimitUse, declared, running_at
from tenure.core.flow.order import OrderKey
from tenure.core.flow.order import key_of as line_of
from tenure.core.flow.pause import Pause, Subject
from tenure.core.flow.place import Place
from tenure.core.flow.relief import Relief
from tenure.core.flow.supersession import Standing, standing_of
from tenure.core.hints import Hint
from tenure.core.job import Job, NewJob
from tenure.core.kind import Kind
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import Effect
from tenure.core.redriving.redrive import Frozen, Redrive
from tenure.core.scheduling.schedule import Occurrence, Schedule
from tenure.core.secrecy.credentials import Key as Credential
from tenure.core.states import State
from tenure.core.switch import HINTS, Switch
from tenure.core.transitions import has_expired
from tenure.stores.reading import AuditEntry, Slowdown

Key = tuple[str, str, str]
"""(tenant, kind, idempotency key)."""


class Tables:
    """Every change is noted in the journal first. Counters are never taken back, like sequences of a database."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._latest: datetime | None = None
        self._undo: list[Callable[[], object]] = []
        self._by_state: dict[State, dict[str, None]] = {state: {} for state in State}
        self.in_transaction = False
        self.jobs: dict[str, Job] = {}
        self.keys: dict[Key, str] = {}
        self._standings: dict[Standing, dict[str, None]] = {}
        self._lines: dict[OrderKey, dict[str, None]] = {}
        self.attempts: dict[str, list[Attempt]] = {}
        self.kinds: dict[str, Kind] = {}
        self.slowdowns: dict[tuple[str, str], Slowdown] = {}
        self.credentials: dict[str, Credential] = {}
        self.audit: list[AuditEntry] = []
        self.effects: dict[tuple[str, str, str], Effect] = {}
        self.checkpoints: dict[tuple[str, str], Checkpoint] = {}
        self.redrives: dict[str, Redrive] = {}
        self.frozen: dict[str, dict[int, Frozen]] = {}
        self.switches: dict[str, Switch] = {}
        self.schedules: dict[tuple[str, str], Schedule] = {}
        self.occurrences: dict[tuple[str, str], Occurrence] = {}
        self.hints: dict[str, Hint] = {}
        self.pauses: dict[tuple[Subject, str], Pause] = {}
        self.weights: dict[str, int] = {}
        self.limits: dict[Place, Limit] = {}
        self.reliefs: dict[str, Relief] = {}
        self.capacities: dict[Place, int] = {}
        self.objectives: dict[str, Objective] = {}
        self.last_seq = 0
        self.last_fencing_token = 0
        self.database_id = str(uuid4())
        self.digest_key = uuid4().hex.encode()

    def now(self) -> datetime:
        """The clock's instant; a clock that is set back stands still until its time has come again."""
        now = self._clock()
        self._latest = now if self._latest is None else max(self._latest, now)
        return self._latest

    # The journal

    def begin(self) -> None:
        self._undo.clear()
        self.in_transaction = False

    def keep(self) -> None:
        """What is written so far stays, whatever happens to the rest of the script."""
        self._undo.clear()

    def roll_back(self) -> None:
        while self._undo:
            self._undo.pop()()

    # Jobs

    def in_state(self, *states: State) -> Iterator[Job]:
        """Jobs in `states`, in no order that means anything."""
        for state in states:
            yield from [self.jobs[job_id] for job_id in self._by_state[state]]

    def holds(self, job_id: str, key: Key | None) -> bool:
        """Whether a row has this id or this key."""
        return job_id in self.jobs or (key is not None and key in self.keys)

    def at_standing(self, place: Standing) -> list[str]:
        """The ids of the jobs of a supersession key, in whatever state."""
        return list(self._standings.get(place, ()))

    def next_seq(self) -> int:
        self.last_seq += 1
        return self.last_seq

    def next_fencing_token(self) -> int:
        self.last_fencing_token += 1
        return self.last_fencing_token

    def put(self, job: Job) -> None:
        """Inserts or replaces the row."""
        before = self.jobs.get(job.id)
        self._undo.append(lambda: self._forget(job) if before is None else self._write(before))
        self._write(job)
        becomes_ready = job.state is State.READY and (before is None or before.state is not State.READY)
        if becomes_ready and HINTS in self.switches:
            self.put_hint(Hint(job_id=job.id, due_at=job.updated_at))

    def delete(self, job: Job) -> None:
        """Removes the row, its history and its ledger."""
        self.clear_traces(job.id)
        for place in [place for place, effect in self.effects.items() if effect.job_id == job.id]:
            self._note(self.effects, place)
            del self.effects[place]
        self._undo.append(lambda: self._write(job))
        self._forget(job)

    def _write(self, job: Job) -> None:
        before = self.jobs.get(job.id)
        if before is not None:
            del self._by_state[before.state][job.id]
            self._stand(before, stands=False)
        self._stand(job, stands=True)
        self.jobs[job.id] = job
        self._by_state[job.state][job.id] = None
        key = key_of(job)
        if key is not None:
            self.keys[key] = job.id
        if job.supersession_key is not None:
            self._standings.setdefault(standing_of(job), {})[job.id] = None

    def _forget(self, job: Job) -> None:
        gone = self.jobs.pop(job.id)
        del self._by_state[gone.state][job.id]
        self._stand(gone, stands=False)
        key = key_of(job)
        if key is not None:
            del self.keys[key]
        if job.supersession_key is not None:
            del self._standings[standing_of(job)][job.id]

    def line(self, key: OrderKey) -> list[Job]:
        """Who stands in the line of an order key, in no order that means anything."""
        return [self.jobs[job_id] for job_id in self._lines.get(key, ())]

    def tail(self, key: OrderKey) -> int:
        """The highest place in the line of an order key."""
        return max((job.order_place or 0 for job in self.line(key)), default=0)

    def _stand(self, job: Job, *, stands: bool) -> None:
        key = line_of(job)
        if key is not None and stands:
            self._lines.setdefault(key, {})[job.id] = None
        elif key is not None:
            del self._lines[key][job.id]

    # History

    def add_attempt(self, attempt: Attempt) -> None:
        rows = self.attempts.setdefault(attempt.job_id, [])
        self._undo.append(rows.pop)
        rows.append(attempt)

    def note_late(self, job_id: str, number: int, report: LateReport) -> None:
        """Sets the late report of an attempt that has none; anything else is left as it is."""
        rows = self.attempts.get(job_id, [])
        for index, before in enumerate(rows):
            if before.number == number and before.late_report is None:
                self._undo.append(partial(rows.__setitem__, index, before))
                rows[index] = msgspec.structs.replace(before, late_report=report)

    def clear_traces(self, job_id: str) -> None:
        """Removes what a tombstone leaves behind: history and checkpoints."""
        before = self.attempts.pop(job_id, None)
        if before is not None:
            self._undo.append(lambda: self.attempts.__setitem__(job_id, before))
        for place in [place for place in self.checkpoints if place[0] == job_id]:
            self._note(self.checkpoints, place)
            del self.checkpoints[place]

    # The small tables

    def put_kind(self, kind: Kind) -> None:
        self._note(self.kinds, kind.name)
        self.kinds[kind.name] = kind

    def end_slowdown(self, place: tuple[str, str]) -> None:
        self._note(self.slowdowns, place)
        del self.slowdowns[place]

    def put_slowdown(self, slowdown: Slowdown) -> None:
        place = (slowdown.tenant, slowdown.kind)
        self._note(self.slowdowns, place)
        self.slowdowns[place] = slowdown

    def put_credential(self, key: Credential) -> None:
        self._note(self.credentials, key.id)
        self.credentials[key.id] = key

    def put_effect(self, effect: Effect) -> None:
        place = (effect.tenant, effect.name, effect.key)
        self._note(self.effects, place)
        self.effects[place] = effect

    def put_checkpoint(self, checkpoint: Checkpoint) -> None:
        place = (checkpoint.job_id, checkpoint.name)
        self._note(self.checkpoints, place)
        self.checkpoints[place] = checkpoint

    def put_redrive(self, redrive: Redrive) -> None:
        self._note(self.redrives, redrive.id)
        self.redrives[redrive.id] = redrive

    def put_frozen(self, row: Frozen) -> None:
        rows = self.frozen.setdefault(row.redrive_id, {})
        self._note(rows, row.place)
        rows[row.place] = row

    def delete_frozen(self, row: Frozen) -> None:
        rows = self.frozen[row.redrive_id]
        self._note(rows, row.place)
        del rows[row.place]

    def delete_redrive(self, redrive_id: str) -> None:
        self._note(self.redrives, redrive_id)
        del self.redrives[redrive_id]

    def put_switch(self, switch: Switch) -> None:
        self._note(self.switches, switch.name)
        self.switches[switch.name] = switch

    def drop_switch(self, name: str) -> None:
        self._note(self.switches, name)
        del self.switches[name]

    def put_schedule(self, schedule: Schedule) -> None:
        place = (schedule.tenant, schedule.name)
        self._note(self.schedules, place)
        self.schedules[place] = schedule

    def drop_schedule(self, place: tuple[str, str]) -> None:
        self._note(self.schedules, place)
        del self.schedules[place]

    def put_occurrence(self, row: Occurrence) -> None:
        place = (row.schedule_id, row.id)
        self._note(self.occurrences, place)
        self.occurrences[place] = row

    def drop_occurrence(self, place: tuple[str, str]) -> None:
        self._note(self.occurrences, place)
        del self.occurrences[place]

    def put_hint(self, hint: Hint) -> None:
        self._note(self.hints, hint.job_id)
        self.hints[hint.job_id] = hint

    def delete_hint(self, job_id: str) -> None:
        self._note(self.hints, job_id)
        del self.hints[job_id]

    def put_weight(self, tenant: str, weight: int) -> None:
        self._note(self.weights, tenant)
        self.weights[tenant] = weight

    def drop_weight(self, tenant: str) -> None:
        self._note(self.weights, tenant)
        del self.weights[tenant]

    def put_relief(self, queue: str, relief: Relief) -> None:
        self._note(self.reliefs, queue)
        self.reliefs[queue] = relief

    def drop_relief(self, queue: str) -> None:
        self._note(self.reliefs, queue)
        del self.reliefs[queue]

    def put_limit(self, limit: Limit) -> None:
        self._note(self.limits, limit.place)
        self.limits[limit.place] = limit

    def declare_limit(self, kind: str, concurrency: int | None) -> None:
        """As `core.flow.limits.declared`."""
        limit = declared(self.limits.get(Place(kind=kind)), kind, concurrency)
        if limit.concurrency is not None or limit.rate is not None:
            self.put_limit(limit)
        elif limit.place in self.limits:
            self.drop_limit(limit.place)

    def kind_of(self, name: str) -> Kind:
        """The kind, with the limit that it has."""
        limit = self.limits.get(Place(kind=name))
        return msgspec.structs.replace(self.kinds[name], concurrency=None if limit is None else limit.concurrency)

    def drop_limit(self, place: Place) -> None:
        self._note(self.limits, place)
        del self.limits[place]

    def limit_uses(self, now: datetime) -> list[LimitUse]:
        """Every limit, by place, with what runs under live leases."""
        live = (job for job in self.in_state(State.RUNNING) if not has_expired(job, now)) if self.limits else ()
        held = [limit for _, limit in sorted(self.limits.items())]
        return running_at(held, ((job.queue, job.kind, job.tenant, 1) for job in live), self.demands())

    def demands(self) -> dict[str, Demand]:
        """What jobs take, by kind; of kinds that are not plain."""
        return {kind.name: kind.demand for kind in self.kinds.values() if kind.demand != PLAIN}

    def put_capacity(self, place: Place, jobs: int) -> None:
        self._note(self.capacities, place)
        self.capacities[place] = jobs

    def drop_capacity(self, place: Place) -> None:
        self._note(self.capacities, place)
        del self.capacities[place]

    def put_objective(self, queue: str, objective: Objective) -> None:
        self._note(self.objectives, queue)
        self.objectives[queue] = objective

    def drop_objective(self, queue: str) -> None:
        self._note(self.objectives, queue)
        del self.objectives[queue]

    def put_pause(self, pause: Pause) -> None:
        self._note(self.pauses, (pause.subject, pause.name))
        self.pauses[pause.subject, pause.name] = pause

    def drop_pause(self, place: tuple[Subject, str]) -> None:
        self._note(self.pauses, place)
        del self.pauses[place]

    def add_audit(self, line: AuditEntry) -> None:
        self._undo.append(self.audit.pop)
        self.audit.append(line)

    def _note(self, table: dict[Any, Any], key: object) -> None:
        before = table.get(key)
        self._undo.append(lambda: table.pop(key) if before is None else table.__setitem__(key, before))


def key_of(job: Job | NewJob) -> Key | None:
    """The idempotency key of a job in its scope."""
    return None if job.idempotency_key is None else (job.tenant, job.kind, job.idempotency_key)
