"""What takes back the writes of a script that has failed."""

from collections.abc import Callable
from typing import Any


class Journal:
    """Every change is noted here first."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], object]] = []
        self.in_transaction = False

    def begin(self) -> None:
        self._undo.clear()
        self.in_transaction = False

    def keep(self) -> None:
        """What is written so far stays, whatever happens to the rest of the script."""
        self._undo.clear()

    def roll_back(self) -> None:
        while self._undo:
            self._undo.pop()()

    def _note(self, table: dict[Any, Any], key: object) -> None:
        before = table.get(key)
        self._undo.append(lambda: table.pop(key) if before is None else table.__setitem__(key, before))
