"""Counts how the attempts of this process end, by kind, and holds up retries in a storm (`core.storm`).

What is measured is a share, so each process measures its own, and nothing of it is written while all is well.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

from tenure.core import storm
from tenure.core.reports import Completion, Failure, Report
from tenure.core.storm import Circuit, Tally
from tenure.engine.handler import Handler
from tenure.engine.run import Run


class Storms:
    """Safe from any thread. clock: monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._windows: dict[str, Window] = {}
        self._circuits: dict[tuple[str, str], Circuit] = {}
        self._lock = threading.Lock()

    def judged(self, run: Run, handler: Handler, said: Report) -> Report:
        """The report as it goes in: a retry may have to wait, and its kind may have to rest."""
        if not isinstance(said, (Completion, Failure)):
            return said
        with self._lock:
            tally = self._windows.setdefault(handler.kind, Window()).add(self._clock(), run.lease.tries > 0)
            if isinstance(said, Failure) and storm.is_retry(said) and storm.is_storm(tally, handler.retry_share):
                said = storm.delayed(said)
            return said if handler.circuit is None else self._rested(run, handler.circuit, said)

    def _rested(self, run: Run, threshold: int, said: Report) -> Report:
        place = (run.lease.tenant, run.lease.kind)
        circuit = storm.counted(self._circuits.get(place, Circuit()), said)
        if isinstance(said, Failure):
            circuit, said = storm.opened(circuit, said, threshold)
        if circuit == Circuit():
            self._circuits.pop(place, None)
        else:
            self._circuits[place] = circuit
        return said


class Window:
    """Six parts, of which the oldest is let go as time goes on."""

    PARTS = 6

    def __init__(self) -> None:
        self._parts: deque[tuple[int, Tally]] = deque()

    def add(self, now: float, is_retry: bool) -> Tally:
        """Counts one more; all that ended within the window."""
        part = int(now // (storm.WINDOW / self.PARTS))
        while self._parts and self._parts[0][0] <= part - self.PARTS:
            self._parts.popleft()
        _, newest = self._parts.pop() if self._parts and self._parts[-1][0] == part else (part, Tally())
        self._parts.append((part, Tally(newest.ended + 1, newest.retries + is_retry)))
        tallies = [tally for _, tally in self._parts]
        return Tally(sum(tally.ended for tally in tallies), sum(tally.retries for tally in tallies))
