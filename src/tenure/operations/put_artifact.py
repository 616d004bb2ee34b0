"""Put an artifact into its place: written aside, read back, promoted in one step.

1. clear     what earlier attempts of the job have left aside for this file
2. write     aside, durably, counted and hashed on the way
3. check     what was written against what was expected, and what reads back against what was written
4. promote   unless the attempt has lost its job meanwhile; a name that is taken must hold the same bytes

Whoever looks sees the whole file under its name, or nothing. Nothing stays aside, unless the process dies in here.
"""

import io
from collections.abc import Callable
from typing import Any, BinaryIO, cast

from tenure.core.ledger.artifact import Aside, Sum, Summing, sum_of
from tenure.core.outcomes import ArtifactConflict, NotDone, Terminal
from tenure.stores.artifacts import ArtifactPlace

Write = Callable[[BinaryIO], None]
"""Writes the content to a file that takes it from front to back."""


def put_artifact(
    place: ArtifactPlace, aside: Aside, write: Write, expected: str | None, before: Callable[[], None]
) -> Sum:
    """What stands in the place then. expected: the SHA-256 that it must have, if that is known. before: is called last
    before the promotion, and raises where that must not be.

    Raises ArtifactConflict, where other bytes have the name; Terminal (`artifact_mismatch`); NotDone
    (`artifact_damaged`); OSError; what `write` raises.
    """
    _clear(place, aside)
    try:
        written = _write(place, aside.name, write)
        _check(place, aside.name, written, expected)
        before()
        if not place.promote(aside.name):
            _compare(place, written)
    finally:
        place.remove(aside.name)
    return written


def _clear(place: ArtifactPlace, aside: Aside) -> None:
    for found in list(place.beside()):
        if aside.is_left_by_an_earlier_attempt(found.name):
            place.remove(found.name)


def _write(place: ArtifactPlace, name: str, write: Write) -> Sum:
    with place.create(name) as file:
        summed = _Summed(file)
        write(cast(BinaryIO, summed))
    return summed.summing.sum


def _check(place: ArtifactPlace, name: str, written: Sum, expected: str | None) -> None:
    if expected is not None and written.sha256 != expected:
        told = f"{place.name} was made with SHA-256 {written.sha256}, and {expected} was expected"
        raise Terminal("artifact_mismatch", told)
    read = sum_of(place.read(name))
    if read != written:
        raise NotDone("artifact_damaged", f"{written.length} bytes of {place.name} read back as {read.length} others")


def _compare(place: ArtifactPlace, written: Sum) -> None:
    standing = sum_of(place.read())
    if standing != written:
        told = f"{place.name} exists with other bytes: SHA-256 {standing.sha256}, not {written.sha256}"
        raise ArtifactConflict(message=told)


class _Summed(io.RawIOBase):
    """A file that is written from front to back, and counts and hashes what it is given."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.summing = Summing()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.summing.add(data)
        self._file.write(data)
        return memoryview(data).nbytes
