"""Long polls: who waits for work, and who of them is tried next.

Callers who can take the same jobs wait in one group, and one at a time tries to claim: the first in line, when a hint
comes, and once a second without one. While claims succeed the turn passes on; the first that finds nothing ends it.
"""

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Collection
from typing import TYPE_CHECKING, Any, Final

from tenure.core.errors import TooMany
from tenure.core.job import Job
from tenure.http.hearing import Hearing

if TYPE_CHECKING:
    from tenure.http.service import Service

MOST: Final = 1000
"""Polls that may be open."""
TICK: Final = 1.0

Attempt = Callable[[], Awaitable[list[Job]]]


class Waiting:
    """Of one service, on one event loop. most: polls that may be open at once."""

    def __init__(self, service: "Service", most: int = MOST) -> None:
        self._service = service
        self._most = most
        self._groups: dict[object, _Group] = {}
        self._queues: Counter[str] = Counter()
        self._hints = 0
        self._hearing: Hearing | None = None
        self._draining: asyncio.Task[None] | None = None

    async def wait(
        self,
        group: object,
        queues: Collection[str],
        attempt: Attempt,
        seconds: float,
        left: "asyncio.Future[None]",
    ) -> list[Job]:
        """What `attempt` claims, as soon as there is something; nothing after so many seconds, or when `left` is done.

        group: the same for callers who can take the same jobs. Raises TooMany, and what the attempt raises.
        """
        if self._service.long_polls >= self._most:
            raise TooMany(f"{self._most:,} callers wait for work already", TICK, code="too_many_polls")
        self._service.long_polls += 1
        self._queues.update(queues)
        try:
            self._hear()
            hints = self._hints
            jobs = await attempt()
            if jobs or self._service.leaving.is_set():
                return jobs
            return await self._in_line(group, attempt, seconds, left, is_due=self._hints > hints)
        finally:
            self._service.long_polls -= 1
            self._queues = self._queues - Counter(queues)
            self._rest()

    def close(self) -> None:
        """Ends the listening; may block for a moment. The next poll starts it again."""
        hearing, self._hearing = self._hearing, None
        if hearing is not None:
            hearing.close()

    async def _in_line(
        self, key: object, attempt: Attempt, seconds: float, left: "asyncio.Future[None]", *, is_due: bool
    ) -> list[Job]:
        waiter = _Waiter(attempt)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _Group(lambda: self._groups.pop(key, None))
        group.join(waiter)
        if is_due:
            group.stir()
        either: list[asyncio.Future[Any]] = [waiter.answer, left]
        await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        group.leave(waiter)
        return await waiter.answer

    def _hear(self) -> None:
        """Listens to the queues of all who wait, from the first poll on."""
        if self._hearing is None:
            self._hearing = Hearing(self._service.store, self._hinted)
        self._hearing.listen(self._queues.keys())
        if self._draining is None:
            self._draining = asyncio.create_task(self._drain())

    def _rest(self) -> None:
        """Nobody waits: nothing is left to be done when the service leaves."""
        if not self._queues and self._draining is not None:
            self._draining.cancel()
            self._draining = None

    def _hinted(self) -> None:
        self._hints += 1
        for group in self._groups.values():
            group.stir()

    async def _drain(self) -> None:
        """Everybody goes home when the service leaves."""
        await self._service.leaving.wait()
        for group in list(self._groups.values()):
            group.dismiss()


class _Waiter:
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


class _Group:
    """Those who can take the same jobs, in the order in which they came. emptied: called when the last has left."""

    def __init__(self, emptied: Callable[[], object]) -> None:
        self._emptied = emptied
        self._line: deque[_Waiter] = deque()
        self._stirred = asyncio.Event()
        self._serving: asyncio.Task[None] | None = None

    def join(self, waiter: _Waiter) -> None:
        self._line.append(waiter)
        if self._serving is None:
            self._serving = asyncio.create_task(self._serve())

    def leave(self, waiter: _Waiter) -> None:
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

    def stir(self) -> None:
        self._stirred.set()

    async def _serve(self) -> None:
        try:
            while self._line:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._stirred.wait(), TICK)
                self._stirred.clear()
                await self._try_in_turn()
        finally:
            self._emptied()

    async def _try_in_turn(self) -> None:
        while self._line:
            waiter = self._line[0]
            if waiter.answer.done():
                self._line.popleft()
                continue
            if not await self._try(waiter):
                self._line = deque(one for one in self._line if not one.answer.done())
                return

    async def _try(self, waiter: _Waiter) -> bool:
        """Whether the next in line may find something too. The database's troubles are everybody's."""
        waiter.is_trying = True
        try:
            jobs = await waiter.attempt()
        except Exception as error:  # noqa: BLE001 (whoever waits is told)
            for one in self._line:
                one.fail(error)
            return False
        finally:
            waiter.is_trying = False
        if jobs or waiter.is_leaving:
            waiter.settle(jobs)
        return bool(jobs)
