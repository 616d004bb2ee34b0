"""The store on SQLite: one file, written by one connection of each process, read by several."""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path

from tenure.core.errors import Misconfigured
from tenure.core.job import Job, NewJob
from tenure.stores.pool import NoPool
from tenure.stores.protocol import Channel, Verbs, silent
from tenure.stores.script import Script, Statement, T
from tenure.stores.sealing.keyring import Keyring
from tenure.stores.sealing.sealing import sealing
from tenure.stores.sqlite import listener, migrating
from tenure.stores.sqlite.failures import of_own
from tenure.stores.sqlite.instants import WallClock
from tenure.stores.sqlite.listener import SqliteListener
from tenure.stores.sqlite.new_rows import new_row, row_made
from tenure.stores.sqlite.opening import connect, path_of
from tenure.stores.sqlite.patience import patiently
from tenure.stores.sqlite.readers import Finished, Readers
from tenure.stores.sqlite.statements import is_read
from tenure.stores.sqlite.verbs import SqliteVerbs
from tenure.stores.sqlite.writer import Writer


class SqliteStore(NoPool):
    """See `stores.protocol.Store`. Every channel shares the one writer: SQLite has one at a time anyway."""

    dialect = "sqlite"
    claim_lanes = 1
    gathers_submissions = True

    def __init__(
        self,
        url_or_path: str | Path,
        *,
        clock: Callable[[], datetime] | None = None,
        keyring: Keyring | None = None,
    ) -> None:
        """url_or_path: `sqlite:///name.db`, or the file's path. clock: answers aware datetimes instead of the wall.
        keyring: seals its documents."""
        self._path = path_of(url_or_path)
        self.url = f"sqlite:///{self._path}"
        self._wall = WallClock(clock)
        self.keyring = keyring
        self.verbs: Verbs = sealing(SqliteVerbs(self._wall), keyring)
        self._process = 0
        self._writer: Writer | None = None
        self._readers: Readers | None = None
        self._reading: ThreadPoolExecutor | None = None

    @cached_property
    def path(self) -> Path:
        """The real path of the database file: what listeners of one file have in common."""
        return Path(os.path.realpath(self._path))

    def open(self) -> None:
        try:
            connection = patiently(lambda: connect(self._path))
            try:
                self._prepare(connection)
            finally:
                connection.close()
        except sqlite3.Error as error:
            raise of_own(error, str(self._path)) from error
        self._process = os.getpid()
        self._writer = Writer(self._path, self._wall)
        self._readers = Readers(self._path)
        self._reading = ThreadPoolExecutor(2, "tenure-sqlite-reader")

    def _prepare(self, connection: sqlite3.Connection) -> None:
        if not migrating.applied(connection):
            migrating.migrate(connection, self._wall.micros())
        migrating.check(connection)
        migrating.use_log(connection)

    def close(self) -> None:
        """Waits for the scripts that run. Closing twice is no error."""
        writer, self._writer = self._writer, None
        readers, self._readers = self._readers, None
        reading, self._reading = self._reading, None
        if writer is None or readers is None or reading is None or self._process != os.getpid():
            return
        reading.shutdown()
        writer.close()
        readers.close()

    def run(self, script: Script[T], channel: Channel = "producer") -> T:
        writer, readers, _ = self._opened()
        try:
            statement = next(script)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        if is_read(statement.text):
            answer = readers.run(script, statement)
            if isinstance(answer, Finished):
                return answer.result  # type: ignore[no-any-return]
            statement = answer
        return writer.run(script, statement)

    async def arun(
        self, script: Script[T], channel: Channel = "producer", *, abandoned: Callable[[T], object] | None = None
    ) -> T:
        writer, readers, reading = self._opened()
        try:
            statement = next(script)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        if is_read(statement.text):
            loop = asyncio.get_running_loop()
            answer: Finished | Statement = await loop.run_in_executor(reading, readers.run, script, statement)
            if isinstance(answer, Finished):
                return answer.result  # type: ignore[no-any-return]
            statement = answer
        return await writer.arun(script, statement, abandoned)

    def insert_alone(self, job: NewJob) -> Callable[[], Job] | None:
        if self.keyring is not None:
            return None
        row = new_row(job, self._wall.micros())
        seq = self._opened()[0].insert_alone(row)
        return None if seq is None else partial(row_made, job, row, seq)

    def migrate(self, tell: Callable[[str], None] = silent) -> list[str]:
        try:
            connection = patiently(lambda: connect(self._path))
            try:
                return migrating.migrate(connection, self._wall.micros(), tell)
            finally:
                connection.close()
        except sqlite3.Error as error:
            raise of_own(error, str(self._path)) from error

    @staticmethod
    def migration_text() -> str:
        """What `migrate` would run on an empty database, as SQL."""
        return migrating.text()

    def announce(self, queues: Collection[str]) -> None:
        listener.announce(self.path, queues)

    def listen(self, queues: Collection[str]) -> SqliteListener:
        return SqliteListener(self.path, queues)

    def _opened(self) -> tuple[Writer, Readers, ThreadPoolExecutor]:
        if self._writer is None or self._readers is None or self._reading is None:
            raise Misconfigured("the store is not open", hint="Call open() first.")
        if self._process != os.getpid():
            raise Misconfigured(
                "the store was opened by the process that this one was forked from",
                hint="SQLite does not survive a fork: start such processes by spawn, or let them be the first to use "
                "the application.",
            )
        return self._writer, self._readers, self._reading
