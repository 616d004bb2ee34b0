"""The writer: scripts of all threads and loops, combined into few commits.

Whoever comes first holds the turn and runs what has gathered: BEGIN IMMEDIATE, each script in a savepoint of its
own, COMMIT, then the answers. Threads take the turn themselves; for coroutines a thread of the writer does.
"""

import asyncio
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tenure.core.errors import StoreUnavailable, TenureError
from tenure.stores.script import Rows, Script, Statement, T
from tenure.stores.sqlite.checkpoint import Checkpointer
from tenure.stores.sqlite.failures import of_own
from tenure.stores.sqlite.instants import WallClock
from tenure.stores.sqlite.opening import connect
from tenure.stores.sqlite.patience import patiently
from tenure.stores.sqlite.statements import TICK, is_read, notes_its_instant, sql

_LONGEST_GROUP: Final = 0.05
"""Seconds after which a group takes no further script, so that the first one's answer does not wait for ever."""


class Submission:
    """One script on its way, and what became of it. `first` is the statement that it has yielded already."""

    __slots__ = ("done", "error", "first", "future", "result", "script")

    def __init__(self, script: Script[Any], first: Statement, future: "asyncio.Future[Any] | None" = None) -> None:
        self.script, self.first, self.future = script, first, future
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None


class Writer:
    """The one connection of a store that writes."""

    def __init__(self, path: Path, wall: WallClock) -> None:
        self._path, self._wall = path, wall
        self._queue: deque[Submission] = deque()
        self._turn = threading.Lock()
        self._stirred = threading.Event()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._closed = False
        self._stale = False
        self._connection: sqlite3.Connection | None = None
        self._checkpointer = Checkpointer(path)
        self._instant = 0
        self._in_savepoint = False
        self._must_tick = False

    def run(self, script: Script[T], first: Statement) -> T:
        """Runs a script to its end in this thread, or finds it done by another."""
        mine = Submission(script, first)
        self._queue.append(mine)
        with self._turn:
            while not mine.done:
                self._run_group()
        if mine.error is not None:
            raise mine.error
        return mine.result  # type: ignore[no-any-return]

    async def arun(self, script: Script[T], first: Statement) -> T:
        """Runs a script in the writer's thread; the loop only waits."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue.append(Submission(script, first, future))
        if self._thread is None:
            self._start()
        if not self._stirred.is_set():
            self._stirred.set()
        return await future

    def renew(self) -> None:
        """The next group takes a fresh connection."""
        self._stale = True

    def close(self) -> None:
        """Ends the thread and the connection, when the scripts that were submitted are through."""
        self._closed = True
        self._stirred.set()
        if self._thread is not None:
            self._thread.join()
        with self._turn:
            while self._queue:
                self._run_group()
            self._drop()

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="tenure-sqlite-writer", daemon=True)
                self._thread.start()

    def _serve(self) -> None:
        while not self._closed:
            self._stirred.wait()
            self._stirred.clear()
            while self._queue:
                with self._turn:
                    if self._queue:
                        self._run_group()

    # One group; the caller holds the turn.

    def _run_group(self) -> None:
        group: list[Submission] = []
        try:
            connection = self._open()
            patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
            self._run_scripts(connection, group)
            self._commit(connection)
        except sqlite3.Error as error:
            self._fail(group, of_own(error, str(self._path)))
        except Exception as error:  # noqa: BLE001 (whoever waits is told; the writer's thread serves the next)
            self._fail(group, StoreUnavailable(f"the writer of {self._path} failed: {error!r}"))
        except BaseException as error:
            self._fail(group, StoreUnavailable(f"the writer of {self._path} was interrupted: {error!r}"))
            raise
        finally:
            _answer(group)

    def _run_scripts(self, connection: sqlite3.Connection, group: list[Submission]) -> None:
        self._changes = connection.total_changes
        self._must_tick = False
        self._instant = connection.execute(sql("now"), (self._wall.micros(),)).fetchone()[0]
        began = time.monotonic()
        while self._queue:
            submission = self._queue.popleft()
            if submission.future is not None and submission.future.cancelled():
                continue
            group.append(submission)
            self._run_script(connection, submission)
            if time.monotonic() - began > _LONGEST_GROUP:
                return

    def _commit(self, connection: sqlite3.Connection) -> None:
        """Writes the instant beside what was written, unless that holds it. A group that wrote nothing leaves no trace
        and costs no sync."""
        changed = connection.total_changes - self._changes
        if not changed:
            connection.execute("ROLLBACK")
            return
        if self._must_tick:
            connection.execute(TICK, (self._instant,)).fetchall()
        connection.execute("COMMIT")
        self._checkpointer.after_commit(connection, changed)

    def _fail(self, group: list[Submission], error: TenureError) -> None:
        """Nothing of the group is stored. Where it never began, it is what has gathered."""
        if not group:
            while self._queue:
                group.append(self._queue.popleft())
        for submission in group:
            submission.result, submission.error = None, submission.error or error
            submission.script.close()
        self._drop()

    def _run_script(self, connection: sqlite3.Connection, submission: Submission) -> None:
        self._in_savepoint = False
        try:
            submission.result = self._drive(connection, submission)
        except sqlite3.Error:
            raise
        except BaseException as error:
            submission.error = error
            if not connection.in_transaction:
                raise sqlite3.OperationalError("the transaction was rolled back by SQLite") from error
            if self._in_savepoint:
                connection.execute("ROLLBACK TO script")
            if not isinstance(error, Exception):
                raise
        if self._in_savepoint:
            connection.execute("RELEASE script")

    def _drive(self, connection: sqlite3.Connection, submission: Submission) -> Any:
        script, statement = submission.script, submission.first
        try:
            while True:
                try:
                    rows = self._execute(connection, statement)
                except TenureError as error:
                    statement = script.throw(error)
                else:
                    statement = script.send(rows)
        except StopIteration as stop:
            return stop.value

    def _execute(self, connection: sqlite3.Connection, statement: Statement) -> Rows:
        text, args, commits = statement
        if text is TICK or text == TICK:
            return [(self._instant,)]
        self._must_tick = self._must_tick or not (is_read(text) or notes_its_instant(text))
        if not (self._in_savepoint or commits or is_read(text)):
            connection.execute("SAVEPOINT script")
            self._in_savepoint = True
        try:
            return connection.execute(text, args).fetchall()
        except sqlite3.Error as error:
            raise of_own(error, str(self._path)) from error

    def _open(self) -> sqlite3.Connection:
        if self._stale:
            self._drop()
            self._stale = False
        if self._connection is None:
            self._connection = patiently(lambda: connect(self._path))
        return self._connection

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


Outcome = tuple["asyncio.Future[Any]", Any, BaseException | None]


def _answer(group: list[Submission]) -> None:
    """Tells the threads, and each loop once."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Outcome]] = {}
    for submission in group:
        if submission.future is not None:
            outcome = (submission.future, submission.result, submission.error)
            by_loop.setdefault(submission.future.get_loop(), []).append(outcome)
        submission.done = True
    for loop, outcomes in by_loop.items():
        _tell(loop, lambda outcomes=outcomes: _resolve(outcomes))  # type: ignore[misc]


def _tell(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(call)
    except RuntimeError:
        # The loop is closed: whoever waited there is gone, and what was committed stays.
        if not loop.is_closed():
            raise


def _resolve(outcomes: list[Outcome]) -> None:
    for future, result, error in outcomes:
        if future.done():
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
