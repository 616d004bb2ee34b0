"""What all verbs of SQLite share: the instant of their transaction."""

from typing import Any

from tenure.stores.script import Rows, Script, Statement
from tenure.stores.sqlite.instants import WallClock
from tenure.stores.sqlite.statements import TICK, statement


class VerbsBase:
    """Asks for the store's instant in microseconds; every script that writes begins with it."""

    def __init__(self, wall: WallClock) -> None:
        self._wall = wall

    def _tick(self) -> Script[int]:
        """The instant of this transaction, which no later one of the database goes behind."""
        rows = yield Statement(TICK, (self._wall.micros(),))
        return int(rows[0][0])

    def _ask(self, name: str, *args: Any) -> Script[Rows]:
        return (yield statement(name, args))
