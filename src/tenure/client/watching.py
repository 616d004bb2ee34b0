"""Answers that never end. The timeout of a socket starts anew with each byte, and a server may say for ever that more
is to come (1xx) before an answer begins: nobody sees the time pass. So somebody else looks at the clock."""

import heapq
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final


class Watch:
    """One thread for all that is watched, started with the first of it."""

    def __init__(self) -> None:
        self._ends: list[tuple[float, int]] = []
        self._give_up: dict[int, Callable[[], None]] = {}
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    @contextmanager
    def within(self, seconds: float, give_up: Callable[[], None]) -> Iterator[None]:
        """Calls `give_up`, once and from another thread, if the block has not ended after so many seconds."""
        number = next(self._numbers)
        with self._changed:
            self._give_up[number] = give_up
            heapq.heappush(self._ends, (time.monotonic() + seconds, number))
            self._look(number)
        try:
            yield
        finally:
            with self._changed:
                self._give_up.pop(number, None)

    def _look(self, newest: int) -> None:
        """A process that was forked has none of its parent's threads."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="tenure-watch-answers", daemon=True)
            self._thread.start()
        elif self._ends[0][1] == newest:
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                give_up = self._next()
            if give_up is not None:
                give_up()

    def _next(self) -> Callable[[], None] | None:
        """What is to be given up now; waits for the next end where nothing is."""
        if not self._ends:
            self._changed.wait()
            return None
        left = self._ends[0][0] - time.monotonic()
        if left > 0:
            self._changed.wait(left)
            return None
        return self._give_up.pop(heapq.heappop(self._ends)[1], None)


WATCH: Final = Watch()
