"""The writer: scripts of all threads and loops, combined into few commits.

Whoever comes first holds the turn and runs what has gathered: BEGIN IMMEDIATE, the scripts as one group, COMMIT, then
the answers. Threads take the turn themselves; for coroutines a thread of the writer does.
"""

import asyncio
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tenure.core.errors import StoreUnavailable, TenureError
from tenure.stores.script import Row, Script, Statement, T
from tenure.stores.sqlite.checkpoint import Checkpointer
from tenure.stores.sqlite.failures import of_own
from tenure.stores.sqlite.group import Group
from tenure.stores.sqlite.instants import WallClock
from tenure.stores.sqlite.new_rows import alone, created
from tenure.stores.sqlite.opening import FileIdentity, connect_again, identity, moved
from tenure.stores.sqlite.patience import patiently
from tenure.stores.sqlite.statements import INSERT_ALONE, INSERT_NOW, TICK, sql
from tenure.stores.sqlite.submission import Submission, answer

LOOK_AGAIN: Final = 0.01
"""Seconds for which the file is taken to stand where it was opened."""
_NOW: Final = sql("now")


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
        self._connection: sqlite3.Connection | None = None
        self._file: FileIdentity | None = None
        self._looked_at = 0.0
        self._checkpointer = Checkpointer(path)

    def run(self, script: Script[T], first: Statement) -> T:
        """Runs a script to its end in this thread, or finds it done by another."""
        mine = Submission(script, first)
        self._queue.append(mine)
        self._in_turn(lambda: self._run_until_done(mine))
        if mine.error is not None:
            raise mine.error
        return mine.result  # type: ignore[no-any-return]

    def insert_alone(self, row: Row) -> int | None:
        """A row of `new_row`, in this thread and as a transaction by itself: its seq. None where it was not inserted,
        or others have something to write. Raises StoreError."""
        if self._queue or self._turn.locked():
            return None
        return self._in_turn(lambda: self._insert_now(row))

    async def arun(self, script: Script[T], first: Statement, abandoned: Callable[[T], object] | None = None) -> T:
        """Runs a script in the writer's thread; the loop only waits. abandoned: as `Store.arun` says."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue.append(Submission(script, first, future, abandoned))
        if self._thread is None:
            self._start()
        if not self._stirred.is_set():
            self._stirred.set()
        return await future

    def close(self) -> None:
        """Ends the thread and the connection, when the scripts that were submitted are through."""
        self._closed = True
        self._stirred.set()
        if self._thread is not None:
            self._thread.join()
        self._in_turn(self._finish)

    def _in_turn(self, action: Callable[[], T]) -> T:
        """An interrupt may come behind any call: behind an acquire of our own, and since Python 3.14 also between the
        `__enter__` of `with` and its block; nobody would release. So one call takes the turn and notes that it did."""
        taken: list[bool] = []
        try:
            taken.extend(map(self._turn.acquire, (True,)))
            return action()
        finally:
            if taken:
                self._turn.release()

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

    # The caller holds the turn.

    def _run_until_done(self, mine: Submission) -> None:
        while not mine.done:
            self._run_group()

    def _insert_now(self, row: Row) -> int | None:
        try:
            return self._insert_alone(self._open(), row)
        except sqlite3.Error as error:
            self._drop()
            raise of_own(error, str(self._path)) from error
        except StoreUnavailable:
            self._drop()
            raise

    def _finish(self) -> None:
        while self._queue:
            self._run_group()
        self._drop()

    def _run_group(self) -> None:
        members: list[Submission] = []
        try:
            connection = self._open()
            if not self._run_alone(connection, members):
                patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
                self._run_members(connection, members)
        except sqlite3.Error as error:
            self._fail(members, of_own(error, str(self._path)))
        except StoreUnavailable as error:
            self._fail(members, error)
        except Exception as error:  # noqa: BLE001 (whoever waits is told; the writer's thread serves the next)
            self._fail(members, StoreUnavailable(f"the writer of {self._path} failed: {error!r}"))
        except BaseException as error:
            self._fail(members, StoreUnavailable(f"the writer of {self._path} was interrupted: {error!r}"))
            raise
        finally:
            answer(members)

    def _run_alone(self, connection: sqlite3.Connection, members: list[Submission]) -> bool:
        """One new job without company is a transaction by itself. Its script may go on in a group; not done, all of it
        does."""
        if len(self._queue) != 1 or self._queue[0].statement.text is not INSERT_NOW:
            return False
        submission = self._queue.popleft()
        members.append(submission)
        row = submission.statement.args
        try:
            seq = self._insert_alone(connection, row)
        except sqlite3.Error:
            raise
        except Exception as error:  # noqa: BLE001 (a value that SQLite cannot take: the caller's own error)
            submission.error = error
            return True
        if seq is None or submission.answer([created(row, seq)]):
            members.clear()
            self._queue.appendleft(submission)
        return seq is not None

    def _insert_alone(self, connection: sqlite3.Connection, row: Row) -> int | None:
        cursor = patiently(lambda: connection.execute(INSERT_ALONE, alone(row)))
        if cursor.rowcount != 1:
            return None
        self._checkpointer.after_commit(connection, 1)
        return cursor.lastrowid

    def _run_members(self, connection: sqlite3.Connection, members: list[Submission]) -> None:
        """Commits what they wrote, and the instant beside it, unless that holds it. A group that wrote nothing leaves
        no trace and costs no sync."""
        before = connection.total_changes
        instant = connection.execute(_NOW, (self._wall.micros(),)).fetchone()[0]
        group = Group(connection, self._path, instant, members)
        group.run(self._queue)
        changed = connection.total_changes - before
        if not changed:
            connection.execute("ROLLBACK")
            return
        if group.must_tick:
            connection.execute(TICK, (instant,)).fetchall()
        connection.execute("COMMIT")
        self._checkpointer.after_commit(connection, changed)

    def _fail(self, members: list[Submission], error: TenureError) -> None:
        """Nothing of the group is stored. Where it never began, it is what has gathered."""
        if not members:
            while self._queue:
                members.append(self._queue.popleft())
        for submission in members:
            submission.fail(error)
        self._drop()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection, self._file = patiently(lambda: connect_again(self._path))
        elif (now := time.monotonic()) >= self._looked_at + LOOK_AGAIN:  # A look costs as much as ten other steps.
            self._looked_at = now
            if identity(self._path) != self._file:
                raise moved(self._path)
        return self._connection

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
