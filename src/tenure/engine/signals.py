"""Signals of a process that drains: SIGTERM and Ctrl-C. Plain `signal.signal`, which every platform has."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Asked:
    """An event that a signal handler may set at any moment. `threading.Event` may not: its `set` waits for a lock
    that the interrupted thread itself may hold, inside its `wait`."""

    def __init__(self) -> None:
        self._asked = False
        self._gate = threading.Lock()
        self._gate.acquire()

    def set(self) -> None:
        if not self._asked:
            self._asked = True
            self._gate.release()

    def is_set(self) -> bool:
        return self._asked

    def wait(self, seconds: float) -> bool:
        """Waits until it is set, at most so long; whether it is."""
        if not self._asked and self._gate.acquire(timeout=max(0.0, seconds)):
            self._gate.release()
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
