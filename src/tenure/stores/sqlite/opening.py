"""Connections of the store's own, and where they lead."""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import unquote, urlsplit

from tenure.core.errors import Misconfigured, StoreUnavailable

FileIdentity: TypeAlias = tuple[int, int]

_CACHED_STATEMENTS: Final = 512
_PRAGMAS: Final = (
    "PRAGMA busy_timeout = 0",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = OFF",
    "PRAGMA wal_autocheckpoint = 0",
    "PRAGMA cache_size = -16384",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA journal_size_limit = 67108864",
)


def path_of(url_or_path: str | Path) -> Path:
    """The file that a URL (`sqlite:///relative.db`, `sqlite:////absolute.db`) or a plain path names.

    Raises Misconfigured for a memory database: its jobs would not outlive the process.
    """
    text = str(url_or_path)
    if text.startswith("sqlite:"):
        text = unquote(urlsplit(text).path).removeprefix("/")
    if text in ("", ":memory:"):
        raise Misconfigured("an SQLite store needs a file", hint="Write sqlite:///name.db; in tests, memory://.")
    return Path(text)


def connect(path: Path) -> sqlite3.Connection:
    """A connection as the store wants it: no implicit transaction, no busy handler, no checkpoint of its own. A file
    that is not there is made, for its owner alone; one that is there keeps its mode."""
    _make_private(path)
    connection = sqlite3.connect(
        path, timeout=0, isolation_level=None, check_same_thread=False, cached_statements=_CACHED_STATEMENTS
    )
    try:
        for pragma in _PRAGMAS:
            connection.execute(pragma)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def connect_again(path: Path) -> tuple[sqlite3.Connection, FileIdentity]:
    """A connection to a file that was there, and which file that is. Raises StoreUnavailable where it is gone."""
    before = identity(path)
    if before is None:
        raise StoreUnavailable(
            f"the database {path} is gone", hint="Put its file back; whoever is started anew begins with an empty one."
        )
    return connect(path), before


def identity(path: Path | str) -> FileIdentity | None:
    """Which file stands at a path. Who has opened a file goes on with it when it is moved, replaced or deleted, and
    SQLite says nothing of it: what he writes then, nobody finds."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def moved(path: Path) -> StoreUnavailable:
    """What is said where another file stands at the path than the one that is open, or none."""
    return StoreUnavailable(
        f"the database {path} was moved, replaced or deleted while it was open",
        hint="Stop whoever uses it before that. From the next try on, what stands there is used.",
    )


def _make_private(path: Path) -> None:
    """It will hold payloads, and so will the log beside it, which SQLite gives the mode of the file. What stands in the
    way of making it is left for SQLite to tell."""
    if not path.exists():
        with suppress(OSError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
