"""Signals of a process that drains: SIGTERM and Ctrl-C. Plain `signal.signal`, which every platform has."""

import queue
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any


class Asked:
    """An event that a signal handler may set at any moment. `threading.Event` may not: its `set` waits for a lock
    that the interrupted thread itself may hold, inside its `wait`. A SimpleQueue is made for this."""

    def __init__(self) -> None:
        self._asked = False
        self._calls: queue.SimpleQueue[None] = queue.SimpleQueue()

    def set(self) -> None:
        self._asked = True
        self._calls.put(None)

    def is_set(self) -> bool:
        return self._asked

    def wait(self, seconds: float) -> bool:
        """Waits until it is set, at most so long; whether it is."""
        if not self._asked:
            with suppress(queue.Empty):
                self._calls.get(timeout=max(0.0, seconds))
                self._calls.put(None)  # for whoever else waits
        return self._asked


@contextmanager
def handled(drain: Callable[[], None], hasten: Callable[[], None]) -> Iterator[None]:
    """Inside, the first SIGTERM or Ctrl-C drains; a second SIGTERM changes nothing, a second Ctrl-C hastens.

    Outside the main thread, where Python sets no signal handlers, it does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked = False

    def take(number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked and number == signal.SIGINT:
            hasten()
        asked = True
        drain()

    before: dict[int, Any] = {}
    for name in ("SIGTERM", "SIGINT", "SIGBREAK"):
        number = getattr(signal, name, None)
        if number is not None:
            before[number] = signal.signal(number, take)
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
