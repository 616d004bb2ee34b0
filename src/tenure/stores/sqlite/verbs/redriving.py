"""Dead letters, redrives, switches, and their rows."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from tenure.core.job_filter import JobFilter
from tenure.core.redriving import redrive as redrives
from tenure.core.redriving.dead_letter import DeadLetter, LastError
from tenure.core.redriving.redrive import Frozen, FrozenState, Lane, Left, Redrive, RedriveState
from tenure.core.states import State
from tenure.core.switch import Switch
from tenure.stores.redriving import Cursor, End, HeldRedrive
from tenure.stores.script import Row, Script, Statement
from tenure.stores.sqlite.filtering import conditions
from tenure.stores.sqlite.instants import instant_or_none, micros_or_none, of_micros, to_micros
from tenure.stores.sqlite.rows import json_text
from tenure.stores.sqlite.statements import sql
from tenure.stores.sqlite.verbs.base import VerbsBase

_PAST_ALL: Final = "~"
_LAST: Final = 2**63 - 1
_FIRST: Final = -(2**63)
_INSTANTS: Final = ("created_at", "updated_at", "counts_from", "ended_at", "frozen_at")
_FROZEN_INSTANTS: Final = ("sent_at", "settled_at")

_decode_which = msgspec.json.Decoder(JobFilter).decode


class RedriveVerbs(VerbsBase):
    """See `stores.redriving.RedriveVerbs`."""

    def dead_letters(self, which: JobFilter, before: Cursor | None, limit: int) -> Script[list[DeadLetter]]:
        place = (_LAST, _PAST_ALL) if before is None else (to_micros(before[0]), before[1])
        return (yield from _letters("dead_letters", which, place, limit))

    def dead_letters_after(self, which: JobFilter, after: Cursor | None, limit: int) -> Script[list[DeadLetter]]:
        place = (_FIRST, "") if after is None else (to_micros(after[0]), after[1])
        return (yield from _letters("dead_letters_after", which, place, limit))

    def last_errors(self, job_ids: Collection[str]) -> Script[dict[str, LastError]]:
        found = yield from self._ask("last_errors", json_text(list(job_ids)))
        return {job_id: LastError(code=code, message=message) for job_id, code, message in found}

    def add_redrive(self, redrive: Redrive) -> Script[bool]:
        yield from self._tick()
        return bool((yield from self._ask("add_redrive", *_row_of(redrive))))

    def freeze(self, rows: Sequence[Frozen]) -> Script[None]:
        yield from self._tick()
        yield from self._ask("freeze", json_text([_frozen_row(row) for row in rows]))

    def read_redrive(self, redrive_id: str) -> Script[Redrive | None]:
        found = yield from self._ask("read_redrive", redrive_id)
        return _redrive_of(found[0]) if found else None

    def redrives(self, before: str | None, limit: int) -> Script[list[Redrive]]:
        return list(map(_redrive_of, (yield from self._ask("redrives", before or _PAST_ALL, limit))))

    def open_redrives(self) -> Script[list[str]]:
        return [redrive_id for (redrive_id,) in (yield from self._ask("open_redrives"))]

    def hold_redrive(self, redrive_id: str) -> Script[HeldRedrive]:
        now = yield from self._tick()
        return HeldRedrive(of_micros(now), (yield from self.read_redrive(redrive_id)))

    def write_redrive(self, before: Redrive, after: Redrive) -> Script[bool]:
        yield from self._tick()
        return bool((yield from self._ask("write_redrive", *_row_of(after), before.id, before.revision)))

    def waiting_in_redrive(
        self, redrive_id: str, *, canary_only: bool, closed: Collection[Lane], limit: int
    ) -> Script[list[Frozen]]:
        lanes = json_text(sorted(closed))
        found = yield from self._ask("waiting_in_redrive", redrive_id, int(canary_only), lanes, limit)
        return list(map(_frozen_of, found))

    def ended_in_redrive(self, redrive_id: str, limit: int) -> Script[list[End]]:
        return [
            End(_frozen_of(row), None if state is None else State(state), code, instant_or_none(ended_at))
            for *row, state, code, ended_at in (yield from self._ask("ended_in_redrive", redrive_id, limit))
        ]

    def outcomes_of_redrive(self, redrive_id: str, since: datetime, limit: int) -> Script[list[Frozen]]:
        found = yield from self._ask("outcomes_of_redrive", redrive_id, to_micros(since), limit)
        return list(map(_frozen_of, found))

    def sent_in_redrive(self, redrive_id: str, after: datetime) -> Script[Mapping[Lane, int]]:
        found = yield from self._ask("sent_in_redrive", redrive_id, to_micros(after))
        return {(tenant, kind): jobs for tenant, kind, jobs in found}

    def write_frozen(self, rows: Sequence[Frozen]) -> Script[None]:
        yield from self._tick()
        for row in rows:
            place = (row.redrive_id, row.place)
            instants = (micros_or_none(row.sent_at), micros_or_none(row.settled_at))
            yield from self._ask("write_frozen", *place, str(row.state), _text(row.reason), row.code, *instants)

    def leave_waiting(self, redrive_id: str, reason: str, at: datetime) -> Script[None]:
        yield from self._tick()
        yield from self._ask("leave_waiting", redrive_id, str(reason), to_micros(at))

    def frozen_in_redrive(
        self, redrive_id: str, state: FrozenState | None, after: int, limit: int
    ) -> Script[list[Frozen]]:
        found = yield from self._ask("frozen_in_redrive", redrive_id, after, _text(state), limit)
        return list(map(_frozen_of, found))

    def prune_redrives(self, period: timedelta, limit: int) -> Script[int]:
        cut = (yield from self._tick()) - period // timedelta(microseconds=1)
        gone = yield from self._ask("prune_redrive_jobs", cut, limit)
        yield from self._ask("prune_redrives", cut)
        return len(gone)

    def read_switch(self, name: str) -> Script[Switch | None]:
        for name_of, who, why, at in (yield from self._ask("read_switch", name)):
            return Switch(name=name_of, who=who, why=why, at=of_micros(at))
        return None

    def put_switch(self, switch: Switch) -> Script[bool]:
        yield from self._tick()
        return bool((yield from self._ask("put_switch", switch.name, switch.who, switch.why, to_micros(switch.at))))

    def drop_switch(self, name: str) -> Script[bool]:
        yield from self._tick()
        return bool((yield from self._ask("drop_switch", name)))


def _letters(name: str, which: JobFilter, place: tuple[int, str], limit: int) -> Script[list[DeadLetter]]:
    """Past a place, in the order of the statement."""
    narrowing, args = conditions(msgspec.structs.replace(which, states=None))
    text = sql(name).replace("{conditions}", narrowing)
    return list(map(_letter_of, (yield Statement(text, (*place, *args, limit)))))


def _letter_of(row: Row) -> DeadLetter:
    values = dict(zip(DeadLetter.__struct_fields__, row, strict=True))
    told = {"has_payload": bool(values["has_payload"]), "is_superseded": bool(values["is_superseded"])}
    return DeadLetter(**values | told | {"ended_at": of_micros(values["ended_at"])})


def _row_of(redrive: Redrive) -> tuple[Any, ...]:
    """A redrive's row, in the order of `core.redriving.redrive.COLUMNS`."""
    values = {name: getattr(redrive, name) for name in redrives.COLUMNS}
    instants = {name: micros_or_none(values[name]) for name in _INSTANTS}
    return tuple((values | instants | {"state": str(redrive.state), "which": json_text(redrive.which)}).values())


def _redrive_of(row: Row) -> Redrive:
    values = dict(zip(redrives.COLUMNS, row, strict=True))
    instants = {name: instant_or_none(values[name]) for name in _INSTANTS}
    told = {
        "state": RedriveState(values["state"]),
        "which": _decode_which(values["which"]),
        "single_attempts": bool(values["single_attempts"]),
    }
    return Redrive(**values | instants | told)


def _frozen_row(row: Frozen) -> list[Any]:
    """A row of a selection, in the order of `core.redriving.redrive.FROZEN_COLUMNS`."""
    values = {name: getattr(row, name) for name in redrives.FROZEN_COLUMNS}
    instants = {name: micros_or_none(values[name]) for name in _FROZEN_INSTANTS}
    return list((values | instants | {"is_canary": int(row.is_canary)}).values())


def _frozen_of(row: Sequence[Any]) -> Frozen:
    values = dict(zip(redrives.FROZEN_COLUMNS, row, strict=True))
    instants = {name: instant_or_none(values[name]) for name in _FROZEN_INSTANTS}
    told = {
        "state": FrozenState(values["state"]),
        "reason": None if values["reason"] is None else Left(values["reason"]),
        "is_canary": bool(values["is_canary"]),
    }
    return Frozen(**values | instants | told)


def _text(word: str | None) -> str | None:
    """The plain text of an enumeration's member."""
    return None if word is None else str(word)
