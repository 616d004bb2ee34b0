"""The threads in which the scripts of coroutines run."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Final, Protocol, TypeVar

from tenure.stores.forking import forgets
from tenure.stores.protocol import Channel
from tenure.stores.script import Script

T = TypeVar("T")

_SPARE: Final = 3
"""Threads more than the pool has connections: they have a statement ready when one comes free."""


class Runs(Protocol):
    """Runs a script to its end, as `Store.run`."""

    def __call__(self, script: Script[T], channel: Channel, /) -> T: ...


class Threads:
    """size: of the pool of connections. The reserved channels have threads apart, as they have connections: however
    many callers wait for the pool, a heartbeat does not wait behind them."""

    def __init__(self, run: Runs, size: int, reserved: int) -> None:
        self._run = run
        self._size, self._reserve = size, reserved
        self.forget_parent()
        forgets(self)

    def forget_parent(self) -> None:
        """A forked child has none of its parent's threads, and would wait for them."""
        self._waiting: dict[object, float] = {}
        self._reserved = ThreadPoolExecutor(self._reserve, thread_name_prefix="tenure-postgres-reserved")
        self.resize(self._size)

    async def run(self, script: Script[T], channel: Channel, abandoned: Callable[[T], object] | None) -> T:
        """As `Store.arun`."""
        if channel != "producer":
            return await _answer(self._reserved.submit(self._run, script, channel), abandoned)
        caller = object()
        self._waiting[caller] = time.monotonic()
        try:
            return await _answer(self._pool.submit(self._begin, caller, script), abandoned)
        finally:
            self._waiting.pop(caller, None)

    def resize(self, size: int) -> None:
        """Threads for a pool of this size. What waits for the ones before keeps them to its end."""
        self._size = size
        self._pool = ThreadPoolExecutor(size + _SPARE, thread_name_prefix="tenure-postgres")

    def waited_since(self) -> list[float]:
        """The instants of the monotonic clock since when coroutines have been waiting for a thread, one for each."""
        return list(self._waiting.values())

    def close(self) -> None:
        """Whoever has no thread yet never gets one."""
        for threads in (self._pool, self._reserved):
            threads.shutdown(wait=False, cancel_futures=True)

    def _begin(self, caller: object, script: Script[T]) -> T:
        self._waiting.pop(caller, None)
        return self._run(script, "producer")


async def _answer(work: Future[T], abandoned: Callable[[T], object] | None) -> T:
    try:
        return await asyncio.wrap_future(work)
    except asyncio.CancelledError:
        if abandoned is not None:
            work.add_done_callback(partial(_tell, abandoned))
        raise


def _tell(abandoned: Callable[[T], object], work: Future[T]) -> None:
    """Nothing where the work was never begun, or failed: then nothing is stored."""
    if not work.cancelled() and work.exception() is None:
        abandoned(work.result())
