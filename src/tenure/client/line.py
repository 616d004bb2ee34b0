"""One client for the handlers of a worker, wherever they run: on an event loop of any kind, or in a thread."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from typing import Any, Final, TypeVar

from tenure.app.handling.ledger import Asking
from tenure.client.async_client import AsyncClient, pages
from tenure.client.call import Call
from tenure.client.paging import Page
from tenure.client.refusals import as_away
from tenure.core.errors import TenureError, TooMany
from tenure.engine.attempts.loop_thread import LoopThread

T = TypeVar("T")
R = TypeVar("R")
G = TypeVar("G", bound=Page)

CLOSE_GRACE: Final = 1.0


class Line:
    """Its requests are sent from a thread of its own, which the first of them starts."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._thread: LoopThread | None = None
        self._lock = threading.Lock()

    def asking(self, call: Call[T], read: Callable[[T], R], refused: Callable[[TenureError], R]) -> Asking[R]:
        """refused: what a refusal means; it answers, or raises."""

        return self._asking(lambda: self._client.send(call), read, refused)

    def asking_pages(
        self, ask: Callable[[Any], Call[G]], read: Callable[[list[G]], R], refused: Callable[[TenureError], R]
    ) -> Asking[R]:
        """As `asking`, of all pages of a list. ask: takes the cursor, None for the first."""

        async def walked() -> list[G]:
            return [page async for page in pages(lambda cursor: self._client.send(ask(cursor)))]

        return self._asking(walked, read, refused)

    def _asking(
        self, send: Callable[[], Awaitable[T]], read: Callable[[T], R], refused: Callable[[TenureError], R]
    ) -> Asking[R]:
        def sent() -> Future[R]:
            return asyncio.run_coroutine_threadsafe(_answer(send, read, refused), self._loop())

        async def later() -> R:
            return await asyncio.wrap_future(sent())

        return Asking(lambda: sent().result(), later)

    def close(self) -> None:
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            closing = asyncio.run_coroutine_threadsafe(self._client.close(), thread.loop)
            wait([closing], CLOSE_GRACE)
            thread.stop(CLOSE_GRACE)

    def _loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._thread is None:
                self._thread = LoopThread()
                self._thread.start()
            return self._thread.loop


async def _answer(send: Callable[[], Awaitable[T]], read: Callable[[T], R], refused: Callable[[TenureError], R]) -> R:
    try:
        return read(await send())
    except TooMany as error:
        raise as_away(error) from error
    except TenureError as error:
        return refused(error)
