"""Long polls: who waits for work, and who of them is tried next.

Callers who can take the same jobs wait in one group, and one at a time tries to claim. When a hint comes, and once a
second without one, one look at the database tells which of all the queues that anybody waits for have ready jobs; the
groups that want these try, the first in line of each. While claims succeed the turn passes on; the first that finds
nothing ends it.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from tenure.core.errors import TooMany
from tenure.core.job import Job
from tenure.http.work.hearing import Hearing
from tenure.http.work.lines import Attempt, Group, IsOver, Queues, Waiter

if TYPE_CHECKING:
    from tenure.http.service import Service

MOST: Final = 1000
"""Polls that may be open."""

MOST_QUEUES: Final = 10_000
"""Queues that all polls together may wait for."""

PASSES: Final = 8
"""Attempts that may be on their way: a claim that does not wait never stands behind more of them."""

FEW: Final = 3
"""So many queues are asked for work one by one; of more, one look first tells which have any."""

TICK: Final = 1.0
RENEWAL: Final = 5.0
"""Seconds after which a poll that names no queues looks at the usual ones anew: a kind may have brought another."""


class Waiting:
    """Of one service, on one event loop. most: polls that may be open at once."""

    def __init__(self, service: "Service", most: int = MOST) -> None:
        self._service = service
        self._most = most
        self._groups: dict[object, Group] = {}
        self._queues: Counter[str] = Counter()
        self._passes = asyncio.Semaphore(PASSES)
        self._stirred = asyncio.Event()
        self._hints = 0
        self._hearing: Hearing | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def wait(
        self,
        group: object,
        queues: Collection[str],
        attempt: Attempt,
        seconds: float,
        left: "asyncio.Future[None]",
        *,
        renews: bool = False,
    ) -> list[Job]:
        """What `attempt` claims, as soon as there is something; nothing after so many seconds, or when `left` is done.

        group: the same for callers who can take the same jobs. renews: the queues are the usual ones, and may become
        more. Raises TooMany, and what the attempt raises.
        """
        self._enter(queues)
        try:
            hints, end = self._hints, asyncio.get_running_loop().time() + seconds
            jobs = await self._pass(attempt, None, left.done)
            if jobs or left.done() or self._service.leaving.is_set():
                return jobs  # Who has left by now is not put in line: a hint of meanwhile would claim for nobody.
            waiter = Waiter(attempt)
            return await self._in_line(group, queues, waiter, end, left, is_due=self._hints > hints, renews=renews)
        finally:
            self._leave(queues)

    def close(self) -> None:
        """Ends the listening; may block for a moment. The next poll starts it again."""
        hearing, self._hearing = self._hearing, None
        if hearing is not None:
            hearing.close()

    def _enter(self, queues: Collection[str]) -> None:
        if self._service.long_polls >= self._most:
            raise TooMany(f"{self._most:,} callers wait for work already", TICK, code="too_many_polls")
        if len(self._queues) + len(set(queues) - self._queues.keys()) > MOST_QUEUES:
            raise TooMany(f"callers wait for {MOST_QUEUES:,} queues already", TICK, code="too_many_polls")
        self._service.long_polls += 1
        self._queues.update(queues)
        if self._hearing is None:
            self._hearing = Hearing(self._service.store, self._hinted)
        self._hearing.listen(queues, self._queues)
        if not self._tasks:
            self._tasks = [asyncio.create_task(one) for one in (self._look_on(), self._drain())]

    def _leave(self, queues: Collection[str]) -> None:
        """When nobody waits, nothing is left to be done."""
        self._service.long_polls -= 1
        for queue in queues:
            self._queues[queue] -= 1
            if not self._queues[queue]:
                del self._queues[queue]
        if not self._queues:
            for task in self._tasks:
                task.cancel()
            self._tasks = []

    async def _in_line(
        self,
        key: object,
        queues: Collection[str],
        waiter: Waiter,
        end: float,
        left: "asyncio.Future[None]",
        *,
        is_due: bool,
        renews: bool,
    ) -> list[Job]:
        group = self._groups.get(key)
        if group is None:
            group = Group(queues, self._pass, lambda: self._groups.pop(key, None), renews=renews)
            self._groups[key] = group
        group.join(waiter)
        if is_due:
            self._stirred.set()
        either: list[asyncio.Future[Any]] = [waiter.answer, left]
        seconds = max(0.0, end - asyncio.get_running_loop().time())
        await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        group.leave(waiter)
        return await waiter.answer

    async def _pass(self, attempt: Attempt, queues: Queues, is_over: IsOver) -> list[Job]:
        """One attempt when its turn has come, unless nobody is there for it by then."""
        async with self._passes:
            if self._service.leaving.is_set() or is_over():
                return []
            return await attempt(queues, is_over)

    def _hinted(self) -> None:
        self._hints += 1
        self._stirred.set()

    async def _look_on(self) -> None:
        """After each hint, and by the tick."""
        loop = asyncio.get_running_loop()
        renewed = loop.time()
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stirred.wait(), TICK)
            self._stirred.clear()
            await self._look()
            if loop.time() - renewed >= RENEWAL:
                renewed = loop.time()
                for group in self._groups.values():
                    group.renew()

    async def _look(self) -> None:
        """Stirs the groups that want what is ready. The database's troubles are everybody's."""
        try:
            ready = await self._ready()
        except Exception as error:  # noqa: BLE001 (whoever waits is told)
            for group in self._groups.values():
                group.fail(error)
            return
        for group in self._groups.values():
            due = group.queues & ready
            if due:
                group.stir(due)

    async def _ready(self) -> set[str]:
        watched = set(self._queues)
        if len(watched) <= FEW:
            return watched
        return await self._service.run(self._service.verbs.having_ready(watched))

    async def _drain(self) -> None:
        """Everybody goes home when the service leaves."""
        await self._service.leaving.wait()
        for group in list(self._groups.values()):
            group.dismiss()
