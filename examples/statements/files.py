"""Puts a statement into its place: written aside and synced, read back, then renamed in one step.

Whoever looks sees the whole statement under its name, or nothing. A file is named by its account and month, and is
never replaced by other bytes.
"""

import hashlib
import os
from pathlib import Path
from urllib.parse import quote


class OtherBytes(Exception):
    """A file of that name exists and holds something else."""


class WrittenWrong(OSError):
    """What was read back is not what was written."""


def name_of(account: str, month: str) -> str:
    """The file name of a statement; different accounts have different names."""
    return f"{quote(account, safe=' ')}_{month}.pdf"


def write_aside(place: Path, data: bytes, attempt: int) -> Path:
    """Writes `data` beside `place`, for one attempt, and removes what earlier attempts left there.

    Raises WrittenWrong when it reads back something else.
    """
    for earlier in range(1, attempt):
        _aside(place, earlier).unlink(missing_ok=True)
    aside = _aside(place, attempt)
    with aside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    read = aside.read_bytes()
    if len(read) != len(data) or sha256(read) != sha256(data):
        raise WrittenWrong(f"{aside.name} holds {len(read)} bytes that are not those written")
    return aside


def promote(aside: Path, place: Path) -> None:
    """Gives a file written aside its name. The same bytes there already are kept; others raise OtherBytes."""
    if place.exists():
        if sha256(place.read_bytes()) != sha256(aside.read_bytes()):
            raise OtherBytes(f"{place.name} exists with other bytes")
        aside.unlink()
        return
    aside.replace(place)
    _sync_folder(place.parent)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _aside(place: Path, attempt: int) -> Path:
    return place.with_name(f".{place.name}.{attempt}.part")


def _sync_folder(folder: Path) -> None:
    """Makes the rename itself durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
