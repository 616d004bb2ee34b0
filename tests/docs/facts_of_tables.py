"""What the page of tables repeats: every table and column of both databases, from the migrations themselves."""

import re
import sqlite3
from functools import cache, partial

from tenure.core import attempt, job
from tenure.core.ledger import checkpoint, effect
from tenure.core.redriving import redrive
from tenure.stores.postgres import migrate as postgres
from tenure.stores.sqlite import migrating as sqlite
from tests.docs.drawing import Drawing, Table

_TABLE = re.compile(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+) \((.*?)\n *\)", re.DOTALL)
_COLUMN = re.compile(r"^ *([a-z_]+) +(timestamptz|double precision|[a-z_]+)\b", re.MULTILINE)
_ORDERS = {
    "tenure_jobs": job.COLUMNS,
    "tenure_attempts": attempt.COLUMNS,
    "tenure_effects": effect.COLUMNS,
    "tenure_checkpoints": checkpoint.COLUMNS,
    "tenure_redrives": redrive.COLUMNS,
    "tenure_redrive_jobs": redrive.FROZEN_COLUMNS,
}

Columns = dict[str, dict[str, str]]


@cache
def in_postgres() -> Columns:
    """Type by column by table, read off the statements of the migrations."""
    return {
        name: {column: kind for column, kind in _COLUMN.findall(body) if column.islower()}
        for name, body in _TABLE.findall(postgres.sql())
    }


@cache
def in_sqlite() -> Columns:
    """The same, asked of a migrated database."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(sqlite.text())
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'tenure%'")
        return {
            name: {row[1]: row[2].lower() for row in connection.execute(f"PRAGMA table_info({name})")}
            for (name,) in names.fetchall()
        }
    finally:
        connection.close()


def columns(table: str) -> Table:
    there, here = in_postgres().get(table, {}), in_sqlite().get(table, {})
    names = _ORDERS.get(table, tuple(dict.fromkeys([*there, *here])))
    rows = [(f"`{name}`", there.get(name, "–"), here.get(name) or ("any" if name in here else "–")) for name in names]
    return Table(("column", "PostgreSQL", "SQLite"), rows, "holds")


TABLES = tuple(sorted(in_postgres().keys() | in_sqlite().keys()))

DRAWINGS: dict[str, Drawing] = {table.replace("_", "-"): partial(columns, table) for table in TABLES}
