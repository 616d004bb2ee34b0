"""A clock that moves only when a test says so."""

import threading
from datetime import UTC, datetime, timedelta

from tenure.core import fields
from tenure.core.errors import InvalidInput

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


class FakeClock:
    """Pass it as a store's `clock`. Safe from any thread.

    start: the first instant that it tells, aware.
    """

    def __init__(self, start: datetime = START) -> None:
        self._lock = threading.Lock()
        self._now = _aware("start", start)

    def __call__(self) -> datetime:
        with self._lock:
            return self._now

    def advance(self, seconds: float | timedelta) -> datetime:
        """Moves on by `seconds` (or a timedelta), back where they are negative; the new instant. Raises
        InvalidInput."""
        step = timedelta(seconds=fields.duration("seconds", seconds, least=-fields.LONGEST_DELAY))
        with self._lock:
            self._now += step
            return self._now

    def to(self, instant: datetime) -> datetime:
        """Sets it to an aware instant, also back; the new instant."""
        told = _aware("instant", instant)
        with self._lock:
            self._now = told
            return self._now


def _aware(field: str, said: datetime) -> datetime:
    told = fields.instant(field, said)
    if told is None:
        raise InvalidInput(field, "must be a datetime, not None")
    return told
