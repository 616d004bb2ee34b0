"""Signals of a process that drains: SIGTERM and Ctrl-C. Plain `signal.signal`, which every platform has."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

Handler = Callable[[int, FrameType | None], None]


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
