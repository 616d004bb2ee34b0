"""The dispatcher's thread: one round after the other, and the waits between them."""

import logging
import threading
import time
from typing import Final

from tenure.engine.claimer import Claimer
from tenure.engine.dispatcher import Dispatcher
from tenure.engine.health import Pulses
from tenure.engine.loop import attempt_tick
from tenure.stores.protocol import Listener

log = logging.getLogger("tenure.engine")

DEAF_WAIT: Final = 0.1
PULSE: Final = "claim"


class Dispatching:
    """Unlike a `Loop` it is woken by hints of the database and by reports that are worth a flush.

    drain_errors: rounds that failed since claiming stopped.
    """

    def __init__(self, dispatcher: Dispatcher, claimer: Claimer, pulses: Pulses, interval: float) -> None:
        self._dispatcher = dispatcher
        self._claimer = claimer
        self._pulses = pulses
        self._waiting = False
        self._deaf = False
        self._ended = False
        self.drain_errors = 0
        self._thread = threading.Thread(target=self._run, name="tenure-claim", daemon=True)
        pulses.expect(PULSE, interval)

    def start(self, listener: Listener) -> None:
        self._listener = listener
        self._thread.start()

    def reported(self) -> None:
        """An attempt has reported its end. From any thread."""
        if self._waiting and self._dispatcher.has_due():
            self._listener.wake()

    def wake(self) -> None:
        """Ends the present wait."""
        self._listener.wake()

    def stop(self, seconds: float) -> bool:
        """No further round; whether the present one has ended within so many seconds."""
        self._ended = True
        self._listener.wake()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._ended:
            gathering = self._dispatcher.gathering()
            self._rest(gathering if gathering > 0 else self._round())

    def _round(self) -> float:
        """One round, its success or failure noted; the seconds to wait before the next."""
        failures = self._pulses.failures(PULSE)
        wait = attempt_tick(PULSE, self._dispatcher.tick, self._pulses)
        if self._pulses.failures(PULSE) <= failures:
            return wait
        self.drain_errors += not self._dispatcher.claiming
        time.sleep(wait)
        return 0.0

    def _rest(self, wait: float) -> None:
        """Waits for a hint, for a report worth a flush, or for the time."""
        if wait <= 0:
            return
        self._waiting = True
        try:
            if not self._dispatcher.has_due() and self._listener.wait(wait):
                self._claimer.hint()
        except Exception as error:  # noqa: BLE001 (without wake-ups, whatever stands in their way, it polls)
            log.log(logging.DEBUG if self._deaf else logging.WARNING, "no wake-ups, polling goes on: %r", error)
            self._deaf = True
            time.sleep(min(wait, DEAF_WAIT))
        finally:
            self._waiting = False
