"""What one script does on a store's own connections."""

from __future__ import annotations

import contextlib
import random
import time
from typing import TYPE_CHECKING, Final

from tenure.stores.postgres import driver, failures
from tenure.stores.postgres.session import LOCK_WAIT, Session
from tenure.stores.script import Rows, Statement

if TYPE_CHECKING:
    from tenure.stores.postgres.connections import Connections

_BEGIN: Final = f"BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '{LOCK_WAIT}'"
_TRIES: Final = 5


class Transaction:
    """One connection for each statement that commits by itself, one to the end for all from the first that does not."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._session: Session | None = None

    def execute(self, statement: Statement) -> Rows:
        """A statement; the first one of a transaction is tried again after a deadlock, since nothing is lost."""
        first = self._session is None
        for tries in range(1, _TRIES + 1):
            try:
                return self._execute(statement)
            except driver.psycopg().Error as error:
                if not first or tries == _TRIES or failures.sqlstate(error) not in failures.TRY_AGAIN:
                    raise
                self.roll_back()
                time.sleep(random.uniform(0.001, 0.01) * tries)  # noqa: S311
        raise AssertionError("unreachable")

    def commit(self) -> None:
        if self._session is not None:
            self._session.say("COMMIT")
            self._let_go()

    def roll_back(self) -> None:
        """Ends an open transaction without its writes; a connection that cannot say so is dropped by its owner."""
        if self._session is not None:
            with contextlib.suppress(driver.psycopg().Error):
                self._session.say("ROLLBACK")
            self._let_go()

    def _execute(self, statement: Statement) -> Rows:
        if self._session is None and statement.commits:
            return self._connections.ask_alone(statement)
        return self._begun().ask(statement)

    def _begun(self) -> Session:
        if self._session is None:
            self._session = self._connections.take()
            self._session.say(_BEGIN)
        return self._session

    def _let_go(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            self._connections.give_back(session)
