"""Bringing a database file to this release's schema.

A file has one writer at a time: a step holds up the others for as long as its transaction lasts. So many rows are
rewritten in batches; an index is built in one go, since SQLite knows no other way.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from tenure.core.errors import StoreError, StoreUnavailable
from tenure.stores import migrations
from tenure.stores.migration_steps import IndexChange, Rewrite, Step, Transaction
from tenure.stores.migrations import Entry, Migration, Place
from tenure.stores.protocol import silent
from tenure.stores.sqlite.checkpoint import Checkpointer
from tenure.stores.sqlite.failures import code_of
from tenure.stores.sqlite.migration_batches import ROWS, Batches, in_one_go
from tenure.stores.sqlite.patience import patiently

_PACKAGE: Final = "tenure.stores.sqlite"
_TABLE: Final = """\
CREATE TABLE IF NOT EXISTS tenure_migrations (
    name TEXT PRIMARY KEY,
    checksum TEXT NOT NULL,
    applied_at INTEGER,
    steps INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
"""
_FAULTS: Final = (1, 19, 20)
"""What SQLite reports of a statement that it cannot do, not of a file that it cannot use."""
_SHORTEST_PAUSE: Final = 0.05
"""Seconds: longer than anybody who waits for the file sleeps between two looks."""


@cache
def known() -> tuple[Migration, ...]:
    """This release's migrations, in order."""
    return tuple(migrations.discover(_PACKAGE))


def refuse(steps: tuple[Step, ...]) -> None:
    """Raises ValueError for a step that SQLite does not know."""
    for step in steps:
        if isinstance(step, IndexChange):
            raise ValueError(f"SQLite builds {step.name} in one go: write it into a step `-- tenure: transaction`")


def text() -> str:
    """All migrations as SQL, for `tenure migrate --sql`. What is rewritten is rewritten in one go: plain SQL knows no
    loop."""
    parts = [_TABLE]
    for migration in migrations.checked(known(), refuse):
        row = f"('{migration.name}', '{migration.checksum}', 0, {len(migration.steps)})"
        record = f"INSERT INTO tenure_migrations VALUES {row};"  # noqa: S608 (our own files)
        body = "\n".join(_in_one_go(step) for step in migration.steps)
        parts.append(f"-- {migration.name}\nBEGIN IMMEDIATE;\n{body}\n{record}\nCOMMIT;\n")
    return "\n".join(parts)


def check(connection: sqlite3.Connection) -> None:
    """Raises SchemaTooOld, SchemaTooNew, SchemaChanged."""
    migrations.check(known(), applied(connection))


def applied(connection: sqlite3.Connection) -> dict[str, Entry]:
    """The ledger, by name; empty where there is no schema."""
    table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'tenure_migrations'"
    if not patiently(lambda: connection.execute(table).fetchall()):
        return {}
    rows = connection.execute("SELECT name, checksum, applied_at IS NOT NULL, steps FROM tenure_migrations").fetchall()
    return {name: Entry(checksum, bool(is_whole), steps) for name, checksum, is_whole, steps in rows}


def use_log(connection: sqlite3.Connection) -> None:
    """Puts the file into write-ahead mode, for good."""
    mode = patiently(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchone()[0])
    if mode != "wal":
        raise StoreUnavailable(
            f"SQLite cannot keep a write-ahead log here (it answers {mode!r})",
            hint="Put the database file on a local file system.",
        )


def migrate(connection: sqlite3.Connection, now: int, tell: Callable[[str], None] = silent) -> list[str]:
    """Applies what is missing, whoever else does the same at the same time; the names of what became whole here.
    Raises StoreError at a step that cannot be done."""
    migrations.checked(known(), refuse)
    use_log(connection)
    names: list[str] = []
    while (place := _place(connection)) is not None:
        if place.is_one_of_several:
            tell(str(place))
        try:
            was_done = _was_done(connection, place, now)
        except sqlite3.Error as error:
            if code_of(error) & 0xFF not in _FAULTS:
                raise
            raise StoreError(f"stopped at {place}: {error}", hint=migrations.GOES_ON) from error
        if was_done and place.is_last:
            names.append(place.migration.name)
    return names


def _place(connection: sqlite3.Connection) -> Place | None:
    places = migrations.missing(known(), applied(connection))
    return places[0] if places else None


def _was_done(connection: sqlite3.Connection, place: Place, now: int) -> bool:
    """Whether this step was done here: not where another process has done it meanwhile."""
    batches = Batches(place.step) if isinstance(place.step, Rewrite) else None
    checkpointer = Checkpointer(_path(connection))
    while True:
        began = time.monotonic()
        with _writing(connection):
            connection.execute(_TABLE)
            if _place(connection) != place:
                return False
            if isinstance(place.step, Transaction):
                _apply(connection, place.step)
            if batches is None or not batches.next(connection):
                _note(connection, place, now)
                return True
        checkpointer.after_commit(connection, ROWS)
        time.sleep(max(_SHORTEST_PAUSE, time.monotonic() - began))


def _path(connection: sqlite3.Connection) -> Path:
    return Path(connection.execute("PRAGMA database_list").fetchone()[2])


@contextmanager
def _writing(connection: sqlite3.Connection) -> Iterator[None]:
    patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _apply(connection: sqlite3.Connection, step: Transaction) -> None:
    for statement in _statements(step.text):
        connection.execute(statement)


def _note(connection: sqlite3.Connection, place: Place, now: int) -> None:
    row = (place.migration.name, place.migration.checksum, now if place.is_last else None, place.done + 1)
    connection.execute("INSERT OR REPLACE INTO tenure_migrations VALUES (?, ?, ?, ?)", row)


def _in_one_go(step: Step) -> str:
    return in_one_go(step) if isinstance(step, Rewrite) else step.text if isinstance(step, Transaction) else ""


def _statements(script: str) -> Iterator[str]:
    """The statements of a file, one by one: the driver's `executescript` would commit first."""
    gathered = ""
    for line in script.splitlines(keepends=True):
        gathered += line
        if sqlite3.complete_statement(gathered):
            yield gathered
            gathered = ""
