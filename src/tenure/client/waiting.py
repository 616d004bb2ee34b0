"""The claim that waits: one long poll at a time, in a thread of its own, so that nobody else waits for it.

nothing is out ── begin ──▶ out ── answered ──▶ brought ── take ──▶ nothing is out
                             ├── failed ──────▶ doubtful: the service may have served it; it is asked again first
                             └── stop ────────▶ doubtful
"""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Final

from tenure.client import wire
from tenure.client.async_client import AsyncClient
from tenure.client.claims import Brought, Claiming
from tenure.core.errors import TooMany
from tenure.core.lease import Beat
from tenure.engine.attempts.loop_thread import LoopThread

LONGEST_WAIT: Final = 20.0
CLOSE_GRACE: Final = 1.0


class Granted:
    """What a claim brought, and a moment of this process's monotonic clock at which its leases were surely not older
    than new."""

    __slots__ = ("brought", "since")

    def __init__(self, brought: Brought, since: float) -> None:
        self.brought = brought
        self.since = since


class Waiting:
    """Safe from any thread. answered: called when a poll has ended, from its thread."""

    def __init__(self, client: AsyncClient, answered: Callable[[], None]) -> None:
        self._client = client
        self._answered = answered
        self._thread: LoopThread | None = None
        self._out: tuple[Claiming, Future[Granted]] | None = None
        self._doubtful: list[Claiming] = []
        self._not_before = 0.0
        self._lock = threading.RLock()

    @property
    def is_out(self) -> bool:
        """Whether a poll is out, or what it brought is not taken yet."""
        return self._out is not None

    @property
    def is_answered(self) -> bool:
        out = self._out
        return out is not None and out[1].done()

    @property
    def has_doubts(self) -> bool:
        return bool(self._doubtful)

    def begin(self, said: Claiming) -> None:
        """Sends a claim that waits, unless one is out or in doubt, or the service asked for a pause."""
        with self._lock:
            if self._out is not None or self._doubtful or time.monotonic() < self._not_before:
                return
            if self._thread is None:
                self._thread = LoopThread()
                self._thread.start()
            future = asyncio.run_coroutine_threadsafe(self._poll(said), self._thread.loop)
            self._out = said, future
        future.add_done_callback(lambda _future: self._answered())

    def take(self) -> Granted | None:
        """What an answered poll brought; None while there is no answer. Raises the error that it met."""
        with self._lock:
            if self._out is None or not self._out[1].done():
                return None
            (said, future), self._out = self._out, None
        try:
            return future.result()
        except TooMany as error:
            self._not_before = time.monotonic() + error.retry_after
            return None
        except Exception:
            self.doubt(said)
            raise

    def doubt(self, said: Claiming) -> None:
        """Keeps a claim whose answer is not known, until it is asked again."""
        with self._lock:
            self._doubtful.append(said)

    def take_doubtful(self) -> Claiming | None:
        """One to be asked again, by whoever takes it."""
        with self._lock:
            return self._doubtful.pop(0) if self._doubtful else None

    def stop(self) -> None:
        """Ends the poll that is out, which is in doubt from then on: the service may have served it."""
        with self._lock:
            if self._out is not None:
                (said, future), self._out = self._out, None
                future.cancel()
                self._doubtful.append(said)

    def close(self) -> None:
        """Stops, and closes the connections."""
        self.stop()
        if self._thread is not None:
            closing = asyncio.run_coroutine_threadsafe(self._client.close(), self._thread.loop)
            wait([closing], CLOSE_GRACE)
            self._thread.stop(CLOSE_GRACE)

    async def _poll(self, said: Claiming) -> Granted:
        """A lease that was waited for is renewed at once: how long the service waited before it gave it is not known,
        and a lease counts from before the request."""
        sent = time.monotonic()
        brought = await self._client.send(wire.claim(said))
        if not brought.leases:
            return Granted(brought, sent)
        sent = time.monotonic()
        beats = await self._client.send(wire.heartbeats([Beat(lease.job_id, lease.token) for lease in brought.leases]))
        return Granted(brought.of_held(beats), sent)
