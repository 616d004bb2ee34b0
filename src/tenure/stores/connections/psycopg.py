"""psycopg 3, sync and async. The cursors are plain ones, whatever sort the connection makes: some know no `%s`, others
no server."""

from contextlib import nullcontext
from typing import Any

from tenure.stores.connections.reach import AsyncReach, Reach, check_encoding, is_of
from tenure.stores.postgres.statements import for_psycopg
from tenure.stores.script import Rows, Statement


def knows(connection: Any) -> bool:
    return is_of(connection, "psycopg", "Connection")


def aknows(connection: Any) -> bool:
    return is_of(connection, "psycopg", "AsyncConnection")


def reach(connection: Any) -> Reach:
    """Raises Misconfigured for one that cannot say every text."""
    from psycopg import Cursor
    from psycopg.rows import tuple_row

    def execute(statement: Statement) -> Rows:
        with Cursor(connection, row_factory=tuple_row) as cursor:
            with _answering(connection):
                cursor.execute(*for_psycopg(statement))
            return cursor.fetchall() if cursor.description else []

    check_encoding(encoding(connection))
    return Reach("postgresql", connection, execute)


async def areach(connection: Any) -> AsyncReach:
    """Raises Misconfigured for one that cannot say every text."""
    from psycopg import AsyncCursor
    from psycopg.rows import tuple_row

    async def execute(statement: Statement) -> Rows:
        async with AsyncCursor(connection, row_factory=tuple_row) as cursor:
            async with _answering(connection):
                await cursor.execute(*for_psycopg(statement))
            return (await cursor.fetchall()) if cursor.description else []

    check_encoding(encoding(connection))
    return AsyncReach("postgresql", connection, execute)


def encoding(connection: Any) -> str | None:
    """The server's name of what texts are sent in; None where the connection does not say, as when it is closed."""
    said = connection.pgconn.parameter_status(b"client_encoding")
    return None if said is None else said.decode()


def _answering(connection: Any) -> Any:
    """In the caller's pipeline a cursor has its answer at the end of one inside it; else it waits by itself."""
    return connection.pipeline() if connection.info.pipeline_status else nullcontext()
