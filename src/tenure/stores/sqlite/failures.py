"""What SQLite reports, as the product's errors."""

import sqlite3
from typing import Final

from tenure.core.errors import RetryTransaction, StoreBusy, StoreError, StoreUnavailable, TenureError

_BUSY_SNAPSHOT: Final = 517
_BUSY: Final = 5
_LOCKED: Final = 6
_UNAVAILABLE: Final = {
    8: ("is read-only", "Give this process the right to write the file and its folder."),
    10: ("cannot be read or written", "Check the disk and the file system; then try again."),
    11: ("is damaged", "Restore it from a backup; `PRAGMA integrity_check` says what is wrong."),
    13: ("has no room on its disk", "Make room on the disk; then try again."),
    14: ("cannot be opened", "Check that the folder exists and may be written; then try again."),
    26: ("is not an SQLite database", "Check the path."),
}


def code_of(error: sqlite3.Error) -> int:
    """SQLite's extended result code; 0 where the driver gives none."""
    return getattr(error, "sqlite_errorcode", 0) or 0


def is_busy(error: sqlite3.Error) -> bool:
    """Whether somebody else holds a lock that this needs."""
    return code_of(error) & 0xFF in (_BUSY, _LOCKED)


def of_own(error: sqlite3.Error, path: str) -> TenureError:
    """The error of a store's own connection."""
    code = code_of(error)
    if code == _BUSY_SNAPSHOT:
        return RetryTransaction(f"{path}: {error}")
    if is_busy(error):
        return StoreBusy(f"{path}: {error}")
    known = _UNAVAILABLE.get(code & 0xFF)
    if known is not None:
        return StoreUnavailable(f"the database {path} {known[0]}: {error}", hint=known[1])
    return StoreError(f"{path}: {error}")
