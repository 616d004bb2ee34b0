"""A connection of the store's own, and the statements that it keeps prepared."""

from __future__ import annotations

import itertools
import json
import select
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from tenure.stores.postgres import driver, statements
from tenure.stores.postgres.driver import OwnConnection
from tenure.stores.script import Rows, Statement

if TYPE_CHECKING:
    from psycopg.abc import PQGen
    from psycopg.pq.abc import PGresult

LOCK_WAIT: Final = "10s"
"""How long a statement waits for rows that others hold."""

OWN_SESSION: Final = (
    f"SET lock_timeout = '{LOCK_WAIT}';"
    " SET default_transaction_isolation = 'read committed';"
    " SET jit = off; SET enable_seqscan = off; SET enable_mergejoin = off; SET plan_cache_mode = force_generic_plan;"
    " SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
)
"""A session that nobody shares keeps its plans, one for each statement: no value of their parameters asks for
another. Compiling them would cost more than it ever saves; and a plan made while the table was small must not read it,
or an index of it, from end to end when it has grown. A statement that is its own transaction sees what others have
committed, and is refused for nobody's snapshot, whatever the role or database has been told. And what it acknowledges
survives a crash (G7), also where a role or database has been told to be careless."""


class Session:
    """Every statement has texts as its parameters and columns of text: asked below psycopg's cursors, which adapt what
    is adapted already, it costs the client half. Behind a pooler nothing is kept, and a cursor asks."""

    def __init__(self, connection: OwnConnection) -> None:
        """Raises psycopg's errors."""
        self.connection = connection
        self._names: dict[str, bytes] | None = None
        self._numbers = itertools.count()
        if driver.is_direct(connection):
            connection.execute(OWN_SESSION, prepare=False)
            self._names = {}
        self._news = select.poll() if hasattr(select, "poll") else None
        if self._news is not None:
            self._news.register(connection.pgconn.socket, select.POLLIN)

    def ask(self, statement: Statement) -> Rows:
        """Raises psycopg's errors."""
        if self._names is None:
            return self.connection.execute(*statements.for_psycopg(statement)).fetchall()
        name = self._names.get(statement.text) or self._keep(self._names, statement.text)
        parameters = [None if text is None else text.encode() for text in statement.args]
        self.connection.pgconn.send_query_prepared(name, parameters, _formats(len(parameters)))
        return _rows(self._result())

    def ask_alone(self, statement: Statement, hint: str | None = None) -> Rows:
        """A statement that is its own transaction. hint: what its commit tells those who wait. Behind a pooler it takes
        its bound for lock waits with it, as nothing that is SET lasts there; in a session of our own that would be a
        tenth of what an insert costs the server. Raises psycopg's errors."""
        if hint is not None:
            statement = _taking(statement, "hint", hint)
        if self._names is None:
            statement = _taking(statement, "wait", LOCK_WAIT)
        return self.ask(statement)

    def say(self, words: str) -> None:
        """BEGIN, COMMIT and the like. Raises psycopg's errors."""
        self.connection.execute(words, prepare=False)

    @property
    def is_direct(self) -> bool:
        """Whether no pooler stands between."""
        return self._names is not None

    @property
    def has_news(self) -> bool:
        """Whether the server has sent something to an idle connection, which it only does when it ends it."""
        if self._news is None:
            return bool(select.select([self.connection.pgconn.socket], [], [], 0)[0])
        return bool(self._news.poll(0))

    def _keep(self, names: dict[str, bytes], text: str) -> bytes:
        name = (
            f"tenure_{next(self._numbers)}".encode()
        )  # Of its own: one that was interrupted may be known to the server.
        self.connection.pgconn.send_prepare(name, text.encode())
        self._result()
        names[text] = name
        return name

    def _result(self) -> PGresult:
        """The one answer to what was sent, waited for as psycopg waits: an interrupt cancels it."""
        module = driver.psycopg()
        arriving: PQGen[list[PGresult]] = module.generators.execute(self.connection.pgconn)
        result = self.connection.wait(arriving)[-1]
        if result.status in (module.pq.ExecStatus.TUPLES_OK, module.pq.ExecStatus.COMMAND_OK):
            return result
        raise module.errors.error_from_result(result, encoding="utf-8")


@cache
def _formats(count: int) -> tuple[int, ...]:
    """JSON goes as text; any other text in the binary form, which has a length and does not end at a NUL unseen."""
    return (0, *(1 for _ in range(count - 1)))


def _taking(statement: Statement, name: str, value: str) -> Statement:
    """The statement with another member of its JSON parameter."""
    rest = statement.args[0][1:]
    text = f"{{{json.dumps(name)}:{json.dumps(value)}{'' if rest == '}' else ','}{rest}"
    return statement._replace(args=(text, *statement.args[1:]))


def _rows(result: PGresult) -> Rows:
    if result.nfields == 1:
        return [(_text(result.get_value(row, 0)),) for row in range(result.ntuples)]
    columns = range(result.nfields)
    return [tuple(_text(result.get_value(row, column)) for column in columns) for row in range(result.ntuples)]


def _text(value: Any) -> str | None:
    return None if value is None else bytes(value).decode()
