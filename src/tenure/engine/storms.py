"""Counts how the attempts of this process end, by kind, and holds up retries in a storm (`core.flow.storm`).

What is measured is a share, so each process measures its own, and nothing of it is written while all is well.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

from tenure.core.flow import storm
from tenure.core.flow.storm import Circuit, Tally
from tenure.core.reports import Completion, Failure, Report
from tenure.engine.attempts.handler import Handler
from tenure.engine.attempts.run import Run


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
            window = self._windows.get(handler.kind)
            if window is None:
                window = self._windows[handler.kind] = Window()
            window.add(self._clock(), run.lease.tries > 0)
            if isinstance(said, Failure) and storm.is_retry(said):
                said = storm.delayed(said) if storm.is_storm(window.tally(), handler.retry_share) else said
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
        self._parts: deque[_Part] = deque()

    def add(self, now: float, is_retry: bool) -> None:
        """Counts one more. Each end of an attempt comes by here."""
        number = int(now // (storm.WINDOW / self.PARTS))
        parts = self._parts
        if not parts or parts[-1].number != number:
            parts.append(_Part(number))
            while parts[0].number <= number - self.PARTS:
                parts.popleft()
        parts[-1].ended += 1
        parts[-1].retries += is_retry

    def tally(self) -> Tally:
        """All that had ended within the window when the last one was added."""
        return Tally(sum(part.ended for part in self._parts), sum(part.retries for part in self._parts))


class _Part:
    """number: since the clock began."""

    __slots__ = ("ended", "number", "retries")

    def __init__(self, number: int) -> None:
        self.number, self.ended, self.retries = number, 0, 0
