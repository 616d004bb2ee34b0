"""A rewrite of many rows, so many at a time in the order of the key; whoever writes has his turn in between."""

import sqlite3
from typing import Any, Final

from tenure.core.errors import StoreError
from tenure.stores.migration_steps import Rewrite

ROWS: Final = 500


class Batches:
    """One walk along a table. Nobody else writes during a batch, so that one walk is enough."""

    def __init__(self, step: Rewrite) -> None:
        self._step = step
        self._key = f"({', '.join(step.key)})"
        self._values = f"({', '.join('?' for _ in step.key)})"
        self._here: tuple[Any, ...] | None = None

    def next(self, connection: sqlite3.Connection) -> bool:
        """Rewrites the next batch, in the transaction that is open; whether there is another one behind it."""
        if self._here is None:
            self._here = self._key_at(connection, "true", (), 0)
        if self._here is None:
            return False
        within, bounds = f"{self._key} >= {self._values}", self._here
        following = self._key_at(connection, within, bounds, ROWS)
        if following is not None:
            within, bounds = f"{within} AND {self._key} < {self._values}", (*bounds, *following)
        self._write(connection, within, bounds)
        self._here = following
        return following is not None

    def _key_at(
        self, connection: sqlite3.Connection, within: str, bounds: tuple[Any, ...], skipped: int
    ) -> tuple[Any, ...] | None:
        columns = ", ".join(self._step.key)
        text = f"SELECT {columns} FROM {self._step.table} WHERE {within} ORDER BY {columns} LIMIT 1 OFFSET {skipped}"  # noqa: S608 (our own files)
        row: tuple[Any, ...] | None = connection.execute(text, bounds).fetchone()
        return row

    def _write(self, connection: sqlite3.Connection, within: str, bounds: tuple[Any, ...]) -> None:
        """The plus keeps the condition from an index of its own, which would find rows far away from the batch."""
        which = f"{within} AND +({self._step.condition})"
        connection.execute(f"{self._step.verb} WHERE {which}", bounds)
        if connection.execute(f"SELECT 1 FROM {self._step.table} WHERE {which} LIMIT 1", bounds).fetchone():  # noqa: S608 (our own files)
            raise StoreError(
                f"rows of {self._step.table} that were rewritten still fulfil the condition: this would never end"
            )


def in_one_go(step: Rewrite) -> str:
    """The same as one statement."""
    return f"{step.verb} WHERE {step.condition};"
