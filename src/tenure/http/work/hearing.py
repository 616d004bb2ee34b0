"""The store's wake-ups, brought from a thread to the event loop."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Collection
from typing import Final

from tenure.stores.protocol import Listener, Store

log = logging.getLogger("tenure.http")

_DEAF_WAIT: Final = 1.0
_LONGEST_WAIT: Final = 60.0


class Hearing:
    """One thread and one listener for all queues that anybody waits for. hinted: called on the loop, after a hint."""

    def __init__(self, store: Store, hinted: Callable[[], None]) -> None:
        self._store = store
        self._hinted = hinted
        self._loop = asyncio.get_running_loop()
        self._queues: frozenset[str] = frozenset()
        self._listener: Listener | None = None
        self._closed = False
        self._is_deaf = False
        self._thread: threading.Thread | None = None

    def listen(self, queues: Collection[str], watched: Collection[str]) -> None:
        """From now on to these too. watched: all that anybody waits for; what nobody waits for any more is left out
        when a new one comes."""
        if self._queues.issuperset(queues):
            return
        self._queues = frozenset(watched)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="tenure-http-listener", daemon=True)
            self._thread.start()
        self._wake()

    def close(self) -> None:
        self._closed = True
        self._wake()
        if self._thread is not None:
            self._thread.join(_DEAF_WAIT * 2)

    def _wake(self) -> None:
        listener = self._listener
        if listener is not None:
            listener.wake()

    def _run(self) -> None:
        heard: frozenset[str] = frozenset()
        while not self._closed:
            try:
                if heard != self._queues or self._listener is None:
                    heard = self._queues
                    self._take(self._store.listen(heard))
                    self._tell()
                elif self._listener.wait(_LONGEST_WAIT):
                    self._tell()
                self._is_deaf = False
            except Exception as error:  # noqa: BLE001 (whatever stands in the way of wake-ups, polls go by the tick)
                log.log(logging.DEBUG if self._is_deaf else logging.WARNING, "no wake-ups, polling goes on: %r", error)
                self._is_deaf = True
                time.sleep(_DEAF_WAIT)
        self._take(None)

    def _take(self, listener: Listener | None) -> None:
        before, self._listener = self._listener, listener
        if before is not None:
            before.close()

    def _tell(self) -> None:
        if not self._closed and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._hinted)
