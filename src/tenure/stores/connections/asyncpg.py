"""asyncpg, its own connections and those that its pools lend."""

from typing import Any

from tenure.stores.connections.reach import AsyncReach, is_of
from tenure.stores.postgres.statements import for_asyncpg
from tenure.stores.script import Rows, Statement


def aknows(connection: Any) -> bool:
    return is_of(connection, "asyncpg", "Connection", "PoolConnectionProxy")


async def areach(connection: Any) -> AsyncReach:
    async def execute(statement: Statement) -> Rows:
        return [tuple(record) for record in await connection.fetch(for_asyncpg(statement.text), *statement.args)]

    return AsyncReach("postgresql", connection, execute)
