"""SQLAlchemy 2: Session and Connection, AsyncSession and AsyncConnection, over any driver that is known here.

The statements go to the driver as they are (`exec_driver_sql`). The async forms run the sync ones over SQLAlchemy's
own bridge (`run_sync`), one statement at a time.
"""

from collections.abc import Callable
from typing import Any, Final

from tenure.core.errors import Misconfigured
from tenure.stores.connections import psycopg
from tenure.stores.connections.reach import AsyncReach, Dialect, Reach, check_encoding, is_of
from tenure.stores.connections.sqlite import wants_begin
from tenure.stores.postgres.statements import for_asyncpg, for_psycopg
from tenure.stores.script import Rows, Statement

_DRIVERS: Final[dict[str, Dialect]] = {
    "pysqlite": "sqlite",
    "aiosqlite": "sqlite",
    "psycopg": "postgresql",
    "psycopg_async": "postgresql",
    "psycopg2": "postgresql",
    "asyncpg": "postgresql",
}
_PERCENT: Final = frozenset({"psycopg", "psycopg_async", "psycopg2"})
_WAITING: Final = "tenure.after_commit"
"""Where a session keeps the calls that wait for its commit."""


def knows(connection: Any) -> bool:
    return is_of(connection, "sqlalchemy", "Session", "scoped_session", "Connection")


def aknows(connection: Any) -> bool:
    return is_of(connection, "sqlalchemy", "AsyncSession", "async_scoped_session", "AsyncConnection")


def reach(connection: Any) -> Reach:
    """Raises Misconfigured for a driver that is not known."""
    inner = connection if is_of(connection, "sqlalchemy", "Connection") else connection.connection()
    driver = inner.dialect.driver
    if driver not in _DRIVERS:
        raise Misconfigured(
            f"connection: SQLAlchemy's driver {driver!r} is not known", hint=f"Use one of {', '.join(_DRIVERS)}."
        )
    raw = inner.connection.driver_connection
    if psycopg.knows(raw) or psycopg.aknows(raw):
        check_encoding(psycopg.encoding(raw))

    def execute(statement: Statement) -> Rows:
        text, args = for_psycopg(statement) if driver in _PERCENT else (_text(statement, driver), statement.args)
        result = inner.exec_driver_sql(text, args)
        return [tuple(row) for row in result.fetchall()] if result.returns_rows else []

    def begin() -> None:
        if _DRIVERS[driver] == "sqlite" and wants_begin(raw):
            inner.exec_driver_sql("BEGIN")

    return Reach(_DRIVERS[driver], raw, execute, begin)


def _text(statement: Statement, driver: str) -> str:
    return for_asyncpg(statement.text) if driver == "asyncpg" else statement.text


async def areach(connection: Any) -> AsyncReach:
    reached: Reach = await connection.run_sync(reach)

    async def execute(statement: Statement) -> Rows:
        rows: Rows = await connection.run_sync(lambda _: reached.execute(statement))
        return rows

    async def begin() -> None:
        await connection.run_sync(lambda _: reached.begin())

    return AsyncReach(reached.dialect, reached.raw, execute, begin)


def after_commit(connection: Any, call: Callable[[], None]) -> bool:
    """Sessions have a hook that comes after the commit; bare connections have none."""
    session = _session(connection)
    if session is None:
        return False
    if _WAITING not in session.info:
        _watch(session)
    session.info.setdefault(_WAITING, {})[call] = None
    return True


def _session(connection: Any) -> Any:
    """The sync Session itself, of whatever stands for it."""
    if is_of(connection, "sqlalchemy", "scoped_session", "async_scoped_session"):
        connection = connection()
    if is_of(connection, "sqlalchemy", "AsyncSession"):
        return connection.sync_session
    return connection if is_of(connection, "sqlalchemy", "Session") else None


def _watch(session: Any) -> None:
    from sqlalchemy import event

    event.listen(session, "after_commit", _committed)
    event.listen(session, "after_rollback", _rolled_back)


def _committed(session: Any) -> None:
    if session.in_nested_transaction():
        return
    calls, session.info[_WAITING] = session.info[_WAITING], {}
    for call in calls:
        call()


def _rolled_back(session: Any) -> None:
    """What a savepoint takes back keeps its calls: those of the rest stay due, and a hint too many does no harm."""
    if session.in_nested_transaction():
        return
    session.info[_WAITING] = {}
