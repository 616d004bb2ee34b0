"""Wake-ups: a signal inside the process, and a cheap look at the database's change counter for other processes."""

import sqlite3
import threading
import time
from collections.abc import Collection
from pathlib import Path

from tenure.core.errors import StoreUnavailable
from tenure.core.flow.place import EVERY_QUEUE
from tenure.stores.sqlite import stirring
from tenure.stores.sqlite.failures import is_busy
from tenure.stores.sqlite.opening import FileIdentity, connect_again, identity
from tenure.stores.sqlite.rows import json_text
from tenure.stores.sqlite.statements import sql

_listeners: dict[Path, set["SqliteListener"]] = {}
_registry = threading.Lock()


def announce(path: Path, queues: Collection[str]) -> None:
    """Wakes the listeners of this process on one database file (its real path)."""
    if not _listeners:
        return
    with _registry:
        waiting = list(_listeners.get(path, ()))
    for listener in waiting:
        if not listener.queues.isdisjoint(queues):
            listener.hint()


class SqliteListener:
    """A Listener. A hint or a wake that comes while nobody waits is kept for the next wait."""

    def __init__(self, path: Path, queues: Collection[str]) -> None:
        """path: the real path of the database file."""
        self.queues = frozenset((*queues, EVERY_QUEUE))
        self._path = path
        self._watched = json_text(sorted(queues))
        self._stirring = stirring.of(path)
        self._hinted = False
        self._using = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._version: int | None = None
        self._file: FileIdentity | None = None
        self._has_work()
        with _registry:
            _listeners.setdefault(path, set()).add(self)

    def hint(self) -> None:
        self._hinted = True
        self._stirring.say()

    def wait(self, seconds: float) -> bool:
        """See `stores.protocol.Listener`."""
        end = time.monotonic() + seconds
        self._stirring.begin()
        if self._has_work():
            return True
        while True:
            left = end - time.monotonic()
            said = self._stirring.wait(max(0.0, left))
            if said or self._has_work():
                hinted, self._hinted = self._hinted or not said, False
                return hinted
            if left <= 0:
                return False
            self._stirring.rest()

    def wake(self) -> None:
        self._stirring.say()

    def close(self) -> None:
        with _registry:
            of_file = _listeners.get(self._path, set())
            of_file.discard(self)
            if not of_file:
                _listeners.pop(self._path, None)
        self.wake()
        with self._using:
            self._drop()
            self._stirring.close()

    def _has_work(self) -> bool:
        """Whether somebody has committed since the last look, and a watched queue has ready jobs now."""
        with self._using:
            try:
                return self._look()
            except sqlite3.Error as error:
                # A hint carries no truth: the poll underneath reports what is wrong with the database.
                if not is_busy(error):
                    self._drop()
                return False
            except StoreUnavailable:
                return False  # The file is gone, as the poll says too.

    def _look(self) -> bool:
        if identity(self._path) != self._file:
            self._drop()
        if self._connection is None:
            self._connection, self._file = connect_again(self._path)
            self._version = None
        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        if version == self._version:
            return False
        first, self._version = self._version is None, version
        return not first and bool(self._connection.execute(sql("has_ready"), (self._watched,)).fetchall())

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
