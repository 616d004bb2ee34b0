"""What several coroutines want at the same moment goes into the database together."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import Final, Generic, TypeVar

from tenure.core.errors import StoreError, TenureError

S = TypeVar("S")
A = TypeVar("A")

MOST: Final = 300
"""In one round. More would make everybody wait for the longest transaction."""


class Rounds(Generic[S, A]):
    """The first to come goes at once; those that arrive while it is on its way go together in the next round.

    Each event loop has a line of its own, which is there while one is on its way.
    send: one transaction for all; a verdict for each, in order.
    """

    def __init__(self, send: Callable[[Sequence[S]], Awaitable[Sequence[A | TenureError]]]) -> None:
        self._send = send
        self._lines: dict[asyncio.AbstractEventLoop, deque[tuple[S, asyncio.Future[A]]]] = {}
        self._serving: set[asyncio.Task[None]] = set()

    async def take(self, said: S) -> A:
        """The verdict on one. Raises it where it is an error, and StoreError."""
        loop = asyncio.get_running_loop()
        line = self._lines.get(loop)
        if line is None:
            return await self._first(loop, said)
        verdict: asyncio.Future[A] = loop.create_future()
        line.append((said, verdict))
        try:
            return await verdict
        finally:
            del verdict  # Its error holds this frame: the two would be left to the garbage collector.

    async def _first(self, loop: asyncio.AbstractEventLoop, said: S) -> A:
        """Alone, in the caller's own task. Those that came meanwhile are served when it is through."""
        line = self._lines[loop] = deque()
        try:
            (answer,) = await self._send([said])
        finally:
            if line:
                self._serve_later(loop)
            else:
                del self._lines[loop]
        if not isinstance(answer, TenureError):
            return answer
        try:
            raise answer
        finally:
            del answer  # As above.

    def _serve_later(self, loop: asyncio.AbstractEventLoop) -> None:
        task = loop.create_task(self._serve(loop))
        self._serving.add(task)
        task.add_done_callback(self._leave)

    async def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        line = self._lines[loop]
        while line:
            await asyncio.sleep(0)  # Whoever comes in the same turn of the loop goes along: fewer rounds cost less.
            group = list(islice(line, MOST))
            await self._round([one for one in group if not one[1].done()])
            for _ in group:
                line.popleft()
            if not line:
                await asyncio.sleep(0)  # Whoever has just heard an answer may come again at once.
        del self._lines[loop]  # At once, not when the task is done: who comes in between would wait for nobody.

    def _leave(self, task: "asyncio.Task[None]") -> None:
        """Should the task have been cancelled, so is whoever still waits for it."""
        self._serving.discard(task)
        if task.cancelled():
            for _, verdict in self._lines.pop(task.get_loop(), ()):
                verdict.cancel()

    async def _round(self, group: Sequence[tuple[S, "asyncio.Future[A]"]]) -> None:
        """Should the round fail as a whole for another reason than the database's own, each goes by itself."""
        if not group:
            return
        try:
            verdicts = await self._send([said for said, _ in group])
        except Exception as error:  # noqa: BLE001 (whoever waits is told)
            if len(group) > 1 and not isinstance(error, StoreError):
                for one in group:
                    await self._round([one])
                return
            verdicts = [error] * len(group)  # type: ignore[list-item]
        for (_, verdict), answer in zip(group, verdicts, strict=True):
            _settle(verdict, answer)


def _settle(verdict: "asyncio.Future[A]", answer: A | Exception) -> None:
    if verdict.done():
        return
    if isinstance(answer, Exception):
        verdict.set_exception(answer)
    else:
        verdict.set_result(answer)
