"""psycopg 3, sync and async. The cursors are plain ones, whatever sort the connection makes: some know no `%s`, others
no server."""

from typing import Any

from tenure.stores.connections.reach import AsyncReach, Reach, is_of
from tenure.stores.postgres.statements import for_psycopg
from tenure.stores.script import Rows, Statement


def knows(connection: Any) -> bool:
    return is_of(connection, "psycopg", "Connection")


def aknows(connection: Any) -> bool:
    return is_of(connection, "psycopg", "AsyncConnection")


def reach(connection: Any) -> Reach:
    from psycopg import Cursor
    from psycopg.rows import tuple_row

    def execute(statement: Statement) -> Rows:
        with Cursor(connection, row_factory=tuple_row) as cursor:
            cursor.execute(*for_psycopg(statement))
            return cursor.fetchall() if cursor.description else []

    return Reach("postgresql", connection, execute)


async def areach(connection: Any) -> AsyncReach:
    from psycopg import AsyncCursor
    from psycopg.rows import tuple_row

    async def execute(statement: Statement) -> Rows:
        async with AsyncCursor(connection, row_factory=tuple_row) as cursor:
            await cursor.execute(*for_psycopg(statement))
            return (await cursor.fetchall()) if cursor.description else []

    return AsyncReach("postgresql", connection, execute)
