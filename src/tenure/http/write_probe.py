"""Whether the database takes writes: asked with a small one, and not for every caller."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Final

from tenure.core.errors import TenureError

log = logging.getLogger("tenure.http")

EVERY_SECONDS: Final = 5.0


class WriteProbe:
    """write: a small write; raises TenureError where it fails. seconds: how long it may take. clock: monotonic
    seconds."""

    def __init__(
        self, write: Callable[[], Awaitable[None]], seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._write, self._seconds, self._clock = write, seconds, clock
        self._next: float | None = None
        self._trouble: str | None = None

    async def trouble(self) -> str | None:
        """What the last write met, None where it was well. Of callers within five seconds the first writes, and the
        others hear of the write before."""
        if self._next is None or self._clock() >= self._next:
            self._next = self._clock() + EVERY_SECONDS
            self._trouble = await self._met()
        return self._trouble

    async def _met(self) -> str | None:
        try:
            async with asyncio.timeout(self._seconds):
                await self._write()
        except TimeoutError:
            return "writes: no answer"
        except TenureError as error:
            log.warning("not ready: a write failed: %s", error)
            return f"writes: {error.code}"
        return None
