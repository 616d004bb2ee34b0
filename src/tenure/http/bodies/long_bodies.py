"""Long bodies: how many bytes of them the whole service holds, and the one thread that reads them as JSON.

What a body becomes in memory is a multiple of it. So they are read one at a time, and held in a bounded number of
bytes, from their arrival to the answer.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Final, TypeVar

from tenure.edge.problems import RETRY_AFTER
from tenure.http.refusals import refused

T = TypeVar("T")

SHORT: Final = 64 * 1024
"""A body of at most so many bytes is read on the event loop, and counted nowhere."""


class LongBodies:
    """most: bytes of long bodies that are held at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._thread = ThreadPoolExecutor(1, "tenure-http-bodies")

    def share(self) -> "Share":
        """For one request."""
        return Share(self)

    async def read(self, call: Callable[[], T]) -> T:
        """Off the event loop, after those who came before."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    def hold(self, more: int) -> None:
        """So many bytes more. Raises Refused: 503."""
        if self._held + more > self._most:
            words = f"The service holds as many bytes of long bodies as it takes at once, {self._most:,}."
            headers = [("Retry-After", f"{RETRY_AFTER:.0f}")]
            raise refused(503, "too_many_bodies", words, headers=headers, is_last=True)
        self._held += more

    def give_back(self, size: int) -> None:
        self._held -= size


class Share:
    """What one request holds, until the end of the block."""

    __slots__ = ("_bodies", "_held")

    def __init__(self, bodies: LongBodies) -> None:
        self._bodies = bodies
        self._held = 0

    def __enter__(self) -> "Share":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._held:
            self._bodies.give_back(self._held)

    def grow(self, size: int) -> None:
        """The body has so many bytes by now. Raises Refused: 503."""
        if size > SHORT:
            self._bodies.hold(size - self._held)
            self._held = size
