"""The verbs of the memory store about dead letters, redrives and switches."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice

from msgspec.structs import replace

from tenure.core.flow.demand import of
from tenure.core.job_filter import JobFilter
from tenure.core.redriving import redrive as words
from tenure.core.redriving.dead_letter import DeadLetter, LastError, of_job
from tenure.core.redriving.redrive import Frozen, FrozenState, Lane, Left, Redrive, RedriveState
from tenure.core.states import TERMINAL, State
from tenure.core.switch import Switch
from tenure.stores.memory.verbs.base import VerbsBase, within
from tenure.stores.memory.verbs.reading import is_shown
from tenure.stores.redriving import Cursor, End, HeldRedrive

_SENDING = (RedriveState.FREEZING, RedriveState.RUNNING)


class RedriveVerbs(VerbsBase):
    """See `stores.redriving.RedriveVerbs`."""

    @within
    def dead_letters(self, which: JobFilter, before: Cursor | None, limit: int) -> list[DeadLetter]:
        newest = self._letters(which)[::-1]
        return [letter for letter in newest if before is None or (letter.ended_at, letter.id) < before][:limit]

    @within
    def dead_letters_after(self, which: JobFilter, after: Cursor | None, limit: int) -> list[DeadLetter]:
        oldest = self._letters(which)
        return [letter for letter in oldest if after is None or (letter.ended_at, letter.id) > after][:limit]

    def _letters(self, which: JobFilter) -> list[DeadLetter]:
        """The oldest first."""
        meant = replace(which, states=None)
        failed = (job for job in self._tables.in_state(State.FAILED) if job.pruned_at is None and is_shown(job, meant))
        return sorted(filter(None, map(of_job, failed)), key=lambda letter: (letter.ended_at, letter.id))

    @within
    def last_errors(self, job_ids: Collection[str]) -> dict[str, LastError]:
        jobs = self._tables.jobs
        found = (jobs[job_id] for job_id in job_ids if job_id in jobs)
        return {job.id: LastError(code=job.last_error_code, message=job.error) for job in found}

    @within
    def add_redrive(self, redrive: Redrive) -> bool:
        if redrive.id in self._tables.redrives:
            return False
        self._tables.put_redrive(redrive)
        return True

    @within
    def freeze(self, rows: Sequence[Frozen]) -> None:
        for row in rows:
            self._tables.put_frozen(row)

    @within
    def read_redrive(self, redrive_id: str) -> Redrive | None:
        return self._tables.redrives.get(redrive_id)

    @within
    def redrives(self, before: str | None, limit: int) -> list[Redrive]:
        newest = sorted(self._tables.redrives.items(), reverse=True)
        return [row for redrive_id, row in newest if before is None or redrive_id < before][:limit]

    @within
    def open_redrives(self) -> list[str]:
        rows = sorted(self._tables.redrives.items())
        return [redrive_id for redrive_id, row in rows if row.state in _SENDING or row.redriven]

    @within
    def hold_redrive(self, redrive_id: str) -> HeldRedrive:
        return HeldRedrive(self._tables.now(), self._tables.redrives.get(redrive_id))

    @within
    def write_redrive(self, before: Redrive, after: Redrive) -> bool:
        row = self._tables.redrives.get(before.id)
        if row is None or row.revision != before.revision:
            return False
        self._tables.put_redrive(after)
        return True

    @within
    def waiting_in_redrive(
        self, redrive_id: str, *, canary_only: bool, closed: Collection[Lane], limit: int
    ) -> list[Frozen]:
        rows = self._frozen(redrive_id, FrozenState.WAITING)
        meant = (row for row in rows if not self._is_held(row, closed) and (row.is_canary or not canary_only))
        return sorted(meant, key=lambda row: (not row.is_canary, row.place))[:limit]

    def _is_held(self, row: Frozen, closed: Collection[Lane]) -> bool:
        paused, job = self._tables.pauses, self._tables.jobs.get(row.job_id)
        own = {("kind", row.kind), ("tenant", row.tenant)}
        own |= {("resource", name) for name in of(self._tables.demands(), row.kind).uses}
        own |= {("queue", job.queue)} if job is not None else set()
        return row.lane in closed or not own.isdisjoint(paused)

    @within
    def ended_in_redrive(self, redrive_id: str, limit: int) -> list[End]:
        return list(islice(self._ends(redrive_id), limit))

    def _ends(self, redrive_id: str) -> Iterator[End]:
        for row in self._frozen(redrive_id, FrozenState.REDRIVEN):
            job = self._tables.jobs.get(row.job_id)
            if job is None:
                yield End(row, None, None, None)
            elif job.state in TERMINAL:
                yield End(row, job.state, job.end_code, job.ended_at)

    @within
    def outcomes_of_redrive(self, redrive_id: str, since: datetime, limit: int) -> list[Frozen]:
        rows = self._frozen(redrive_id, FrozenState.SUCCEEDED, FrozenState.FAILED_AGAIN)
        judged = [(row.settled_at, row.place, row) for row in rows if row.settled_at and row.settled_at >= since]
        return [row for _, _, row in sorted(judged, key=lambda item: item[:2], reverse=True)][:limit]

    @within
    def sent_in_redrive(self, redrive_id: str, after: datetime) -> Mapping[Lane, int]:
        rows = self._tables.frozen.get(redrive_id, {}).values()
        return Counter(row.lane for row in rows if row.sent_at is not None and row.sent_at > after)

    @within
    def write_frozen(self, rows: Sequence[Frozen]) -> None:
        for row in rows:
            self._tables.put_frozen(row)

    @within
    def leave_waiting(self, redrive_id: str, reason: str, at: datetime) -> None:
        for row in list(self._frozen(redrive_id, FrozenState.WAITING)):
            self._tables.put_frozen(words.left(row, Left(reason), at))

    @within
    def frozen_in_redrive(self, redrive_id: str, state: FrozenState | None, after: int, limit: int) -> list[Frozen]:
        wanted = tuple(FrozenState) if state is None else (state,)
        return [row for row in self._frozen(redrive_id, *wanted) if row.place > after][:limit]

    def _frozen(self, redrive_id: str, *states: FrozenState) -> Iterator[Frozen]:
        """By place."""
        for _, row in sorted(self._tables.frozen.get(redrive_id, {}).items()):
            if row.state in states:
                yield row

    @within
    def prune_redrives(self, period: timedelta, limit: int) -> int:
        cut = self._tables.now() - period
        past = [row for _, row in sorted(self._tables.redrives.items()) if row.ended_at and row.ended_at <= cut]
        meant = (row for redrive in past for row in self._frozen(redrive.id, *FrozenState))
        gone = list(islice(meant, limit))
        for row in gone:
            self._tables.delete_frozen(row)
        for redrive in past:
            if not self._tables.frozen.get(redrive.id):
                self._tables.delete_redrive(redrive.id)
        return len(gone)

    @within
    def read_switch(self, name: str) -> Switch | None:
        return self._tables.switches.get(name)

    @within
    def put_switch(self, switch: Switch) -> bool:
        if switch.name in self._tables.switches:
            return False
        self._tables.put_switch(switch)
        return True

    @within
    def drop_switch(self, name: str) -> bool:
        if name not in self._tables.switches:
            return False
        self._tables.drop_switch(name)
        return True
