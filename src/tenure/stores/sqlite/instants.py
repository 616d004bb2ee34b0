"""Instants as they rest: INTEGER microseconds since 1970 in UTC. Exact both ways, no float in between."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY: Final = 86_400 * 1_000_000
_SECOND: Final = 1_000_000


def to_micros(instant: datetime) -> int:
    """Microseconds since the epoch of an aware datetime."""
    since = instant - _EPOCH
    return since.days * _DAY + since.seconds * _SECOND + since.microseconds


def fresh(micros: int) -> datetime:
    """The aware UTC datetime of microseconds since the epoch: of an instant that no other row has."""
    return _EPOCH + timedelta(microseconds=micros)


of_micros: Final = lru_cache(maxsize=4096)(fresh)
"""As `fresh`, for an instant of rows that were read: many of them have it."""


def micros_or_none(instant: datetime | None) -> int | None:
    return None if instant is None else to_micros(instant)


def instant_or_none(micros: int | None) -> datetime | None:
    return None if micros is None else of_micros(micros)


@lru_cache(maxsize=256)
def span(seconds: float) -> int:
    """A duration in microseconds, rounded as timedelta rounds."""
    duration = timedelta(seconds=seconds)
    return duration.days * _DAY + duration.seconds * _SECOND + duration.microseconds


class WallClock:
    """This process's share of the store's clock: the wall, or what a test puts in its place, never going back."""

    def __init__(self, clock: Callable[[], datetime] | None = None) -> None:
        """clock: answers aware datetimes instead of the wall."""
        self._clock = clock
        self._latest = 0
        self._lock = threading.Lock()

    def micros(self) -> int:
        """The instant now, in microseconds since the epoch; at least every instant that was answered before."""
        seen = time.time_ns() // 1000 if self._clock is None else to_micros(self._clock())
        with self._lock:
            if seen > self._latest:
                self._latest = seen
            return self._latest
