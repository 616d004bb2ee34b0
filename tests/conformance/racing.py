"""Threads that start together, and transactions that stop in the middle."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from tenure.stores.protocol import Store
from tenure.stores.script import Script

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
PATIENCE = 60.0


class ChangeOfMind(Exception):
    """What a caller raises to roll its transaction back."""


def race_of_two(first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
    """The same of two that answer different things."""
    runners: list[Callable[[], Any]] = [first, second]
    one, other = race(runners)
    return one, other


def race(runners: Sequence[Callable[[], T]]) -> list[T]:
    """Runs all at once, each in its thread; their answers in order. Raises what the first of them raised."""
    gate = threading.Barrier(len(runners))

    def start(runner: Callable[[], T]) -> T:
        gate.wait(PATIENCE)
        return runner()

    with ThreadPoolExecutor(len(runners)) as pool:
        futures = [pool.submit(start, runner) for runner in runners]
        return [future.result(PATIENCE * 2) for future in futures]


class OpenTransaction:
    """A script held open in a thread of its own after its work, until it is told to commit or to roll back.

    with OpenTransaction(store, work) as held: …; held.commit() or held.roll_back()
    """

    def __init__(self, store: Store, work: Callable[[], Script[object]]) -> None:
        self._store, self._work = store, work
        self._reached, self._go = threading.Event(), threading.Event()
        self._commits = False
        self._thread = threading.Thread(target=self._run)
        self._failure: BaseException | None = None

    def __enter__(self) -> "OpenTransaction":
        self._thread.start()
        assert self._reached.wait(PATIENCE), self._failure
        return self

    def __exit__(self, *error: object) -> None:
        self._end()

    def commit(self) -> None:
        self._commits = True
        self._end()

    def roll_back(self) -> None:
        self._end()

    def _end(self) -> None:
        self._go.set()
        self._thread.join(PATIENCE)
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            self._store.run(self._script())
        except ChangeOfMind:
            pass
        except BaseException as failure:
            self._failure = failure
            self._reached.set()

    def _script(self) -> Script[None]:
        yield from self._work()
        self._reached.set()
        self._go.wait(PATIENCE)
        if not self._commits:
            raise ChangeOfMind
