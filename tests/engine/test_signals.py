"""Signals drain and hasten, and may come at any moment."""

import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

from tenure.engine.signals import Asked, handled
from tests.engine.workshop import WAIT


def test_a_second_sigterm_changes_nothing_and_a_second_ctrl_c_hastens() -> None:
    said: list[str] = []
    with handled(lambda: said.append("drain"), lambda: said.append("hasten")):
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
        assert "hasten" not in said
        os.kill(os.getpid(), signal.SIGINT)
    assert said == ["drain", "drain", "hasten", "drain"]


def test_the_first_ctrl_c_drains_only() -> None:
    drained, hastened = Asked(), Asked()
    with handled(drained.set, hastened.set):
        os.kill(os.getpid(), signal.SIGINT)
    assert (drained.is_set(), hastened.is_set()) == (True, False)


def test_the_former_handlers_stand_again_afterwards() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with handled(lambda: None, lambda: None):
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


def test_outside_the_main_thread_it_sets_none() -> None:
    seen: list[Any] = []

    def elsewhere() -> None:
        with handled(lambda: None, lambda: None):
            seen.append(signal.getsignal(signal.SIGTERM))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join(WAIT)
    assert seen == [before]


def test_what_a_signal_asks_for_is_heard_by_everybody_who_waits() -> None:
    asked, heard = Asked(), threading.Semaphore(0)

    def wait() -> None:
        if asked.wait(WAIT):
            heard.release()

    for _ in range(3):
        threading.Thread(target=wait, daemon=True).start()
    asked.set()
    for _ in range(3):
        assert heard.acquire(timeout=WAIT)
    assert asked.wait(0)


def test_a_wait_that_nobody_ends_is_over_with_its_time() -> None:
    assert not Asked().wait(0.0)


def test_a_signal_at_any_line_of_a_wait_or_of_a_set_deadlocks_nothing() -> None:
    """A signal handler runs between any two lines of the main thread; the tracer stands for it."""
    lines = 40
    ended = threading.Semaphore(0)
    for at in range(lines):
        threading.Thread(target=_interrupted, args=(at, ended), daemon=True).start()
    for _ in range(lines):
        assert ended.acquire(timeout=WAIT), "a wait never came back"


def _interrupted(at: int, ended: threading.Semaphore) -> None:
    asked, left = Asked(), [at]

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        if left[0] == 0:
            left[0] = -1
            asked.set()
        left[0] -= 1
        return trace

    sys.settrace(trace)
    try:
        asked.wait(0.01)
        asked.set()
        asked.wait(0.01)
    finally:
        sys.settrace(None)
    ended.release()
