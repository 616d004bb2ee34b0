"""Ids of jobs: UUIDv7 (RFC 9562), made by the producer, rising within a process."""

import os
import threading
import time
from collections.abc import Callable
from typing import Final

TAIL_BITS: Final = 74
_STEP_BITS: Final = 32


def uuid7(milliseconds: int, tail: int) -> str:
    """The canonical text of a UUIDv7. milliseconds: Unix time, 48 bits. tail: the other 74 bits, the big ones first."""
    high = (milliseconds << 16) | 0x7000 | (tail >> 62)
    low = (0b10 << 62) | (tail & ((1 << 62) - 1))
    digits = f"{high:016x}{low:016x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


class Ids:
    """Makes ids that rise: inside a millisecond (or after the clock went back) the tail moves on by a random step.

    milliseconds: the clock. chance: a random integer of so many bits.
    """

    def __init__(self, milliseconds: Callable[[], int], chance: Callable[[int], int]) -> None:
        self._milliseconds, self._chance = milliseconds, chance
        self._lock = threading.Lock()
        self._last, self._tail = -1, 0

    def __call__(self) -> str:
        with self._lock:
            now = self._milliseconds()
            if now > self._last:
                self._last, self._tail = now, self._chance(TAIL_BITS - 1)
            else:
                self._tail += 1 + self._chance(_STEP_BITS)
            if self._tail >> TAIL_BITS:
                self._last, self._tail = self._last + 1, self._chance(TAIL_BITS - 1)
            return uuid7(self._last, self._tail)

    def forget(self) -> None:
        """Starts anew: a forked child must not go on with its parent's tail."""
        self._lock = threading.Lock()
        self._last, self._tail = -1, 0


def _chance(bits: int) -> int:
    return int.from_bytes(os.urandom((bits + 7) // 8)) >> (-bits % 8)


new_id: Final = Ids(lambda: time.time_ns() // 1_000_000, _chance)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=new_id.forget)
