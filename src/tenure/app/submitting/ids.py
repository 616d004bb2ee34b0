"""Ids of jobs: UUIDv7 (RFC 9562), made by the producer, rising within a process."""

import os
import threading
import time
from array import array
from collections.abc import Callable
from typing import Final

from tenure.core.uuid7 import TAIL_BITS, uuid7

_STEP_BITS: Final = 32
_WORD_BITS: Final = 32
_BLOCK: Final = 4096


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


class Dice:
    """Random integers from the operating system, which is asked for blocks: a call for each id would cost more than the
    id, and lets go of the interpreter.

    Called under the lock of its Ids.
    """

    def __init__(self) -> None:
        self._words: list[int] = []

    def __call__(self, bits: int) -> int:
        if bits > _WORD_BITS:
            return self(bits - _WORD_BITS) << _WORD_BITS | self(_WORD_BITS)
        if not self._words:
            self._words = array("I", os.urandom(_BLOCK)).tolist()
        return self._words.pop() >> (_WORD_BITS - bits)

    def forget(self) -> None:
        """Drops the block: a forked child must not throw what its parent throws."""
        self._words = []


_DICE: Final = Dice()
new_id: Final = Ids(lambda: time.time_ns() // 1_000_000, _DICE)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_DICE.forget)
    os.register_at_fork(after_in_child=new_id.forget)
