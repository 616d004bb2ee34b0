"""An artifact: a file that a job makes, under a name that is settled before it is made.

It is written aside, under a name that holds the attempt's identity, and then given its own name in one step. What lies
aside is of nobody's use once its attempt has ended.
"""

import hashlib
import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from tenure.core.errors import InvalidInput

ORPHAN_AGE: Final = timedelta(days=1)
"""How old what lies aside must be before a sweep removes it, unless another age is said."""

_ASIDE: Final = re.compile(r"\.(?P<job>[0-9a-f-]{36})\.(?P<attempt>\d+)\.(?P<of>[0-9a-f]{16})\.part")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """A file that stands under its name. uri: where. sha256: hexadecimal; length: bytes. metadata: JSON of the
    maker's."""

    uri: str
    sha256: str
    length: int
    metadata: Any = None


class Sum(msgspec.Struct, frozen=True):
    """What tells one content from another. length: bytes. sha256: hexadecimal."""

    length: int
    sha256: str


class Summing:
    """Counts and hashes what passes."""

    __slots__ = ("_digest", "_length")

    def __init__(self) -> None:
        self._digest, self._length = hashlib.sha256(), 0

    def add(self, data: Any) -> None:
        """data: bytes, or what shows its bytes."""
        self._digest.update(data)
        self._length += memoryview(data).nbytes

    @property
    def sum(self) -> Sum:
        return Sum(self._length, self._digest.hexdigest())


def sum_of(chunks: Iterable[bytes]) -> Sum:
    """Of the chunks one after the other."""
    summing = Summing()
    for chunk in chunks:
        summing.add(chunk)
    return summing.sum


class Aside(msgspec.Struct, frozen=True):
    """What an attempt writes before it is promoted. of: the name that it shall have."""

    job_id: str
    attempt: int
    of: str

    @property
    def name(self) -> str:
        """In the folder of the file itself; short, however long that one's name is."""
        return f".{self.job_id}.{self.attempt}.{_short(self.of)}.part"

    def is_left_by_an_earlier_attempt(self, name: str) -> bool:
        """Whether an earlier attempt of this job wrote it, for the same file."""
        found = _ASIDE.fullmatch(name)
        return (
            found is not None
            and (found["job"], found["of"]) == (self.job_id, _short(self.of))
            and int(found["attempt"]) < self.attempt
        )


def is_orphan(name: str, changed: datetime, now: datetime, age: timedelta) -> bool:
    """Whether it was written aside and has not been touched for so long that its attempt must have ended."""
    return _ASIDE.fullmatch(name) is not None and changed + age <= now


def sha256(field: str, said: object) -> str:
    """A digest as it is kept. Raises InvalidInput."""
    if not isinstance(said, str) or not _SHA256.fullmatch(said.lower()):
        raise InvalidInput(field, "must be a SHA-256, 64 hexadecimal digits")
    return said.lower()


def _short(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:16]
