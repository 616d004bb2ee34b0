"""Waiting for a lock of another process: an own retry with jitter, since SQLite's busy handler starves some."""

import random
import sqlite3
import time
from collections.abc import Callable
from typing import Final

from tenure.stores.script import T
from tenure.stores.sqlite.failures import is_busy

PATIENCE: Final = 10.0
"""Seconds until a locked database is reported as busy."""
_SHORTEST: Final = 0.0002
_LONGEST: Final = 0.002
_LONGEST_WHEN_HELD: Final = 0.02
_HELD_AFTER: Final = 0.25

_jitter = random.Random()  # noqa: S311 (a die for fairness between processes, no secret)


def patiently(action: Callable[[], T], seconds: float = PATIENCE) -> T:
    """Repeats `action` while it meets a lock. Raises its last error when the patience is over."""
    began: float | None = None
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            now = time.monotonic()
            began = now if began is None else began
            waited = now - began
            if not is_busy(error) or waited >= seconds:
                raise
        longest = _LONGEST if waited < _HELD_AFTER else _LONGEST_WHEN_HELD
        time.sleep(_jitter.uniform(_SHORTEST, longest))
