"""A publisher's thread: one tick after the other, and the waits between them."""

import logging
import threading
import time
from collections.abc import Collection
from typing import Final

from tenure.engine.health import PublishingHealth, Pulses
from tenure.engine.loop import LONGEST_WAIT, note_failure
from tenure.engine.upkeep.publisher import Publisher
from tenure.stores.protocol import Listener, Store

log = logging.getLogger("tenure.engine")

PULSE: Final = "publish"
DEAF_WAIT: Final = 0.1
REFUSALS: Final = 3
"""In a row, after which a publisher is unwell."""
SHORTEST_WAIT: Final = 0.02
"""Seconds between looks that find nothing, however often the database tells of ready jobs: those may have been
given."""


class Publishing:
    """What `app.publish_hints` answers: it runs until `stop`, or to the end of a `with` block."""

    def __init__(self, store: Store, publisher: Publisher, queues: Collection[str]) -> None:
        """queues: whose hints of the database end a wait; jobs of others are seen at the next look."""
        self._store, self._publisher, self._queues = store, publisher, queues
        self._pulses = Pulses()
        self._pulses.expect(PULSE, LONGEST_WAIT)
        self._stopping = threading.Event()
        self._listener: Listener | None = None
        self._thread = threading.Thread(target=self._run, name="tenure-publish", daemon=True)

    def __enter__(self) -> "Publishing":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> None:
        self._listener = self._store.listen(self._queues)
        self._thread.start()

    def stop(self, seconds: float = 10.0) -> bool:
        """Gives nothing more; whether the callable has come back within so many seconds, which it has not where it
        calls this itself."""
        self._stopping.set()
        if self._listener is not None:
            self._listener.wake()
        if threading.current_thread() is not self._thread:
            self._thread.join(seconds)
        if self._thread.is_alive():
            return False
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        return True

    def health(self) -> PublishingHealth:
        """How it is now."""
        publisher, since = self._publisher, self._publisher.refused_since
        is_late = since is not None and time.monotonic() - since > 2 * LONGEST_WAIT
        is_refused = is_late or publisher.refusals >= REFUSALS
        return PublishingHealth(
            well=self._thread.is_alive() and not is_refused and not self._pulses.troubles(),
            given=publisher.given,
            refusals=publisher.refusals,
            error=publisher.refusal or self._pulses.error(PULSE),
            age=self._pulses.ages()[PULSE],
        )

    def _run(self) -> None:
        while not self._stopping.is_set():
            wait, is_failing = self._tick()
            if wait > 0 and not self._stopping.is_set():
                self._rest(wait, is_failing=is_failing)

    def _tick(self) -> tuple[float, bool]:
        """One tick; the seconds until the next, and whether this one failed. Looks at a database that has nothing else
        do not end a row of refusals: only what gets through does."""
        try:
            wait = self._publisher.tick()
        except Exception as error:  # noqa: BLE001 (the thread never dies of an error)
            return note_failure(PULSE, error, self._pulses), True
        if self._publisher.refusals:
            self._pulses.answered(PULSE)
        else:
            self._pulses.success(PULSE)
        return wait, False

    def _rest(self, wait: float, *, is_failing: bool) -> None:
        """After a failure for the whole time, else until the database tells of ready jobs."""
        if self._stopping.wait(wait if is_failing else SHORTEST_WAIT) or is_failing or self._listener is None:
            return
        try:
            self._listener.wait(wait)
        except Exception as error:  # noqa: BLE001 (without wake-ups, whatever stands in their way, it polls)
            log.debug("no wake-ups, looking goes on: %r", error)
            time.sleep(min(wait, DEAF_WAIT))
