"""The dispatcher's threads: one round after the other, and the waits between them.

The first thread does the rounds, and rests in between. The second, where the store answers two at once, sleeps until
so many reports have piled up behind a round of the first that they are worth one of their own.
"""

import logging
import threading
import time
from typing import Final

from tenure.engine.claiming.claimer import Claimer
from tenure.engine.claiming.dispatcher import Dispatcher
from tenure.engine.health import Pulses
from tenure.engine.loop import note_failure
from tenure.stores.protocol import Listener

log = logging.getLogger("tenure.engine")

DEAF_WAIT: Final = 0.1
PULSE: Final = "claim"


class Dispatching:
    """Unlike a `Loop` it is woken by hints of the database and by reports that are worth a flush.

    drain_errors: rounds that failed since claiming stopped.
    """

    def __init__(
        self, dispatcher: Dispatcher, claimer: Claimer, pulses: Pulses, interval: float, *, has_help: bool
    ) -> None:
        self._dispatcher = dispatcher
        self._claimer = claimer
        self._pulses = pulses
        self._waiting = False
        self._deaf = False
        self._ended = False
        self.drain_errors = 0
        self._help_wanted = threading.Event()
        self._threads = [threading.Thread(target=self._run, name="tenure-claim", daemon=True)]
        if has_help:
            self._threads.append(threading.Thread(target=self._run_help, name="tenure-claim-2", daemon=True))
        pulses.expect(PULSE, interval)

    def start(self, listener: Listener) -> None:
        self._listener = listener
        for thread in self._threads:
            thread.start()

    def reported(self) -> None:
        """An attempt has reported its end. From any thread."""
        if self._waiting:
            if self._dispatcher.has_due():
                self._listener.wake()
        elif not self._help_wanted.is_set() and self._dispatcher.needs_help():
            self._help_wanted.set()

    def wake(self) -> None:
        """Ends the present wait."""
        self._listener.wake()

    def stop(self, seconds: float) -> bool:
        """No further round; whether those under way have ended within so many seconds."""
        self._ended = True
        self._listener.wake()
        self._help_wanted.set()
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _run(self) -> None:
        while not self._ended:
            gathering = self._dispatcher.gathering()
            self._rest(gathering if gathering > 0 else self._round())

    def _round(self) -> float:
        """One round, its success or failure noted; the seconds to wait before the next."""
        try:
            wait = self._dispatcher.tick()
        except Exception as error:  # noqa: BLE001 (the thread never dies of an error)
            self._failed(error)
            return 0.0
        self._pulses.success(PULSE)
        return wait

    def _run_help(self) -> None:
        while not self._ended:
            self._help_wanted.wait()
            self._help_wanted.clear()
            while self._dispatcher.needs_help() and self._help():
                pass

    def _help(self) -> bool:
        """One round of the second lane; whether another may be worth it. A success is not noted: it says nothing about
        the first thread, whose round may have no answer."""
        try:
            has_helped = self._dispatcher.help()
        except Exception as error:  # noqa: BLE001 (the thread never dies of an error)
            self._listener.wake()
            self._failed(error)
            return False
        if self._dispatcher.wait() <= 0:
            self._listener.wake()
        return has_helped

    def _failed(self, error: Exception) -> None:
        self.drain_errors += not self._dispatcher.claiming
        time.sleep(note_failure(PULSE, error, self._pulses))

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
