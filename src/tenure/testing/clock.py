"""A clock that moves only when a test says so."""

import threading
from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


class FakeClock:
    """Pass it as a store's `clock`. Safe from any thread.

    start: the first instant that it tells, aware.
    """

    def __init__(self, start: datetime = START) -> None:
        self._lock = threading.Lock()
        self._now = start.astimezone(UTC)

    def __call__(self) -> datetime:
        with self._lock:
            return self._now

    def advance(self, seconds: float) -> datetime:
        """Moves on by `seconds`; the new instant."""
        with self._lock:
            self._now += timedelta(seconds=seconds)
            return self._now

    def to(self, instant: datetime) -> datetime:
        """Sets it to an aware instant, also back; the new instant."""
        with self._lock:
            self._now = instant.astimezone(UTC)
            return self._now
