"""What the drivers report inside a caller's transaction, as the product's errors."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from tenure.core.errors import RetryTransaction
from tenure.stores.postgres.failures import MISSING_TABLE, lost_standing

_RETRYABLE_STATES: Final = frozenset({"40001", "40P01", "55P03"})
"""SQLSTATEs of PostgreSQL: serialization failure, deadlock, lock not available."""
_BUSY_CODES: Final = frozenset({5, 6})
"""SQLITE_BUSY and SQLITE_LOCKED, without their extensions (a busy snapshot is one)."""


@contextmanager
def typed() -> Iterator[None]:
    """Turns lost races into RetryTransaction; what else the driver raises goes through as it is."""
    try:
        yield
    except Exception as error:
        if any(_lost_race(cause) for cause in _causes(error)):
            raise RetryTransaction(f"the transaction met another one: {error}") from error
        raise


def lacks_table(error: BaseException) -> bool:
    """Whether the database has no such table; a connection that is closed, or whose transaction has failed, says
    nothing of it."""
    return any(
        _state(cause) == MISSING_TABLE
        or (isinstance(cause, sqlite3.OperationalError) and "no such table" in str(cause))
        for cause in _causes(error)
    )


def _lost_race(error: BaseException) -> bool:
    state = _state(error)
    code = getattr(error, "sqlite_errorcode", None)
    return (
        state in _RETRYABLE_STATES
        or lost_standing(error, state)
        or (isinstance(code, int) and code & 0xFF in _BUSY_CODES)
    )


def _state(error: BaseException) -> Any:
    return getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error, and those that wrappers (SQLAlchemy, Django) have wrapped."""
    while error is not None:
        yield error
        wrapped = getattr(error, "orig", None)
        if isinstance(wrapped, BaseException):
            yield wrapped
        error = error.__cause__
