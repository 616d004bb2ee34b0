"""Writing what core decided, and the lines beside it."""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from tenure.core.attempt import LateReport
from tenure.core.transitions import Transition
from tenure.stores.protocol import AuditLine, Locked
from tenure.stores.reading import Slowdown
from tenure.stores.script import Script
from tenure.stores.sqlite import rows
from tenure.stores.sqlite.instants import of_micros, to_micros
from tenure.stores.sqlite.rows import json_text
from tenure.stores.sqlite.verbs.base import VerbsBase


class WriteVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    def lock(self, ids: Collection[str]) -> Script[Locked]:
        now = yield from self._tick()
        found = yield from self._ask("lock", json_text(list(ids)))
        return Locked(of_micros(now), {job.id: job for job in map(rows.job_of, found)})

    def apply(self, transitions: Sequence[Transition]) -> Script[set[str]]:
        yield from self._tick()
        applied = set()
        for move in transitions:
            before = move.before
            args = (*rows.changes_of(move.after), before.id, before.revision)
            if (yield from self._ask("apply", *args)):
                applied.add(before.id)
                if move.attempt is not None:
                    yield from self._ask("history", *rows.history_of(move.attempt))
        return applied

    def note_late(self, reports: Mapping[tuple[str, int], LateReport]) -> Script[None]:
        yield from self._tick()
        for (job_id, number), report in reports.items():
            yield from self._ask("note_late", rows.late_text(report), job_id, number)

    def slow_down(self, slowdown: Slowdown) -> Script[None]:
        yield from self._tick()
        until = to_micros(slowdown.until)
        yield from self._ask("slow_down", slowdown.tenant, slowdown.kind, until, slowdown.code)

    def clear_slowdown(self, tenant: str, kind: str) -> Script[bool]:
        now = yield from self._tick()
        return bool((yield from self._ask("clear_slowdown", tenant, kind, now)))

    def touch(self) -> Script[None]:
        """As many pages as a job takes with its places in the indexes: a disk with room for one or two is full. By
        chance, for SQLite leaves a page as it is that would be written with the same bytes."""
        yield from self._ask("touch")

    def audit(self, line: AuditLine) -> Script[None]:
        now = yield from self._tick()
        yield from self._ask("audit", now, *msgspec.structs.astuple(line))
