"""The rows of the memory store, with a journal that takes back what a failed script has written."""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from uuid import uuid4

import msgspec

from tenure.core.attempt import Attempt, LateReport
from tenure.core.flow.demand import PLAIN, Demand
from tenure.core.flow.limits import LimitUse, running_at
from tenure.core.flow.order import OrderKey
from tenure.core.flow.order import key_of as line_of
from tenure.core.flow.place import Place
from tenure.core.flow.supersession import Standing, standing_of
from tenure.core.hints import Hint
from tenure.core.job import Job, NewJob
from tenure.core.kind import Kind
from tenure.core.states import State
from tenure.core.switch import HINTS
from tenure.core.transitions import has_expired
from tenure.stores.memory.small_tables import SmallTables

Key = tuple[str, str, str]
"""(tenant, kind, idempotency key)."""


class Tables(SmallTables):
    """Every change is noted in the journal first. Counters are never taken back, like sequences of a database."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        super().__init__()
        self._clock = clock
        self._latest: datetime | None = None
        self._by_state: dict[State, dict[str, None]] = {state: {} for state in State}
        self.jobs: dict[str, Job] = {}
        self.keys: dict[Key, str] = {}
        self._standings: dict[Standing, dict[str, None]] = {}
        self._lines: dict[OrderKey, dict[str, None]] = {}
        self.attempts: dict[str, list[Attempt]] = {}
        self.last_seq = 0
        self.last_fencing_token = 0
        self.database_id = str(uuid4())
        self.digest_key = uuid4().hex.encode()

    def now(self) -> datetime:
        """The clock's instant; a clock that is set back stands still until its time has come again."""
        now = self._clock()
        self._latest = now if self._latest is None else max(self._latest, now)
        return self._latest

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

    # What is known of kinds and limits

    def kind_of(self, name: str) -> Kind:
        """The kind, with the limit that it has."""
        limit = self.limits.get(Place(kind=name))
        return msgspec.structs.replace(self.kinds[name], concurrency=None if limit is None else limit.concurrency)

    def limit_uses(self, now: datetime) -> list[LimitUse]:
        """Every limit, by place, with what runs under live leases."""
        live = (job for job in self.in_state(State.RUNNING) if not has_expired(job, now)) if self.limits else ()
        held = [limit for _, limit in sorted(self.limits.items())]
        return running_at(held, ((job.queue, job.kind, job.tenant, 1) for job in live), self.demands())

    def demands(self) -> dict[str, Demand]:
        """What jobs take, by kind; of kinds that are not plain."""
        return {kind.name: kind.demand for kind in self.kinds.values() if kind.demand != PLAIN}


def key_of(job: Job | NewJob) -> Key | None:
    """The idempotency key of a job in its scope."""
    return None if job.idempotency_key is None else (job.tenant, job.kind, job.idempotency_key)
