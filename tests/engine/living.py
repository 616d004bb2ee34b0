"""A worker that lives: in a thread of the test, on the wall clock, with short intervals."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tenure.engine.attempts.handler import Handler
from tenure.engine.options import WorkerOptions
from tenure.engine.worker import Worker
from tenure.stores.protocol import Store

WAIT = 20.0
"""Seconds after which a test gives up; never a measure of speed."""

QUICK: dict[str, Any] = {"poll": 0.02, "sweep": 0.05, "shutdown_grace": 10.0, "gather": 0.001}
"""Options of a worker that waits for nothing long."""

_LOOK = 0.005


class Living:
    """A running worker; `code` is its exit code once it has left."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.code: int | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        self.code = self.worker.run(self._ready.set)

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(WAIT)

    def stop(self) -> None:
        self.worker.stop()

    def has_begun(self) -> bool:
        """Whether a handler runs: a job is running a little before that."""
        return any(run.begun for run in self.worker._roster.runs())

    def left(self) -> int | None:
        """The exit code, once the worker has left."""
        self._thread.join(WAIT)
        assert not self._thread.is_alive(), "the worker has not left"
        return self.code


@contextmanager
def running(worker: Worker) -> Iterator[Living]:
    """A worker for the length of a block; it is stopped at its end."""
    one = Living(worker)
    one.start()
    try:
        yield one
    finally:
        one.stop()
        one.left()


@contextmanager
def living(store: Store, handlers: Sequence[Handler], **said: Any) -> Iterator[Living]:
    """A worker of these handlers for the length of a block."""
    with running(Worker(store, handlers, WorkerOptions(**QUICK | said))) as one:
        yield one


def until(what: Callable[[], Any], why: str = "it") -> Any:
    """The first true answer of `what`, asked again and again."""
    waiting = threading.Event()
    for _ in range(int(WAIT / _LOOK)):
        answer = what()
        if answer:
            return answer
        waiting.wait(_LOOK)
    raise AssertionError(f"{why} did not happen")
