"""The scripts about dead letters, redrives and switches."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

from tenure.core.job_filter import JobFilter
from tenure.core.redriving.dead_letter import DeadLetter, LastError
from tenure.core.redriving.redrive import Frozen, FrozenState, Lane, Redrive
from tenure.core.states import State
from tenure.core.switch import Switch
from tenure.stores.postgres import wire
from tenure.stores.postgres.verbs.reading import Narrowing
from tenure.stores.redriving import Cursor, End, HeldRedrive
from tenure.stores.script import Script


class RedriveVerbs(Narrowing):
    def dead_letters(self, which: JobFilter, before: Cursor | None, limit: int) -> Script[list[DeadLetter]]:
        return (yield from self._letters("dead_letters", which, before, limit))

    def dead_letters_after(self, which: JobFilter, after: Cursor | None, limit: int) -> Script[list[DeadLetter]]:
        return (yield from self._letters("dead_letters_after", which, after, limit))

    def _letters(self, name: str, which: JobFilter, past: Cursor | None, limit: int) -> Script[list[DeadLetter]]:
        failed = msgspec.structs.replace(which, states=(State.FAILED,))
        at, last = (None, None) if past is None else past
        rows = yield self.narrowed(name, failed, at=at, last=last, limit=limit)
        return wire.utc_all(wire.LETTERS.decode(wire.answer(rows)))

    def last_errors(self, job_ids: Collection[str]) -> Script[dict[str, LastError]]:
        rows = yield self.look("last_errors", ids=wire.ids(job_ids))
        return wire.LAST_ERRORS.decode(wire.answer(rows))

    def add_redrive(self, redrive: Redrive) -> Script[bool]:
        rows = yield self.ask("add_redrive", redrive=redrive)
        return wire.COUNTED.decode(wire.answer(rows)).count > 0

    def freeze(self, rows: Sequence[Frozen]) -> Script[None]:
        yield self.ask("freeze", rows=rows)

    def read_redrive(self, redrive_id: str) -> Script[Redrive | None]:
        if not wire.ids([redrive_id]):
            return None
        rows = yield self.look("read_redrive", id=redrive_id)
        return next(iter(wire.utc_all(wire.REDRIVES.decode(wire.answer(rows)))), None)

    def redrives(self, before: str | None, limit: int) -> Script[list[Redrive]]:
        rows = yield self.look("redrives", before=before, limit=limit)
        return wire.utc_all(wire.REDRIVES.decode(wire.answer(rows)))

    def open_redrives(self) -> Script[list[str]]:
        rows = yield self.look("open_redrives")
        return wire.IDS.decode(wire.answer(rows))

    def hold_redrive(self, redrive_id: str) -> Script[HeldRedrive]:
        known = wire.ids([redrive_id])
        rows = yield self.ask("hold_redrive", id=known[0] if known else None)
        held = wire.utc(wire.HELD_REDRIVE.decode(wire.answer(rows)))
        return HeldRedrive(held.now, None if held.redrive is None else wire.utc(held.redrive))

    def write_redrive(self, before: Redrive, after: Redrive) -> Script[bool]:
        rows = yield self.ask("write_redrive", redrive=after, seen=before.revision)
        return wire.COUNTED.decode(wire.answer(rows)).count > 0

    def waiting_in_redrive(
        self, redrive_id: str, *, canary_only: bool, closed: Collection[Lane], limit: int
    ) -> Script[list[Frozen]]:
        lanes = [{"tenant": tenant, "kind": kind} for tenant, kind in sorted(closed)]
        rows = yield self.ask("waiting_in_redrive", id=redrive_id, canary_only=canary_only, closed=lanes, limit=limit)
        return wire.utc_all(wire.FROZEN.decode(wire.answer(rows)))

    def ended_in_redrive(self, redrive_id: str, limit: int) -> Script[list[End]]:
        rows = yield self.ask("ended_in_redrive", id=redrive_id, limit=limit)
        ends = wire.utc_all(wire.ENDS.decode(wire.answer(rows)))
        return [End(wire.utc(end.row), end.state, end.code, end.ended_at) for end in ends]

    def outcomes_of_redrive(self, redrive_id: str, since: datetime, limit: int) -> Script[list[Frozen]]:
        rows = yield self.ask("outcomes_of_redrive", id=redrive_id, since=since, limit=limit)
        return wire.utc_all(wire.FROZEN.decode(wire.answer(rows)))

    def sent_in_redrive(self, redrive_id: str, after: datetime) -> Script[Mapping[Lane, int]]:
        rows = yield self.ask("sent_in_redrive", id=redrive_id, after=after)
        return {(tenant, kind): jobs for tenant, kind, jobs in wire.LANES.decode(wire.answer(rows))}

    def write_frozen(self, rows: Sequence[Frozen]) -> Script[None]:
        yield self.ask("write_frozen", rows=rows)

    def leave_waiting(self, redrive_id: str, reason: str, at: datetime) -> Script[None]:
        yield self.ask("leave_waiting", id=redrive_id, reason=reason, at=at)

    def frozen_in_redrive(
        self, redrive_id: str, state: FrozenState | None, after: int, limit: int
    ) -> Script[list[Frozen]]:
        if not wire.ids([redrive_id]):
            return []
        rows = yield self.look("frozen_in_redrive", id=redrive_id, state=state, after=after, limit=limit)
        return wire.utc_all(wire.FROZEN.decode(wire.answer(rows)))

    def prune_redrives(self, period: timedelta, limit: int) -> Script[int]:
        rows = yield self.ask("prune_redrives", seconds=period.total_seconds(), limit=limit, commits=True)
        return wire.COUNTED.decode(wire.answer(rows)).count

    def read_switch(self, name: str) -> Script[Switch | None]:
        rows = yield self.look("read_switch", switch=name)
        return next(iter(wire.utc_all(wire.SWITCHES.decode(wire.answer(rows)))), None)

    def put_switch(self, switch: Switch) -> Script[bool]:
        rows = yield self.ask("put_switch", switch=switch)
        return wire.COUNTED.decode(wire.answer(rows)).count > 0

    def drop_switch(self, name: str) -> Script[bool]:
        rows = yield self.ask("drop_switch", switch=name)
        return wire.COUNTED.decode(wire.answer(rows)).count > 0
