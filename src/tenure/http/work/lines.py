"""The line of those who wait for the same work, and whose turn it is."""

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterator
from typing import Final

from tenure.core.job import Job

Queues = frozenset[str] | None
"""Some of the queues that are waited for; None is all of them, whatever they are by now."""

IsOver = Callable[[], bool]
"""Whether nobody is there any more for what is done."""

Attempt = Callable[[Queues, IsOver], Awaitable[list[Job]]]
"""Claims from these queues; asks between two of them whether it is over."""

QUEUES_A_PASS: Final = 10
"""From so many queues an attempt claims before others get a turn."""


class Waiter:
    """One caller in line. is_trying: its attempt is on its way."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self.answer: asyncio.Future[list[Job]] = asyncio.get_running_loop().create_future()
        self.is_trying = False
        self.is_leaving = False

    def settle(self, jobs: list[Job]) -> None:
        if not self.answer.done():
            self.answer.set_result(jobs)

    def fail(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


class Group:
    """Those who can take the same jobs, in the order in which they came.

    queues: that they wait for. attempted: makes an attempt of one of them when its turn has come. emptied: called when
    the last has left. renews: their queues may have become more.
    """

    def __init__(
        self,
        queues: Collection[str],
        attempted: Callable[[Attempt, Queues, IsOver], Awaitable[list[Job]]],
        emptied: Callable[[], object],
        *,
        renews: bool,
    ) -> None:
        self.queues = frozenset(queues)
        self._attempted = attempted
        self._emptied = emptied
        self._renews = renews
        self._line: deque[Waiter] = deque()
        self._due: Queues = frozenset()
        self._stirred = asyncio.Event()
        self._serving: asyncio.Task[None] | None = None

    def join(self, waiter: Waiter) -> None:
        self._line.append(waiter)
        if self._serving is None:
            self._serving = asyncio.create_task(self._serve())

    def leave(self, waiter: Waiter) -> None:
        """Its answer is there, or will be once its attempt is over."""
        waiter.is_leaving = True
        if waiter.is_trying:
            return
        waiter.settle([])
        if waiter in self._line:
            self._line.remove(waiter)
        if not self._line:
            self._stirred.set()

    def dismiss(self) -> None:
        for waiter in list(self._line):
            self.leave(waiter)

    def stir(self, queues: Queues) -> None:
        """Work may be ready in these queues."""
        self._due = None if queues is None or self._due is None else self._due | queues
        self._stirred.set()

    def renew(self) -> None:
        if self._renews:
            self.stir(None)

    def fail(self, error: Exception) -> None:
        for one in self._line:
            one.fail(error)
        self._stirred.set()

    async def _serve(self) -> None:
        try:
            while self._line:
                await self._stirred.wait()
                self._stirred.clear()
                due, self._due = self._due, frozenset()
                await self._try_in_turn(due)
        finally:
            self._emptied()

    async def _try_in_turn(self, due: Queues) -> None:
        while self._line:
            waiter = self._line[0]
            if waiter.answer.done():
                self._line.popleft()
                continue
            if not await self._try(waiter, due):
                self._line = deque(one for one in self._line if not one.answer.done())
                return

    async def _try(self, waiter: Waiter, due: Queues) -> bool:
        """Whether the next in line may find something too. The database's troubles are everybody's."""
        waiter.is_trying = True
        jobs: list[Job] = []
        try:
            for part in _parts(due):
                jobs = await self._attempted(waiter.attempt, part, lambda: waiter.is_leaving)
                if jobs or waiter.is_leaving:
                    break
        except Exception as error:  # noqa: BLE001 (whoever waits is told)
            self.fail(error)
            return False
        finally:
            waiter.is_trying = False
        if jobs or waiter.is_leaving:
            waiter.settle(jobs)
        return bool(jobs) or waiter.is_leaving


def _parts(due: Queues) -> Iterator[Queues]:
    """What one pass may go over each, in no order, so that none comes first for ever."""
    if due is None:
        yield None
        return
    queues = list(due)
    random.shuffle(queues)
    for start in range(0, len(queues), QUEUES_A_PASS):
        yield frozenset(queues[start : start + QUEUES_A_PASS])
