"""What all requests share: the application, its database, and the way to it."""

import asyncio
import logging
import threading
from typing import TypeVar

from tenure.app.tenure import Tenure
from tenure.core import pool
from tenure.core.errors import TenureError
from tenure.http.callers.seen_keys import SeenKeys
from tenure.http.intake import Intake
from tenure.http.options import ServiceOptions
from tenure.http.upkeep import Upkeep
from tenure.http.work.claiming import Claiming
from tenure.http.work.reporting import Reporting
from tenure.http.work.waiting import Waiting
from tenure.http.write_probe import WriteProbe
from tenure.stores.protocol import Channel, Store, Verbs
from tenure.stores.script import Script

T = TypeVar("T")
log = logging.getLogger("tenure.http")


class Service:
    """app: with or without tasks; kinds that only the database knows are served too.

    long_polls: how many are open now; whoever holds them counts them. leaving: set when the server drains; whoever
    waits for work stops waiting. is_started: whether `start` has been done.
    """

    def __init__(self, app: Tenure, options: ServiceOptions | None = None) -> None:
        self.app = app
        self.options = options or ServiceOptions()
        self.long_polls = 0
        self.leaving = asyncio.Event()
        self.seen_keys = SeenKeys()
        self.intake = Intake(app)
        self.reporting = Reporting(self)
        self.claiming = Claiming(self)
        self.waiting = Waiting(self)
        self._writes = WriteProbe(self._touch, self.options.answer_seconds / 2)
        self._upkeep: Upkeep | None = None
        self.is_started = False
        self._starting = threading.Lock()

    @property
    def store(self) -> Store:
        """The database; open since `start`."""
        return self.app.store

    @property
    def verbs(self) -> Verbs:
        return self.app.store.verbs

    @property
    def digest_key(self) -> bytes:
        return self.app.database.known.digest_key

    async def run(self, script: Script[T], channel: Channel = "producer") -> T:
        """One transaction, off the event loop. Raises StoreError and what the operation raises."""
        await self.app.aopened()
        return await self.store.arun(script, channel)

    # Starting and leaving

    def start(self) -> None:
        """Opens the database, writes the kinds of the app's tasks, starts the upkeep; once. May block.

        Raises StoreUnavailable, SchemaTooOld and their kin; then the next call tries again.
        """
        with self._starting:
            if self.is_started:
                return
            self.app.declare_kinds()
            self.app.declare_schedules()
            if self.options.upkeep:
                self._upkeep = Upkeep(self.app.store, self.options)
                self._upkeep.start()
            self.leaving.clear()
            self.is_started = True

    async def started(self) -> None:
        """As `start`, off the event loop."""
        if not self.is_started:
            await asyncio.to_thread(self.start)

    def close(self) -> None:
        """Stops the upkeep and closes the database. The next request starts both again. May block."""
        self.waiting.close()
        with self._starting:
            if self._upkeep is not None:
                self._upkeep.stop()
            self._upkeep, self.is_started = None, False
        self.app.close()

    async def troubles(self) -> list[str]:
        """What stands in the way of work: a database that does not answer or takes no writes, loops that are late.
        Empty: ready."""
        if self.leaving.is_set():
            return ["leaving: the server drains"]
        try:
            async with asyncio.timeout(self.options.answer_seconds / 2):
                await self.started()
                if crowded := self._crowded():
                    return [crowded]
                await self.run(self.verbs.now())
        except TimeoutError:
            return ["database: no answer"]
        except TenureError as error:
            log.warning("not ready: %s", error)
            return [f"database: {error.code}"]
        unwritten = await self._writes.trouble()
        late = [] if self._upkeep is None else self._upkeep.late()
        return [*([unwritten] if unwritten else []), *(f"{name}: no success for too long" for name in late)]

    def _crowded(self) -> str | None:
        """A wait for a connection that lasts: whoever asks now would only stand behind it."""
        size = self.store.pool
        words = None if size is None else pool.lasting(*self.store.waiting(), size, size)
        return None if words is None else f"connections: {words}"

    async def _touch(self) -> None:
        await self.run(self.verbs.touch())
