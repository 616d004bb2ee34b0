"""A store's own connections: a few for each channel, made when they are wanted, dropped when they fail."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
import time
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from tenure.core.errors import StoreUnavailable
from tenure.core.pool import PATIENCE
from tenure.stores.forking import forgets
from tenure.stores.postgres import driver, failures
from tenure.stores.postgres.session import Session
from tenure.stores.postgres.transaction import Transaction
from tenure.stores.script import Rows, Script, Statement, drive

if TYPE_CHECKING:
    from tenure.stores.postgres.wakeups import Announcer

T = TypeVar("T")
log = logging.getLogger("tenure.postgres")

_TAKE_SECONDS: Final = PATIENCE
_HAND_OVER_SECONDS: Final = 0.0001
_ASK_FOR_MORE: Final = (
    "Handlers of this process keep them, or the database is slow; `database_connections` allows more."
)


class _Turn(NamedTuple):
    """Of a caller who waits. since: an instant of the monotonic clock."""

    since: float
    comes: threading.Condition


class Connections:
    """At most `size` connections to one database. Safe from any thread; a script has one for itself.

    announcer: has the hints that commits of statements by themselves carry to those who wait for jobs.
    """

    def __init__(self, url: str, size: int, announcer: Announcer | None = None) -> None:
        self._url = url
        self._announcer = announcer
        self._size = size
        self._closed = False
        self.forget_parent()
        forgets(self)

    def forget_parent(self) -> None:
        """A forked child must not speak on its parent's sockets, nor wait for its parent's threads."""
        self._lock = threading.Lock()
        self._free = self._size
        self._idle: list[Session] = []
        self._busy: set[Session] = set()
        self._waiting: dict[int, _Turn] = {}

    def run(self, script: Script[T]) -> T:
        """Runs a script as `stores.protocol.Store.run` says. Raises StoreUnavailable, StoreBusy."""
        transaction = Transaction(self)
        try:
            result = drive(script, transaction.execute)
            transaction.commit()
        except BaseException as error:
            transaction.roll_back()
            if not isinstance(error, driver.psycopg().Error):
                raise
            failures.drop_detail(error)
            translated = failures.translated(error)
            if translated is None:
                raise
            raise translated from error
        return result

    def ask_alone(self, statement: Statement) -> Rows:
        """A statement that is its own transaction, on a connection for it alone. Raises StoreUnavailable, psycopg's
        errors."""
        session = self.take()
        try:
            rows = self._ask_with_hint(session, statement)
        finally:
            self.give_back(session)
        self._hand_over()
        return rows

    def _ask_with_hint(self, session: Session, statement: Statement) -> Rows:
        queue, announcer = statement.wakes, self._announcer
        if queue is None or announcer is None:
            return session.ask_alone(statement)
        hint = announcer.carried(queue)
        if hint is None:
            return session.ask_alone(statement)
        try:
            rows = session.ask_alone(statement, hint)
        except driver.psycopg().Error as error:
            if failures.sqlstate(error) != failures.NO_ROOM:
                raise
            return session.ask_alone(statement)  # A hint is no reason to refuse a job.
        if rows:
            announcer.has_carried(queue)
        return rows

    def take(self) -> Session:
        """A connection until it is given back. Raises StoreUnavailable."""
        with self._lock:
            if self._free <= 0 or self._waiting:
                self._wait_turn()
            self._free -= 1
            self._call_next()
            session = self._idle_one()
        return session or self._new_one()

    def give_back(self, session: Session) -> None:
        """One that is broken, in a transaction, or above the size, is dropped."""
        is_kept = session.connection.pgconn.transaction_status == 0
        with self._lock:
            self._busy.discard(session)
            is_kept = is_kept and self._free >= 0 and not self._closed
            if is_kept:
                self._idle.append(session)
            self._add_free()
        if not is_kept:
            _close(session)

    def resize(self, size: int) -> None:
        """From now on at most `size`, or fewer as soon as those above it are given back."""
        with self._lock:
            self._free += size - self._size
            self._size = size
            kept = max(0, self._free)
            above, self._idle = self._idle[kept:], self._idle[:kept]
            self._call_next()
        for session in above:
            _close(session)

    @property
    def size(self) -> int:
        return self._size

    def waited_since(self) -> list[float]:
        """The instants of the monotonic clock since when callers have been waiting for a connection, one for each."""
        with self._lock:
            return [turn.since for turn in self._waiting.values()]

    def _hand_over(self) -> None:
        """Called where a connection has come free: whoever waits for it sends first. Its thread needs the interpreter
        for that, which this one would keep for as long as it has an answer to decode."""
        if self._waiting:
            time.sleep(_HAND_OVER_SECONDS)

    def _wait_turn(self) -> None:
        """Behind all who wait already: a thread that asks again and again would else take every connection that it
        gives back, and the others wait for as long as it goes on."""
        caller, turn = threading.get_ident(), _Turn(time.monotonic(), threading.Condition(self._lock))
        self._waiting[caller] = turn
        try:
            if not turn.comes.wait_for(lambda: self._closed or self._comes(turn), _TAKE_SECONDS):
                raise StoreUnavailable(
                    f"no connection came free within {_TAKE_SECONDS:g} s: all {self._size} are in use",
                    hint=_ASK_FOR_MORE,
                )
        except BaseException:
            del self._waiting[caller]
            self._call_next()
            raise
        del self._waiting[caller]

    def _comes(self, turn: _Turn) -> bool:
        return self._free > 0 and self._first() is turn

    def _first(self) -> _Turn | None:
        return next(iter(self._waiting.values()), None)

    def _call_next(self) -> None:
        first = self._first() if self._free > 0 else None
        if first is not None:
            first.comes.notify()

    def _add_free(self) -> None:
        self._free += 1
        self._call_next()

    def close(self) -> None:
        """Ends every connection, those in use too: whoever waits on one, or for one, gets an error. Never raises."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            busy = list(self._busy)
            for turn in self._waiting.values():
                turn.comes.notify()
        for session in idle:
            _close(session)
        for session in busy:
            _interrupt(session)

    def _idle_one(self) -> Session | None:
        while self._idle:
            session = self._idle.pop()
            if not (session.connection.closed or session.has_news):
                self._busy.add(session)
                return session
            _close(session)
        return None

    def _new_one(self) -> Session:
        session: Session | None = None
        try:
            if self._closed:
                raise StoreUnavailable("the store is closed")
            session = Session(driver.connect(self._url))
        except driver.psycopg().Error as error:
            raise failures.translated(error) or error from error
        finally:
            with self._lock:
                if session is None:
                    self._add_free()
                else:
                    self._busy.add(session)
        return session


def _close(session: Session) -> None:
    with contextlib.suppress(Exception):
        session.connection.close()


def _interrupt(session: Session) -> None:
    """Cuts the socket under a connection that another thread waits on; that thread gets the error."""
    try:
        with socket.socket(fileno=os.dup(session.connection.pgconn.socket)) as cut:
            cut.shutdown(socket.SHUT_RDWR)
    except Exception as error:  # noqa: BLE001 (the connection may be gone already)
        log.debug("could not cut a connection: %s", error)
