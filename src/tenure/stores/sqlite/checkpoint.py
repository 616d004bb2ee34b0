"""Moving the write-ahead log into the database, from one place, between the commits of this process.

Automatic checkpoints are off on the store's connections. RESTART takes the write lock first, so that no commit of
another process races it; where a reader holds a snapshot it does what it can and comes again later.
"""

import sqlite3
from pathlib import Path
from typing import Final

from tenure.stores.sqlite.failures import is_busy

_PAGES_OF_A_COMMIT: Final = 4
_ROWS_OF_A_PAGE: Final = 2
_EVERY_PAGES: Final = 1000
_LARGE_BYTES: Final = 64 << 20


class Checkpointer:
    """Counts what is written, roughly, and checkpoints when it has come to some thousand pages."""

    def __init__(self, path: Path) -> None:
        self._log = Path(f"{path}-wal")
        self._pages = 0

    def after_commit(self, connection: sqlite3.Connection, rows: int) -> None:
        """rows: how many the commit has changed."""
        self._pages += _PAGES_OF_A_COMMIT + rows // _ROWS_OF_A_PAGE
        if self._pages >= _EVERY_PAGES:
            self._pages = 0
            self._checkpoint(connection)

    def _checkpoint(self, connection: sqlite3.Connection) -> None:
        mode = "TRUNCATE" if self._log.exists() and self._log.stat().st_size > _LARGE_BYTES else "RESTART"
        try:
            connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise
