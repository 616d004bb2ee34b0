"""Applies the migrations of this folder, step by step, beside whoever works on the database."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from tenure.core.errors import Misconfigured, StoreError
from tenure.stores import migrations
from tenure.stores.migration_steps import IndexChange, Rewrite, Transaction
from tenure.stores.migrations import Place
from tenure.stores.postgres import driver, failures, migration_text
from tenure.stores.postgres import migrate as ledger
from tenure.stores.postgres.driver import OwnConnection
from tenure.stores.postgres.migration_text import LEDGER, LOCK

_TRIES: Final = 30
_CANNOT_CHECK: Final = "22023"


class _HeldByAnother(Exception):
    """Another process migrates."""


class _Overtaken(Exception):
    """Another process has done this step meanwhile."""


def migrate(connection: OwnConnection, tell: Callable[[str], None]) -> list[str]:
    """As `migrate.migrate`."""
    migrations.checked(ledger.known(), migration_text.refuse)
    done: list[str] = []
    while (place := _place(connection)) is not None:
        if place.is_one_of_several:
            tell(str(place))
        if _patiently(connection, place, tell) and place.is_last:
            done.append(place.migration.name)
    return done


def _place(connection: OwnConnection) -> Place | None:
    places = migrations.missing(ledger.known(), ledger.applied(connection))
    return places[0] if places else None


def _patiently(connection: OwnConnection, place: Place, tell: Callable[[str], None]) -> bool:
    """Whether the step was done here, not by another process."""
    errors = driver.psycopg().errors
    failed, told = 0, False
    while True:
        try:
            _do(connection, place)
            return True
        except _Overtaken:
            return False
        except _HeldByAnother:
            if not told:
                tell("another process migrates this database; waiting for it")
            told = True
        except (errors.LockNotAvailable, errors.DeadlockDetected) as error:
            failed += 1
            if failed == _TRIES or isinstance(place.step, Rewrite):
                raise _stopped(place, error) from error
        except driver.psycopg().Error as error:
            raise _stopped(place, error) from error
        time.sleep(random.uniform(0.2, 1.0))  # noqa: S311


def _stopped(place: Place, error: Exception) -> StoreError:
    found = failures.translated(error)
    reason = str(error).strip().partition("\n")[0] if found is None else found.message
    kind = type(found) if isinstance(found, StoreError) else StoreError
    hint = migrations.GOES_ON if found is None or kind is StoreError else found.hint
    return kind(f"stopped at {place}: {reason}", hint=hint)


def _do(connection: OwnConnection, place: Place) -> None:
    if isinstance(place.step, Transaction):
        _in_a_transaction(connection, place, place.step)
        return
    with _one_at_a_time(connection, place):
        _ask_for_time(connection)
        if isinstance(place.step, Rewrite):
            connection.execute(migration_text.rewrite(place, place.step).encode(), prepare=False)
        else:
            _change_index(connection, place, place.step)


def _in_a_transaction(connection: OwnConnection, place: Place, step: Transaction) -> None:
    with connection.transaction():
        if not _answer(connection, f"SELECT pg_try_advisory_xact_lock({LOCK})"):
            raise _HeldByAnother
        connection.execute(migration_text.UNLIMITED_HERE, prepare=False)
        connection.execute(LEDGER, prepare=False)
        if _place(connection) != place:
            raise _Overtaken
        connection.execute(migration_text.transaction(place, step).encode(), prepare=False)


@contextmanager
def _one_at_a_time(connection: OwnConnection, place: Place) -> Iterator[None]:
    """Holds the lock of the session, asked for again and again: a transaction that waited for it would itself be waited
    for by the index that the other process builds."""
    if not driver.is_direct(connection):
        raise Misconfigured(
            f"{place}: this needs a session of its own, and a pooler stands between",
            hint="Give `tenure migrate` the address of the server itself.",
        )
    if not _answer(connection, f"SELECT pg_try_advisory_lock({LOCK})"):
        raise _HeldByAnother
    try:
        if _place(connection) != place:
            raise _Overtaken
        yield
    finally:
        if not connection.closed:
            connection.execute(f"SELECT pg_advisory_unlock({LOCK})", prepare=False)


def _change_index(connection: OwnConnection, place: Place, step: IndexChange) -> None:
    """An index that was built to its end, and not noted, is noted; one that was not is dropped and built anew."""
    if step.statement is None or not _answer(connection, f"SELECT {migration_text.valid(step.name)}"):
        drop, *build = migration_text.index(step)
        connection.execute(drop.encode(), prepare=False)
        for statement in build:
            try:
                connection.execute(statement.encode(), prepare=False)
            except driver.psycopg().Error:
                if not connection.closed:
                    connection.execute(drop.encode(), prepare=False)
                raise
    if connection.execute(migration_text.note(place).encode(), prepare=False).rowcount != 1:
        raise StoreError(f"{place}: the index is not what it should be", hint="Look at tenure_migrations and pg_index.")


def _ask_for_time(connection: OwnConnection) -> None:
    """The server takes its time, and stops when this process is gone; where its platform cannot see that, it goes on to
    the end of the statement, and the next one that migrates waits for it."""
    connection.execute(migration_text.UNLIMITED, prepare=False)
    try:
        connection.execute("SET client_connection_check_interval = '1s'", prepare=False)
    except driver.psycopg().Error as error:
        if failures.sqlstate(error) != _CANNOT_CHECK:
            raise


def _answer(connection: OwnConnection, text: str) -> bool:
    row = connection.execute(text.encode(), prepare=False).fetchone()
    return row is not None and bool(row[0])
