"""The scripts about delivery hints. Triggers make them in the transaction that makes a job ready."""

from collections.abc import Collection
from typing import Final

from msgspec.structs import replace

from tenure.core.hints import MOST_COUNTED, Backlog, Taken
from tenure.core.switch import HINTS, Switch
from tenure.stores.postgres import wire
from tenure.stores.postgres.verbs.reading import Asking
from tenure.stores.script import Script

_BEFORE_ALL: Final = "00000000-0000-0000-0000-000000000000"
_SEEDS: Final = 5000


class HintVerbs(Asking):
    def start_hints(self, switch: Switch) -> Script[bool]:
        rows = yield self.look("read_switch", switch=HINTS)
        if wire.SWITCHES.decode(wire.answer(rows)):
            return False
        yield self.ask("start_hints", commits=True)
        past: str | None = _BEFORE_ALL
        while past is not None:
            rows = yield self.ask("seed_hints", past=past, most=_SEEDS, commits=True)
            past = wire.SEEDED.decode(wire.answer(rows)).past
        rows = yield self.ask("put_switch", switch=switch)
        return wire.COUNTED.decode(wire.answer(rows)).count > 0

    def stop_hints(self) -> Script[bool]:
        """The many are deleted first: the lock that keeps every writer waiting is held for what has come since."""
        yield self.ask("clear_hints", commits=True)
        rows = yield self.ask("drop_switch", switch=HINTS)
        yield self.ask("stop_hints")
        yield self.ask("clear_hints")
        return wire.COUNTED.decode(wire.answer(rows)).count > 0

    def take_hints(self, token: str, limit: int, hold: float, waited: float = 0.0) -> Script[Taken]:
        rows = yield self.ask("take_hints", token=token, limit=limit, hold=hold, waited=waited)
        taken = wire.utc(wire.TAKEN.decode(wire.answer(rows)))
        if not taken.hints:
            return taken
        rows = yield self.ask("drop_hints", ids=[job_id for job_id, _ in taken.hints])
        gone = set(wire.IDS.decode(wire.answer(rows)))
        ready = tuple(hint for hint in taken.hints if hint[0] not in gone)
        return replace(taken, hints=ready, dropped=len(gone))

    def settle_hints(
        self, token: str, job_ids: Collection[str], again: float | None, error: str | None = None
    ) -> Script[int]:
        fields = {"token": token, "ids": wire.ids(job_ids), "again": again, "error": error}
        rows = yield self.ask("settle_hints", **fields, commits=True)
        return wire.COUNTED.decode(wire.answer(rows)).count

    def hint_backlog(self) -> Script[Backlog]:
        rows = yield self.look("hint_backlog", most=MOST_COUNTED)
        return wire.utc(wire.BACKLOG.decode(wire.answer(rows)))
