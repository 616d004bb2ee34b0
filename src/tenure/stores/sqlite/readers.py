"""Reading outside the writer: as many connections as scripts read at once, each in a snapshot of its own."""

import sqlite3
import threading
from pathlib import Path
from typing import Any, NamedTuple

from tenure.core.errors import TenureError
from tenure.stores.script import Rows, Script, Statement
from tenure.stores.sqlite.failures import of_own
from tenure.stores.sqlite.opening import FileIdentity, connect_again, identity, moved
from tenure.stores.sqlite.patience import patiently
from tenure.stores.sqlite.statements import is_read


class Finished(NamedTuple):
    """The script has ended with this result."""

    result: Any


class Readers:
    """A pool of connections that only read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: list[tuple[sqlite3.Connection, FileIdentity]] = []
        self._lock = threading.Lock()
        self._closed = False

    def run(self, script: Script[Any], first: Statement) -> Finished | Statement:
        """Runs a script until its end, or until the first statement that writes, which is given back.

        What was read by then was committed; what is written next is conditional, and judged in the writer.
        """
        try:
            connection, file = self._take()
            answer = _read(connection, script, first, str(self._path))
        except sqlite3.Error as error:
            raise of_own(error, str(self._path)) from error
        self._give_back(connection, file)
        return answer

    def close(self) -> None:
        """Those in use end when they are given back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def _take(self) -> tuple[sqlite3.Connection, FileIdentity]:
        with self._lock:
            taken = self._idle.pop() if self._idle else None
        if taken is None:
            return patiently(lambda: connect_again(self._path))
        if taken[1] != identity(self._path):
            taken[0].close()
            raise moved(self._path)
        return taken

    def _give_back(self, connection: sqlite3.Connection, file: FileIdentity) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append((connection, file))
                return
        connection.close()


def _read(connection: sqlite3.Connection, script: Script[Any], first: Statement, path: str) -> Finished | Statement:
    try:
        connection.execute("BEGIN")
        answer = _read_on(connection, script, first, path)
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return answer


def _read_on(
    connection: sqlite3.Connection, script: Script[Any], statement: Statement, path: str
) -> Finished | Statement:
    try:
        while is_read(statement.text):
            try:
                rows = _fetch(connection, statement, path)
            except TenureError as error:
                statement = script.throw(error)
            else:
                statement = script.send(rows)
    except StopIteration as stop:
        return Finished(stop.value)
    return statement


def _fetch(connection: sqlite3.Connection, statement: Statement, path: str) -> Rows:
    try:
        return patiently(lambda: connection.execute(statement.text, statement.args).fetchall())
    except sqlite3.Error as error:
        raise of_own(error, path) from error
