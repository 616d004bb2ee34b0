"""Wake-ups inside one process."""

import threading
from collections.abc import Callable, Collection

from tenure.core.flow.place import EVERY_QUEUE


class Hints:
    """Who waits for which queues."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiters: list[Waiter] = []

    def announce(self, queues: Collection[str]) -> None:
        with self._lock:
            waiters = list(self._waiters)
        for waiter in waiters:
            if waiter.queues.intersection(queues):
                waiter.hint()

    def listen(self, queues: Collection[str]) -> "Waiter":
        waiter = Waiter(frozenset((*queues, EVERY_QUEUE)), self._leave)
        with self._lock:
            self._waiters.append(waiter)
        return waiter

    def _leave(self, waiter: "Waiter") -> None:
        with self._lock:
            if waiter in self._waiters:
                self._waiters.remove(waiter)


class Waiter:
    """A Listener. A hint that comes while nobody waits is kept for the next wait."""

    def __init__(self, queues: frozenset[str], leave: "Callable[[Waiter], None]") -> None:
        self.queues = queues
        self._leave = leave
        self._stirred = threading.Event()
        self._hinted = False

    def hint(self) -> None:
        self._hinted = True
        self._stirred.set()

    def wait(self, seconds: float) -> bool:
        self._stirred.wait(seconds)
        self._stirred.clear()
        hinted, self._hinted = self._hinted, False
        return hinted

    def wake(self) -> None:
        self._stirred.set()

    def close(self) -> None:
        self._leave(self)
        self.wake()
