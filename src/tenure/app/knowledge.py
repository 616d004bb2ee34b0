"""What a producer knows of its database: the digest key, and the rows of kinds."""

import time
from collections.abc import Iterable
from typing import Final

import msgspec

from tenure.core.kind import Kind
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

FRESH: Final = 5.0
"""Seconds for which rows of kinds that were read are taken as they are."""


class Knowledge(msgspec.Struct):
    """Read at the first use; `kinds` grows by own commits. `looked` is on the monotonic clock."""

    digest_key: bytes
    kinds: dict[str, Kind]
    looked: float

    def misses(self, kind: str, version: int) -> bool:
        """Whether the database may lack this version of a kind."""
        row = self.kinds.get(kind)
        return row is None or version not in row.versions

    def lacks(self, kinds: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
        """Those of these versions of kinds that the database may lack."""
        return [said for said in kinds if self.misses(*said)]

    @property
    def is_fresh(self) -> bool:
        return time.monotonic() - self.looked < FRESH

    def fresh(self, kind: str) -> Kind | None:
        """The row of a kind; None when it is not known, or was read too long ago."""
        return self.kinds.get(kind) if self.is_fresh else None

    def note(self, kinds: Iterable[Kind]) -> None:
        """These rows are there now, by an own commit."""
        self.kinds.update((kind.name, kind) for kind in kinds)


def learn(verbs: Verbs) -> Script[Knowledge]:
    """One look at the database."""
    key = yield from verbs.digest_key()
    return Knowledge(key, (yield from verbs.kinds()), time.monotonic())
