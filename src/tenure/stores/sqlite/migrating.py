"""Bringing a database file to this release's schema."""

import sqlite3
from collections.abc import Iterator
from typing import Final

from tenure.core.errors import StoreUnavailable
from tenure.stores import migrations
from tenure.stores.migrations import Migration
from tenure.stores.sqlite.patience import patiently

_PACKAGE: Final = "tenure.stores.sqlite"
_TABLE: Final = """\
CREATE TABLE IF NOT EXISTS tenure_migrations (
    name TEXT PRIMARY KEY,
    checksum TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) WITHOUT ROWID;
"""


def known() -> list[Migration]:
    return migrations.discover(_PACKAGE)


def text() -> str:
    """All migrations as SQL, for `tenure migrate --sql`."""
    parts = [_TABLE]
    for migration in known():
        record = f"INSERT INTO tenure_migrations VALUES ('{migration.name}', '{migration.checksum}', 0);"  # noqa: S608
        parts.append(f"-- {migration.name}\nBEGIN IMMEDIATE;\n{migration.text}\n{record}\nCOMMIT;\n")
    return "\n".join(parts)


def check(connection: sqlite3.Connection) -> None:
    """Raises SchemaTooOld, SchemaTooNew, SchemaChanged."""
    migrations.check(known(), applied(connection))


def applied(connection: sqlite3.Connection) -> dict[str, str]:
    """Checksums by name of what the database has."""
    table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'tenure_migrations'"
    if not patiently(lambda: connection.execute(table).fetchall()):
        return {}
    return dict(connection.execute("SELECT name, checksum FROM tenure_migrations").fetchall())


def use_log(connection: sqlite3.Connection) -> None:
    """Puts the file into write-ahead mode, for good."""
    mode = patiently(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchone()[0])
    if mode != "wal":
        raise StoreUnavailable(
            f"SQLite cannot keep a write-ahead log here (it answers {mode!r})",
            hint="Put the database file on a local file system.",
        )


def migrate(connection: sqlite3.Connection, now: int) -> list[str]:
    """Applies what is missing, one transaction each, whoever else does the same at the same time; the names."""
    use_log(connection)
    names: list[str] = []
    while True:
        patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
        try:
            name = _apply_next(connection, now)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        if name is None:
            return names
        names.append(name)


def _apply_next(connection: sqlite3.Connection, now: int) -> str | None:
    connection.execute(_TABLE)
    missing = migrations.missing(known(), applied(connection))
    if not missing:
        return None
    for statement in _statements(missing[0].text):
        connection.execute(statement)
    row = (missing[0].name, missing[0].checksum, now)
    connection.execute("INSERT INTO tenure_migrations VALUES (?, ?, ?)", row)
    return missing[0].name


def _statements(script: str) -> Iterator[str]:
    """The statements of a file, one by one: the driver's `executescript` would commit first."""
    gathered = ""
    for line in script.splitlines(keepends=True):
        gathered += line
        if sqlite3.complete_statement(gathered):
            yield gathered
            gathered = ""
