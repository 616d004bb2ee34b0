"""Queues that are left alone for a while: claims there brought nothing but jobs whose key is missing here, and more of
the same would only be claimed and sent back."""

import time
from typing import Final

from tenure.core.claim import Claimed

FIRST: Final = 0.5
LONGEST: Final = 10.0
"""Seconds. Doubled with each claim in a row that could open nothing."""

_DOUBLINGS: Final = 10


class Resting:
    """By queue, for who claims from several. A claim that brings something to do ends it: one bad job stops nobody."""

    def __init__(self) -> None:
        self._fruitless: dict[str, int] = {}
        self._ends: dict[str, float] = {}

    def note(self, queue: str, claimed: Claimed) -> None:
        """What a claim on the queue came to."""
        if not claimed.leases and claimed.lacks_key:
            times = self._fruitless[queue] = self._fruitless.get(queue, 0) + 1
            self._ends[queue] = time.monotonic() + min(LONGEST, FIRST * 2.0 ** min(times - 1, _DOUBLINGS))
        elif self._fruitless and claimed.leases:
            self._fruitless.pop(queue, None)
            self._ends.pop(queue, None)

    def end(self, queue: str) -> float:
        """When it is asked again, by the monotonic clock; long ago where it does not rest."""
        return self._ends.get(queue, 0.0) if self._ends else 0.0

    def __contains__(self, queue: str) -> bool:
        return bool(self._ends) and self.end(queue) > time.monotonic()
