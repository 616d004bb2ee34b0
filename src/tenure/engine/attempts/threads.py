"""Threads for sync handlers. Daemons, unlike those of `concurrent.futures`: a handler that never returns must not
keep the process from leaving by its deadline. A thread lost to such a handler is replaced."""

import logging
import queue
import threading
from collections.abc import Callable

log = logging.getLogger("tenure.engine")

Work = Callable[[], None]


class Threads:
    """Runs work in at most `size` threads, plus those that are lost to work that does not return."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._work: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self._idle = 0
        self._alive = 0
        self._lock = threading.Lock()

    def submit(self, work: Work) -> None:
        """Runs `work` soon; it must not raise. Where the machine gives no thread, it waits for one of the others."""
        with self._lock:
            spawn = self._idle <= 0 and self._alive < self._size
            if spawn:
                self._alive += 1
            else:
                self._idle -= 1
        self._work.put(work)
        if spawn:
            self._spawn()

    def _spawn(self) -> None:
        try:
            threading.Thread(target=self._serve, name="tenure-handler", daemon=True).start()
        except RuntimeError as error:
            with self._lock:
                self._alive -= 1
                self._idle -= 1
            log.error("no thread for a handler: %s", error)

    def lose_one(self) -> None:
        """A thread is stuck for good: make room for another."""
        with self._lock:
            self._size += 1

    def find_one(self) -> None:
        """A lost thread has come back."""
        with self._lock:
            self._size -= 1

    def close(self) -> None:
        """Idle threads end; busy ones end after their work."""
        for _ in range(self._alive):
            self._work.put(None)

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            work()
            with self._lock:
                self._idle += 1
        with self._lock:
            self._alive -= 1
