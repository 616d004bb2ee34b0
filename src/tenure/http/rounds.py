"""What several requests want at the same moment goes into the database together."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar

from tenure.core.errors import StoreError, TenureError

S = TypeVar("S")
A = TypeVar("A")

MOST: Final = 300
"""In one round. More would make everybody wait for the longest transaction."""


class Rounds(Generic[S, A]):
    """The first to come goes at once; those that arrive while it is on its way go together in the next round.

    send: one transaction for all; a verdict for each, in order.
    """

    def __init__(self, send: Callable[[Sequence[S]], Awaitable[Sequence[A | TenureError]]]) -> None:
        self._send = send
        self._waiting: deque[tuple[S, asyncio.Future[A]]] = deque()
        self._is_serving = False
        self._serving: set[asyncio.Task[None]] = set()

    async def take(self, said: S) -> A:
        """The verdict on one. Raises it where it is an error, and StoreError."""
        verdict: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._waiting.append((said, verdict))
        if not self._is_serving:
            self._is_serving = True
            task = asyncio.create_task(self._serve())
            self._serving.add(task)
            task.add_done_callback(self._serving.discard)
        return await verdict

    async def _serve(self) -> None:
        try:
            while self._waiting:
                group = [self._waiting.popleft() for _ in range(min(MOST, len(self._waiting)))]
                await self._round([(said, verdict) for said, verdict in group if not verdict.done()])
        finally:
            self._is_serving = False  # At once, not when the task is done: who comes in between would wait for nobody.

    async def _round(self, group: Sequence[tuple[S, asyncio.Future[A]]]) -> None:
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
