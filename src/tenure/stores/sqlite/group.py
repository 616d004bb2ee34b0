"""One transaction of the writer: scripts that share a commit, each in a savepoint of its own where it needs one.

Where many threads enqueue at once, each has a script with one new job. Their inserts wait for each other and go in as
few statements of many rows. SQLite answers which rows are new, so that each script hears what it would have heard
alone.
"""

import sqlite3
import time
from collections import deque
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from tenure.core.errors import TenureError
from tenure.stores.script import Rows, Statement
from tenure.stores.sqlite.failures import of_own
from tenure.stores.sqlite.new_rows import at
from tenure.stores.sqlite.statements import INSERT_NOW, TICK, insert_of, is_read, notes_its_instant, pieces
from tenure.stores.sqlite.submission import Submission

_LONGEST: Final = 0.05
"""Seconds after which a group takes no further script, so that the first one's answer does not wait for ever."""


class Group:
    """must_tick: whether its instant is to be written beside what the scripts wrote."""

    def __init__(self, connection: sqlite3.Connection, path: Path, instant: int, members: list[Submission]) -> None:
        """connection: in a transaction. instant: of that transaction, in microseconds. members: takes what runs."""
        self._connection, self._path, self._instant = connection, path, instant
        self._members = members
        self._inserts: list[Submission] = []
        self._in_savepoint = False
        self.must_tick = False

    def run(self, queue: deque[Submission]) -> None:
        """Takes scripts from the queue until it is empty or the time is over, and runs them to their ends.

        Raises sqlite3.Error when the transaction is lost.
        """
        until = time.monotonic() + _LONGEST
        while queue and time.monotonic() < until:
            submission = queue.popleft()
            if submission.future is None or not submission.future.cancelled():
                self._members.append(submission)
                self._run(submission)
        for some in pieces(self._inserts):
            self._insert(some)

    def _insert(self, some: Sequence[Submission]) -> None:
        """Inserts of one job each, in one statement. One that cannot be inserted must not refuse the others."""
        if len(some) == 1:
            self._run(some[0], joins=False)
            return
        values = tuple(chain.from_iterable([at(submission.statement.args, self._instant) for submission in some]))
        try:
            rows = self._execute(Statement(insert_of(len(some)), values, commits=True))
        except Exception as error:  # noqa: BLE001 (each hears of its own error)
            self._check_transaction(error)
            for submission in some:
                self._run(submission, joins=False)
            return
        created = {row[0]: row for row in rows}
        for submission in some:
            row = created.pop(submission.statement.args[0], None)  # the first of two with one id has made the row
            self._run(submission, [] if row is None else [row])

    def _run(self, submission: Submission, rows: Rows | None = None, *, joins: bool = True) -> None:
        """Runs a script to its end, or to an insert that waits for others.

        rows: the answer to the statement where it stands. joins: whether its insert may wait.
        """
        self._in_savepoint = False
        try:
            self._drive(submission, rows, joins=joins)
        except sqlite3.Error:
            raise
        except BaseException as error:
            submission.error = error
            self._check_transaction(error)
            if self._in_savepoint:
                self._connection.execute("ROLLBACK TO script")
            if not isinstance(error, Exception):
                raise
        if self._in_savepoint:
            self._connection.execute("RELEASE script")

    def _drive(self, submission: Submission, rows: Rows | None, *, joins: bool) -> None:
        script, statement = submission.script, submission.statement
        try:
            if rows is not None:
                statement = script.send(rows)
            while not (joins and statement.text is INSERT_NOW and statement.commits and not self._in_savepoint):
                try:
                    rows = self._execute(statement)
                except TenureError as error:
                    statement = script.throw(error)
                else:
                    statement = script.send(rows)
        except StopIteration as stop:
            submission.result = stop.value
            return
        submission.statement = statement
        self._inserts.append(submission)

    def _execute(self, statement: Statement) -> Rows:
        text, args, commits, _ = statement
        if text is TICK:
            return [(self._instant,)]
        if not is_read(text):
            self.must_tick = self.must_tick or not notes_its_instant(text)
            if not (self._in_savepoint or commits):
                self._connection.execute("SAVEPOINT script")
                self._in_savepoint = True
        try:
            return self._connection.execute(text, args).fetchall()
        except sqlite3.Error as error:
            raise of_own(error, str(self._path)) from error

    def _check_transaction(self, error: BaseException) -> None:
        if not self._connection.in_transaction:
            raise sqlite3.OperationalError("the transaction was rolled back by SQLite") from error
