"""What a producer knows of its database: the digest key, and the rows of kinds."""

import time
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from tenure.core.kind import Kind, together
from tenure.core.secrecy.secret_fields import SecretFields
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

FRESH: Final = 5.0
"""Seconds for which rows of kinds that were read are taken as they are."""


Paths = tuple[str, ...]
Declared = tuple[str, int, Paths, Paths]
"""Kind, version, secret members of payload and result, as a producer declares them. Plain: every enqueue makes one."""


class Knowledge(msgspec.Struct):
    """Read at the first use; `kinds` grows by own commits. `looked` is on the monotonic clock. hides: whether any kind
    has secret fields."""

    digest_key: bytes
    kinds: dict[str, Kind]
    looked: float
    hides: bool = False

    def __post_init__(self) -> None:
        self.hides = _hides(self.kinds)

    def misses(self, kind: str, version: int, secret: Paths = (), secret_result: Paths = ()) -> bool:
        """Whether the database may lack this version of a kind, or not know these fields of it to be secret."""
        row = self.kinds.get(kind)
        if row is None or version not in row.versions:
            return True
        return bool(secret or secret_result) and not SecretFields(secret, secret_result).lies_in(row.secret_fields)

    def lacks(self, kinds: Iterable[Declared]) -> list[Declared]:
        """Those of these kinds that the database may lack, as they are declared."""
        return [said for said in kinds if self.misses(*said)]

    @property
    def is_fresh(self) -> bool:
        return time.monotonic() - self.looked < FRESH

    def fresh(self, kind: str) -> Kind | None:
        """The row of a kind; None when it is not known, or was read too long ago."""
        return self.kinds.get(kind) if self.is_fresh else None

    def note(self, kinds: Iterable[Kind]) -> None:
        """These rows are there now, by an own commit; what was declared before them stands too."""
        for kind in kinds:
            self.kinds[kind.name] = together(self.kinds.get(kind.name, kind), kind, replace=True)
        self.hides = _hides(self.kinds)


def _hides(kinds: Mapping[str, Kind]) -> bool:
    return any(kind.secret_fields for kind in kinds.values())


def learn(verbs: Verbs) -> Script[Knowledge]:
    """One look at the database."""
    key = yield from verbs.digest_key()
    return Knowledge(key, (yield from verbs.kinds()), time.monotonic())
