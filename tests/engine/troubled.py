"""A store whose scripts fail, lose their answer or stand still when a test says so."""

import threading
from collections import deque
from collections.abc import Callable, Collection
from typing import Any

from tenure.core.job import NewJob
from tenure.stores.protocol import Channel, Listener, PoolWait, Room, Store, silent
from tenure.stores.script import Script, T

WAIT = 20.0
"""Seconds after which a test gives up; never a measure of speed."""


class Hold:
    """A script that stands still: `entered` once it has come, until `go` is set."""

    def __init__(self) -> None:
        self.entered, self.go = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.entered.set()
        if not self.go.wait(WAIT):
            raise TimeoutError("nobody let the script go on")


class Troubled:
    """A Store that passes everything on to another. Scripts are named by the verb that made them.

    calls: the names of the scripts that were run, in order.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._before: dict[str, deque[Callable[[], None]]] = {}
        self._after: dict[str, deque[Callable[[], None]]] = {}
        self._always: dict[str, Callable[[], Any]] = {}
        self.url, self.verbs, self.claim_lanes = store.url, store.verbs, store.claim_lanes
        self.gathers_submissions, self.keyring = store.gathers_submissions, store.keyring
        self.pool = store.pool
        self.calls: list[str] = []

    def fail(self, name: str, error: Exception, times: int = 1) -> None:
        """The next `times` scripts of this name raise before anything is done."""
        self._before.setdefault(name, deque()).extend([_raising(error)] * times)

    def lose_answer(self, name: str, error: Exception) -> None:
        """The next script of this name is done, but raises."""
        self._after.setdefault(name, deque()).append(_raising(error))

    def hold(self, name: str) -> Hold:
        """The next script of this name waits before it begins."""
        hold = Hold()
        self._before.setdefault(name, deque()).append(hold)
        return hold

    def meanwhile(self, name: str, act: Callable[[], Any]) -> None:
        """Somebody acts just before the next script of this name begins."""
        self._before.setdefault(name, deque()).append(lambda: (act(), None)[1])

    def always(self, name: str, act: Callable[[], Any]) -> None:
        """Somebody acts before every script of this name that has no trouble of its own."""
        self._always[name] = act

    def heal(self) -> None:
        """No trouble any more."""
        self._before.clear()
        self._after.clear()

    def run(self, script: Script[T], channel: Channel = "producer") -> T:
        name: str = script.__name__  # type: ignore[attr-defined]
        self.calls.append(name)
        if self._before.get(name):
            self._before[name].popleft()()
        elif name in self._always:
            self._always[name]()
        answer = self._store.run(script, channel)
        if self._after.get(name):
            self._after[name].popleft()()
        return answer

    async def arun(
        self, script: Script[T], channel: Channel = "producer", *, abandoned: Callable[[T], object] | None = None
    ) -> T:
        return self.run(script, channel)

    @staticmethod
    def insert_alone(job: NewJob) -> None:
        """Every job goes by a script, which has a name."""

    def resize(self, size: int) -> bool:
        return self._store.resize(size)

    def waiting(self) -> PoolWait:
        return self._store.waiting()

    def room(self) -> Room | None:
        return self._store.room()

    def open(self) -> None:
        self._store.open()

    def close(self) -> None:
        self._store.close()

    def migrate(self, tell: Callable[[str], None] = silent) -> list[str]:
        return self._store.migrate(tell)

    def announce(self, queues: Collection[str]) -> None:
        self._store.announce(queues)

    def listen(self, queues: Collection[str]) -> Listener:
        return self._store.listen(queues)


def _raising(error: Exception) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act
