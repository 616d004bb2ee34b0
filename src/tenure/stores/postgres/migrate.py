"""Applies the migrations of this folder, and writes them down for those who apply them by hand."""

import random
import time
from collections.abc import Sequence
from functools import cache
from typing import Final

from tenure.core.errors import StoreBusy
from tenure.stores import migrations
from tenure.stores.migrations import Migration
from tenure.stores.postgres import driver, failures
from tenure.stores.postgres.driver import OwnConnection

_LEDGER: Final = """CREATE TABLE IF NOT EXISTS tenure_migrations (
    name       text COLLATE "C" PRIMARY KEY,
    checksum   text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
)"""
_ONE_AT_A_TIME: Final = "SELECT pg_advisory_xact_lock(7955377262162766949)"
_LOCK_WAIT: Final = "SET LOCAL lock_timeout = '1s'"
_LOCK_TRIES: Final = 30


@cache
def known() -> tuple[Migration, ...]:
    """This release's migrations, in order."""
    return tuple(migrations.discover("tenure.stores.postgres"))


def applied(connection: OwnConnection) -> dict[str, str]:
    """Checksums of what was applied, by name; empty where there is no schema."""
    row = connection.execute("SELECT to_regclass('tenure_migrations') IS NOT NULL", prepare=False).fetchone()
    if row is None or not row[0]:
        return {}
    rows = connection.execute("SELECT name, checksum FROM tenure_migrations", prepare=False).fetchall()
    return {str(name): str(checksum) for name, checksum in rows}


def migrate(connection: OwnConnection) -> list[str]:
    """Applies what is missing, one transaction each; the names. Raises SchemaChanged, SchemaTooNew, StoreBusy.

    Several processes may do this at once. No lock is waited for longer than a second at a time, so that nobody
    queues behind a migration that waits.
    """
    done: list[str] = []
    while True:
        name = _with_patience(connection)
        if name is None:
            return done
        done.append(name)


def sql(which: Sequence[Migration] | None = None) -> str:
    """The text that does by hand what `migrate` does, of all migrations or of `which`; for psql."""
    parts = [f"{_LEDGER};"]
    for migration in known() if which is None else which:
        values = f"('{migration.name}', '{migration.checksum}')"
        record = f"INSERT INTO tenure_migrations (name, checksum) VALUES {values};"  # noqa: S608 (our own files)
        parts.append(f"-- {migration.name}\nBEGIN;\n{migration.text.strip()}\n{record}\nCOMMIT;")
    return "\n\n".join(parts) + "\n"


def _with_patience(connection: OwnConnection) -> str | None:
    for tries in range(1, _LOCK_TRIES + 1):
        try:
            return _apply_next(connection)
        except driver.psycopg().errors.LockNotAvailable as error:
            if tries == _LOCK_TRIES:
                raise failures.translated(error) or StoreBusy(str(error)) from error
            time.sleep(random.uniform(0.2, 1.0))  # noqa: S311
    return None


def _apply_next(connection: OwnConnection) -> str | None:
    with connection.transaction():
        connection.execute(_LOCK_WAIT, prepare=False)
        connection.execute(_ONE_AT_A_TIME, prepare=False)
        connection.execute(_LEDGER, prepare=False)
        missing = migrations.missing(known(), applied(connection))
        if not missing:
            return None
        first = missing[0]
        connection.execute(first.text.encode(), prepare=False)
        connection.execute(
            "INSERT INTO tenure_migrations (name, checksum) VALUES (%s, %s)",
            (first.name, first.checksum),
            prepare=False,
        )
        return first.name
