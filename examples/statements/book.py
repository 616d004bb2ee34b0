"""The book of statements: a table of the example's own beside the jobs, one row for each statement that is made.

A row and the success of its job are committed in one transaction, so there is never one without the other.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from tenure import Artifact

if TYPE_CHECKING:
    import psycopg

    Connection = sqlite3.Connection | psycopg.Connection[Any]

_SQLITE: Final = "sqlite:///"
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS statements (
    file TEXT PRIMARY KEY,
    sha256 TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    slice_sha256 TEXT NOT NULL,
    job_id TEXT NOT NULL
)"""
_INSERT: Final = "INSERT INTO statements (file, sha256, bytes, slice_sha256, job_id) VALUES (?, ?, ?, ?, ?)"


def name_of(account: str, month: str) -> str:
    """The file name of a statement; different accounts have different names."""
    return f"{quote(account, safe=' ')}_{month}.pdf"


def open_book(url: str) -> None:
    """Makes the table, unless it is there."""
    with transaction(url) as connection:
        connection.execute(_TABLE)


@contextmanager
def transaction(url: str) -> "Iterator[Connection]":
    """A connection to the database of the jobs; what is written is committed at the end, or not at all."""
    connection = _connect(url)
    try:
        with connection:
            yield connection
    finally:
        connection.close()


def enter(connection: "Connection", name: str, made: Artifact, slice_sha256: str, job_id: str) -> None:
    """Writes the row of a statement. Raises what the driver does, also where there is one already."""
    text = _INSERT if isinstance(connection, sqlite3.Connection) else _INSERT.replace("?", "%s")
    connection.execute(text, (name, made.sha256, made.length, slice_sha256, job_id))


def entered(url: str) -> dict[str, tuple[str, int, str]]:
    """Of every statement in the book its SHA-256, length in bytes and job, by the name of its file."""
    with transaction(url) as connection:
        rows = connection.execute("SELECT file, sha256, bytes, job_id FROM statements").fetchall()
    return {name: (sha256, length, str(job_id)) for name, sha256, length, job_id in rows}


def _connect(url: str) -> "Connection":
    if url.startswith(_SQLITE):
        return sqlite3.connect(url.removeprefix(_SQLITE), timeout=10)
    import psycopg

    return psycopg.connect(url)
