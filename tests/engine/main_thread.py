"""A worker in the main thread of the test, as a process has it: there signals are heard."""

import os
import threading
from collections.abc import Callable

import pytest

from tenure.engine.worker import Worker


def run_here(worker: Worker, then: Callable[[], object]) -> int:
    """Runs the worker in this thread; `then` is called from another once it is ready. Its exit code."""
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("this test runner keeps the main thread to itself")
    helper = threading.Thread(target=then, daemon=True)
    code = worker.run(helper.start)
    helper.join(20.0)
    return code


def send(number: int) -> None:
    """A signal to this very process."""
    os.kill(os.getpid(), number)
