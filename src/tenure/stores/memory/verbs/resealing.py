"""The verbs of the memory store about documents as they rest."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from tenure.core.job import Job
from tenure.core.secrecy.sealed import HEAD_LENGTH, Column, RowKey
from tenure.core.states import State
from tenure.stores.memory.verbs.base import VerbsBase, within
from tenure.stores.resealing import Change, Kept, Waiting

_FIELDS: Final[dict[Column, str]] = {
    "payload": "payload",
    "result": "result",
    "effect": "result",
    "checkpoint": "value",
    "schedule": "payload",
}


class ResealVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    @within
    def documents(self, column: Column, after: RowKey | None, limit: int, but: str | None) -> list[Kept]:
        rows = self._rows_of(column)
        places = sorted(place for place in rows if after is None or place > after)
        return [_kept(place, getattr(rows[place], _FIELDS[column]), but) for place in places[:limit]]

    @within
    def waiting_payloads(self, queue: str, limit: int) -> list[Waiting]:
        ready = sorted((job for job in self._tables.in_state(State.READY) if job.queue == queue), key=_claim_order)
        due = sorted(self._tables.in_state(State.SCHEDULED), key=lambda job: (job.run_at, job.seq))
        ends = [*ready[:limit], *ready[-limit:], *due[:limit], *due[-limit:]]
        found = {job.id: job for job in ends if job.queue == queue}
        return [_waiting(found[job_id]) for job_id in sorted(found)]

    @within
    def replace_documents(self, column: Column, changes: Sequence[Change]) -> int:
        return sum(self._replace(column, change) for change in changes)

    def _replace(self, column: Column, change: Change) -> bool:
        row = self._rows_of(column).get(change.place)
        if row is None or getattr(row, _FIELDS[column]) != change.before:
            return False
        self._put(column, msgspec.structs.replace(row, **{_FIELDS[column]: change.after}))
        return True

    def _put(self, column: Column, row: Any) -> None:
        if column == "effect":
            self._tables.put_effect(row)
        elif column == "checkpoint":
            self._tables.put_checkpoint(row)
        elif column == "schedule":
            self._tables.put_schedule(row)
        else:
            self._tables.put(row)

    def _rows_of(self, column: Column) -> Mapping[Any, Any]:
        if column == "effect":
            return self._tables.effects
        if column == "checkpoint":
            return self._tables.checkpoints
        if column == "schedule":
            return self._tables.schedules
        return {(job_id,): job for job_id, job in self._tables.jobs.items()}


def _kept(place: RowKey, text: str | None, but: str | None) -> Kept:
    if text is None:
        return Kept(place, None, None)
    return Kept(place, text[:HEAD_LENGTH], None if but is None or text.startswith(but) else text)


def _claim_order(job: Job) -> tuple[Any, ...]:
    return -job.priority, job.tenant, job.kind, job.version, job.run_at, job.seq


def _waiting(job: Job) -> Waiting:
    return Waiting(job.id, job.kind, (job.payload or "")[:HEAD_LENGTH], job.last_error_code)
