"""A loop: a tick, again and again, in a thread of its own. It never dies of an error, and never spins on one."""

import logging
import random
import threading
from collections.abc import Callable
from typing import Final

from tenure.core.errors import StoreError, TenureError
from tenure.engine.health import Pulses

log = logging.getLogger("tenure.engine")

FIRST_WAIT: Final = 0.1
LONGEST_WAIT: Final = 5.0


def wait_after(failures: int, chance: float) -> float:
    """Seconds before the next try after so many failures in a row: doubling from 0.1 to 5, half of it jitter."""
    most = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(failures - 1, 10))
    return most * (0.5 + chance / 2)


class Loop:
    """Calls `tick` until stopped. The tick answers how many seconds to wait before the next one."""

    def __init__(self, name: str, tick: Callable[[], float], pulses: Pulses, interval: float) -> None:
        self.name = name
        self._tick = tick
        self._pulses = pulses
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"tenure-{name}", daemon=True)
        pulses.expect(name, interval)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """No further tick; the present one may end."""
        self._stopping.set()

    def join(self, seconds: float) -> bool:
        """Whether the loop has ended within so many seconds."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._stopping.wait(attempt_tick(self.name, self._tick, self._pulses))


def attempt_tick(name: str, tick: Callable[[], float], pulses: Pulses) -> float:
    """One tick, its success or failure noted; the seconds to wait before the next."""
    try:
        wait = tick()
    except Exception as error:  # noqa: BLE001 (a loop never dies of an error)
        return note_failure(name, error, pulses)
    pulses.success(name)
    return wait


def note_failure(name: str, error: Exception, pulses: Pulses) -> float:
    """Counts and logs it; the seconds to wait before the next try. Called while the error is handled."""
    if isinstance(error, StoreError):
        failures = pulses.failure(name, str(error))
        level = logging.WARNING if failures in (1, 10) or failures % 100 == 0 else logging.DEBUG
        log.log(level, "%s: %s (failure %d in a row, trying again)", name, error, failures)
    else:
        failures = pulses.failure(name, repr(error))
        shown = error if isinstance(error, TenureError) else repr(error)
        log.error("%s: %s (failure %d in a row, trying again)", name, shown, failures, exc_info=failures == 1)
    return _wait_after(name, failures, pulses)


def _wait_after(name: str, failures: int, pulses: Pulses) -> float:
    """Never longer than the loop's interval: a database that is back is seen as soon as in good times."""
    return min(wait_after(failures, random.random()), pulses.interval(name))  # noqa: S311
