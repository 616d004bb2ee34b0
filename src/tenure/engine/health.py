"""Whether a worker is well: not whether its process lives, but whether its loops get answers.

A loop that has not succeeded within twice its interval makes the worker unwell, whatever the others do.
"""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

STALE_AFTER: Final = 10.0
"""Seconds after which a health file speaks of nobody: it is written each second."""


@dataclass(slots=True)
class Pulse:
    """One loop's record: when it last got through, how often it must, and what stood in its way since."""

    interval: float
    last_success: float
    error: str = ""
    failures: int = 0

    def is_late(self, now: float) -> bool:
        return now - self.last_success > 2 * self.interval


@dataclass(frozen=True, slots=True)
class Health:
    """A snapshot. ages: seconds since each loop's last success. troubles: the loops that are late, and why; and what
    else keeps it from being well. waiting: callers of this process that wait for a connection to the database, waited:
    how many seconds the first of them has."""

    well: bool
    state: str
    running: int
    slots: int
    leaked: int
    done: int
    blocked_loop: float
    ages: dict[str, float] = field(default_factory=dict)
    troubles: dict[str, str] = field(default_factory=dict)
    waiting: int = 0
    waited: float = 0.0


class Pulses:
    """The pulses of a worker's loops, by name."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pulses: dict[str, Pulse] = {}
        self._lock = threading.Lock()

    def expect(self, name: str, interval: float) -> None:
        """From now on `name` must succeed at least every `interval` seconds (twice that is late)."""
        with self._lock:
            self._pulses[name] = Pulse(interval, self._clock())

    def success(self, name: str) -> None:
        pulse = self._pulses[name]
        pulse.last_success = self._clock()
        pulse.failures = 0
        pulse.error = ""

    def answered(self, name: str) -> None:
        """It got through, and what failed before may fail still: the row of failures goes on."""
        self._pulses[name].last_success = self._clock()

    def failure(self, name: str, error: str) -> int:
        """Notes a failure; how many in a row."""
        pulse = self._pulses[name]
        pulse.failures += 1
        pulse.error = error
        return pulse.failures

    def interval(self, name: str) -> float:
        """How often it must succeed, in seconds."""
        return self._pulses[name].interval

    def failures(self, name: str) -> int:
        """Failures in a row."""
        return self._pulses[name].failures

    def error(self, name: str) -> str:
        """Of the last failure since the last success; blank where there was none."""
        return self._pulses[name].error

    def ages(self) -> dict[str, float]:
        now = self._clock()
        return {name: round(now - pulse.last_success, 3) for name, pulse in self._pulses.items()}

    def troubles(self) -> dict[str, str]:
        """The late loops, each with its last error."""
        now = self._clock()
        late = {name: pulse for name, pulse in self._pulses.items() if pulse.is_late(now)}
        return {name: pulse.error or "no answer" for name, pulse in late.items()}


@dataclass(frozen=True, slots=True)
class SupervisorHealth:
    """Of several workers under one supervisor. well: every place is filled by a child that is well.

    children: for each place the process id and the newest health of its worker; None where there is none."""

    well: bool
    state: str
    children: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PublishingHealth:
    """Of a publisher of hints. well: it gets through to the database, and its callable has not failed for long, nor
    three times in a row. given: ids that the callable took since the start.

    refusals: failures of the callable in a row. error: the last one, or that of the database; blank where there is
    none. age: seconds since it last got through to the database."""

    well: bool
    given: int
    refusals: int
    error: str
    age: float


def write(path: str, health: Health | SupervisorHealth | PublishingHealth) -> None:
    """Replaces the health file atomically."""
    fresh = Path(f"{path}.new")
    fresh.write_text(json.dumps(asdict(health)))
    fresh.replace(path)


def read(path: Path) -> dict[str, Any] | None:
    """What a worker wrote within the last STALE_AFTER seconds; None when it did not."""
    try:
        if time.time() - path.stat().st_mtime > STALE_AFTER:
            return None
        facts: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    return facts
