"""The PostgreSQL store: own connections by channel, migrations, wake-ups."""

import time
from collections.abc import Callable, Collection
from datetime import datetime
from functools import partial
from typing import Final, TypeVar

from tenure.core import defaults, intake
from tenure.core.errors import StoreUnavailable
from tenure.core.job import Job, NewJob
from tenure.stores import migrations
from tenure.stores.postgres import driver, failures, migrate, statements, wire
from tenure.stores.postgres.connections import Connections
from tenure.stores.postgres.listener import PostgresListener
from tenure.stores.postgres.session import Session
from tenure.stores.postgres.threads import Threads
from tenure.stores.postgres.verbs import PostgresVerbs
from tenure.stores.postgres.wakeups import Announcer
from tenure.stores.protocol import Channel, Listener, PoolWait, Room, Verbs, silent
from tenure.stores.script import Script, Statement
from tenure.stores.sealing.keyring import Keyring
from tenure.stores.sealing.sealing import sealing

T = TypeVar("T")

_RESERVED: Final[tuple[Channel, ...]] = ("claim", "heartbeat", "upkeep")


class PostgresStore:
    """`stores.protocol.Store` for PostgreSQL.

    url: `postgresql://…`, or any conninfo that psycopg takes. clock: for tests, a callable that answers an aware
    datetime and stands in for the database's clock. keyring: seals its documents. connections: how many its pool has at
    most; None: `defaults.CONNECTIONS`, unless somebody resizes it. Raises Misconfigured where psycopg is not
    installed.
    """

    claim_lanes = 2
    gathers_submissions = False

    def __init__(
        self,
        url: str,
        *,
        clock: Callable[[], datetime] | None = None,
        keyring: Keyring | None = None,
        connections: int | None = None,
    ) -> None:
        driver.psycopg()
        self.url = url
        self.keyring = keyring
        self.verbs: Verbs = sealing(PostgresVerbs(clock), keyring)
        self._channels: dict[Channel, Connections] = {name: Connections(url, 1) for name in _RESERVED}
        self._announcer = Announcer(self.run)
        self._is_said = connections is not None
        self._pool = Connections(url, connections or defaults.CONNECTIONS, self._announcer)
        self._channels["producer"] = self._pool
        self._threads: Threads | None = None

    def open(self) -> None:
        migrations.check(migrate.known(), self._told(lambda session: migrate.applied(session.connection)))

    @property
    def pool(self) -> int | None:
        return self._pool.size

    def resize(self, size: int) -> bool:
        if self._is_said:
            return False
        self._pool.resize(size)
        if self._threads is not None:
            self._threads.resize(size)
        return True

    def waiting(self) -> PoolWait:
        threads = self._threads
        since = self._pool.waited_since() + ([] if threads is None else threads.waited_since())
        return PoolWait(len(since), time.monotonic() - min(since)) if since else PoolWait()

    def room(self) -> Room | None:
        asked = Statement(statements.text("room"), ("{}",))
        return self._told(
            lambda session: wire.ROOM.decode(wire.answer(session.ask(asked))) if session.is_direct else None
        )

    def close(self) -> None:
        self._announcer.close()
        for connections in self._channels.values():
            connections.close()
        if self._threads is not None:
            self._threads.close()

    def run(self, script: Script[T], channel: Channel = "producer") -> T:
        return self._channels[channel].run(script)

    async def arun(
        self, script: Script[T], channel: Channel = "producer", *, abandoned: Callable[[T], object] | None = None
    ) -> T:
        if self._threads is None:
            self._threads = Threads(self.run, self._pool.size, len(_RESERVED))
        return await self._threads.run(script, channel, abandoned)

    def insert_alone(self, job: NewJob) -> Callable[[], Job] | None:
        if job.idempotency_key is not None:  # Should it meet another job, the script would ask once more.
            return None
        inserted = self.run(self.verbs.insert((job,)))
        seq = inserted.created.get(job.id)
        return None if seq is None else partial(intake.row, job, seq, inserted.now)

    def migrate(self, tell: Callable[[str], None] = silent) -> list[str]:
        try:
            with driver.connect(self.url, name="tenure-migrate") as connection:
                return migrate.migrate(connection, tell)
        except driver.psycopg().Error as error:
            raise failures.translated(error) or StoreUnavailable(str(error)) from error

    def announce(self, queues: Collection[str]) -> None:
        self._announcer.announce(queues)

    def listen(self, queues: Collection[str]) -> Listener:
        return PostgresListener(self.url, queues, self._announcer)

    def _told(self, ask: Callable[[Session], T]) -> T:
        """What a connection of the pool tells of its server. Raises StoreError."""
        session = self._pool.take()
        try:
            return ask(session)
        except driver.psycopg().Error as error:
            raise failures.translated(error) or error from error
        finally:
            self._pool.give_back(session)
