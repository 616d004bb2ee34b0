"""The PostgreSQL store: own connections by channel, migrations, wake-ups."""

import asyncio
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from functools import partial
from typing import Final, TypeVar

from tenure.core.errors import StoreUnavailable
from tenure.stores import migrations
from tenure.stores.postgres import driver, failures, migrate
from tenure.stores.postgres.connections import Connections
from tenure.stores.postgres.listener import PostgresListener
from tenure.stores.postgres.verbs import PostgresVerbs
from tenure.stores.postgres.wakeups import Announcer
from tenure.stores.protocol import Channel, Listener, Verbs
from tenure.stores.script import Script
from tenure.stores.sealing.keyring import Keyring
from tenure.stores.sealing.sealing import sealing

T = TypeVar("T")

_PRODUCERS: Final = 8
_RESERVED: Final[tuple[Channel, ...]] = ("claim", "heartbeat", "upkeep")


class PostgresStore:
    """`stores.protocol.Store` for PostgreSQL.

    url: `postgresql://…`, or any conninfo that psycopg takes. clock: for tests, a callable that answers an aware
    datetime and stands in for the database's clock. keyring: seals its documents. Raises Misconfigured where psycopg is
    not installed.
    """

    claim_lanes = 2
    gathers_submissions = False

    def __init__(
        self, url: str, *, clock: Callable[[], datetime] | None = None, keyring: Keyring | None = None
    ) -> None:
        driver.psycopg()
        self.url = url
        self.keyring = keyring
        self.verbs: Verbs = sealing(PostgresVerbs(clock), keyring)
        self._channels: dict[Channel, Connections] = {name: Connections(url, 1) for name in _RESERVED}
        self._announcer = Announcer(self.run)
        self._channels["producer"] = Connections(url, _PRODUCERS, self._announcer)
        self._threads: ThreadPoolExecutor | None = None

    def open(self) -> None:
        producers = self._channels["producer"]
        session = producers.take()
        try:
            applied = migrate.applied(session.connection)
        except driver.psycopg().Error as error:
            raise failures.translated(error) or error from error
        finally:
            producers.give_back(session)
        migrations.check(migrate.known(), applied)

    def close(self) -> None:
        self._announcer.close()
        for connections in self._channels.values():
            connections.close()
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    def run(self, script: Script[T], channel: Channel = "producer") -> T:
        return self._channels[channel].run(script)

    async def arun(
        self, script: Script[T], channel: Channel = "producer", *, abandoned: Callable[[T], object] | None = None
    ) -> T:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_PRODUCERS + len(_RESERVED), thread_name_prefix="tenure-postgres")
        work = self._threads.submit(self.run, script, channel)
        try:
            return await asyncio.wrap_future(work)
        except asyncio.CancelledError:
            if abandoned is not None:
                work.add_done_callback(partial(_tell, abandoned))
            raise

    def migrate(self) -> list[str]:
        """Raises SchemaChanged, SchemaTooNew, StoreUnavailable, StoreBusy."""
        try:
            connection = driver.connect(self.url, name="tenure-migrate")
        except driver.psycopg().Error as error:
            raise failures.translated(error) or StoreUnavailable(str(error)) from error
        with connection:
            return migrate.migrate(connection)

    def announce(self, queues: Collection[str]) -> None:
        self._announcer.announce(queues)

    def listen(self, queues: Collection[str]) -> Listener:
        return PostgresListener(self.url, queues, self._announcer)


def _tell(abandoned: Callable[[T], object], work: Future[T]) -> None:
    """Nothing where the work was never begun, or failed: then nothing is stored."""
    if not work.cancelled() and work.exception() is None:
        abandoned(work.result())
