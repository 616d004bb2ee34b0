"""The parts of a worker without its loops: a test calls each tick by hand, on a clock that it moves itself."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any, ClassVar

import pytest

from tenure.core.attempt import Holder
from tenure.core.errors import StoreError
from tenure.core.reports import Completion, Report
from tenure.engine.attempts import heartbeat, run
from tenure.engine.attempts.handler import Handler, by_kind
from tenure.engine.attempts.heartbeat import Heart, interval
from tenure.engine.attempts.loop_thread import LoopThread
from tenure.engine.attempts.run import Run, StopReason
from tenure.engine.attempts.runner import Runner
from tenure.engine.attempts.watch import Watch
from tenure.engine.claiming import claimer, claims, dispatcher, held, resting, roster
from tenure.engine.claiming.claimer import Claimer
from tenure.engine.claiming.desk import StoreDesk
from tenure.engine.claiming.dispatcher import Dispatcher
from tenure.engine.claiming.roster import Outbox, Roster
from tenure.engine.options import WorkerOptions
from tenure.stores.protocol import Store
from tenure.testing.clock import FakeClock

WAIT = 20.0
"""Seconds after which a test gives up; never a measure of speed."""


class Moments:
    """Stands for the module `time` of the engine: its monotonic clock moves only with the store's clock."""

    sleep = staticmethod(time.sleep)

    def __init__(self, clock: FakeClock) -> None:
        self._clock, self._zero = clock, clock()

    def monotonic(self) -> float:
        return 1000.0 + (self._clock() - self._zero).total_seconds()


def stand_for_time(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Moments:
    """The engine's monotonic clock moves with `clock` from now on."""
    told = Moments(clock)
    for module in (claimer, claims, dispatcher, heartbeat, held, resting, roster, run):
        monkeypatch.setattr(module, "time", told)
    return told


def handler(kind: str, call: Callable[[Run], Any], isolation: Any = "thread", **said: Any) -> Handler:
    """The handler of version 1 of a kind."""
    return Handler(kind=kind, version=1, call=call, isolation=isolation, **said)


def pass_time(clock: FakeClock, seconds: float, *ticks: Callable[[], float]) -> None:
    """Moves the clock on, and calls each tick whenever the wait that it answered is over."""
    end = clock() + timedelta(seconds=seconds)
    due = dict.fromkeys(ticks, clock())
    while due and min(due.values()) <= end:
        tick = min(due, key=lambda one: due[one])
        clock.to(max(clock(), due[tick]))
        wait = _beat(tick)  # before the clock is read: a tick may take its time, on this clock too
        due[tick] = clock() + timedelta(seconds=max(wait, 0.001))
    clock.to(max(clock(), end))


def _beat(tick: Callable[[], float]) -> float:
    try:
        return tick()
    except StoreError:
        return 0.5


class Stuck:
    """A handler in a thread that stays until it is let go, or until the workshops of its test are closed."""

    _made: ClassVar[list["Stuck"]] = []

    def __init__(self) -> None:
        self.entered, self.go = threading.Semaphore(0), threading.Event()
        self._made.append(self)

    def __call__(self, run: Run) -> str:
        self.entered.release()
        assert self.go.wait(WAIT)
        return '"late"'

    def wait(self) -> None:
        """Until one more attempt has entered it."""
        assert self.entered.acquire(timeout=WAIT)

    @classmethod
    def let_all_go(cls) -> None:
        """A test that ends leaves nobody behind."""
        while cls._made:
            cls._made.pop().go.set()


async def answering(run: Run) -> str:
    return '"from the loop"'


async def waiting(run: Run) -> str:
    await asyncio.Event().wait()
    return ""


def raising(error: BaseException) -> Callable[[Run], str]:
    def call(run: Run) -> str:
        raise error

    return call


def succeeding(kind: str = "k") -> Handler:
    return handler(kind, lambda _run: '"done"')


class Desk:
    """A dispatcher whose fresh attempts are only noted: the test reports their ends itself."""

    def __init__(self, store: Store, handlers: Sequence[Handler] = (), *, worker: str = "w1", **said: Any) -> None:
        self.store = store
        self.handlers = by_kind(handlers or [succeeding()])
        self.options = WorkerOptions(**{"slots": 4, "gather": 0.01} | said)
        self.roster, self.outbox = Roster(self.options.slots), Outbox()
        abilities = [ability for one in self.handlers.values() for ability in one.abilities()]
        self.claimer = Claimer(worker, Holder("here", 1, ""), abilities, self.options)
        self.dispatcher = Dispatcher(
            StoreDesk(store), self.claimer, self.roster, self.outbox, self._start, gather=self.options.gather
        )
        self.heart = Heart(StoreDesk(store), self.roster, self._end, interval(self.options, self.handlers.values()))
        self.started: list[Run] = []
        self.ended: list[tuple[Run, StopReason]] = []

    def _start(self, runs: Sequence[Run]) -> None:
        self.roster.add(runs)
        self.started += runs

    def _end(self, run: Run, reason: StopReason) -> None:
        self.ended.append((run, reason))

    def claim(self) -> list[Run]:
        """One round with a hint that there is work; the attempts that it started."""
        before = len(self.started)
        self.claimer.hint()
        self.dispatcher.tick()
        return self.started[before:]

    def say(self, run: Run, report: Report | None = None) -> None:
        """The handler of `run` has come back: with `report`, or a success."""
        self.outbox.put(run, report or Completion(run.lease.job_id, run.lease.token, '"done"'))


class Workshop(Desk):
    """A whole worker but for its loops: handlers run, in threads and on an event loop."""

    def __init__(
        self, store: Store, clock: FakeClock, handlers: Sequence[Handler], *, worker: str = "w1", **said: Any
    ) -> None:
        self.loop = LoopThread()
        self.loop.start()
        super().__init__(store, handlers, worker=worker, **said)
        self._came = threading.Condition()
        self.said = 0
        self.runner = Runner(self.handlers, self.roster, self.outbox, self.loop.loop, self._reported)
        self.watch = Watch(self.roster, self.handlers, self.runner.end, self.loop.loop, clock=Moments(clock).monotonic)

    def _start(self, runs: Sequence[Run]) -> None:
        self.started += runs
        self.runner.start(runs)

    def _end(self, run: Run, reason: StopReason) -> None:
        super()._end(run, reason)
        self.runner.end(run, reason)

    def _reported(self) -> None:
        with self._came:
            self.said += 1
            self._came.notify_all()

    def wait_said(self, count: int) -> None:
        """Waits until handlers (or the watch) have reported so often in all."""
        with self._came:
            assert self._came.wait_for(lambda: self.said >= count, WAIT), f"{self.said} of {count} reports came"

    def wait_back(self) -> None:
        """Waits until the handlers of all attempts have come back."""
        with self._came:
            assert self._came.wait_for(lambda: len(self.outbox) >= len(self.roster), WAIT), "a handler stays away"

    def work_off(self, limit: int = 100) -> list[Run]:
        """Claims and runs until nothing is ready; every attempt that ran. Not for handlers that wait for the test."""
        before = len(self.started)
        for _ in range(limit):
            if not self.claim() and not len(self.roster):
                return self.started[before:]
            self.wait_back()
        raise AssertionError("the work does not end")

    def close(self) -> None:
        self.runner.close()
        self.loop.stop(WAIT)


OpenWorkshop = Callable[..., Workshop]


def workshops(store: Store, clock: FakeClock) -> Iterator[OpenWorkshop]:
    """Opens as many as a test asks for, and closes them at its end. For a fixture."""
    opened: list[Workshop] = []

    def open_one(*handlers: Handler, **said: Any) -> Workshop:
        opened.append(Workshop(store, clock, handlers, **said))
        return opened[-1]

    yield open_one
    Stuck.let_all_go()
    for one in opened:
        one.close()
