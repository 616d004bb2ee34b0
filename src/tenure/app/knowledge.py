"""What a producer knows of its database: the digest key, and which kinds it holds."""

from collections.abc import Iterable, Mapping

import msgspec

from tenure.core.kind import Kind
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Knowledge(msgspec.Struct):
    """Read once, and added to by own commits."""

    digest_key: bytes
    kinds: dict[str, frozenset[int]]

    def misses(self, kind: str, version: int) -> bool:
        return version not in self.kinds.get(kind, ())

    def note(self, kinds: Iterable[Kind]) -> None:
        """These rows are there."""
        for kind in kinds:
            self.kinds[kind.name] = self.kinds.get(kind.name, frozenset()) | frozenset(kind.versions)


def learn(verbs: Verbs) -> Script[Knowledge]:
    """One look at the database."""
    key = yield from verbs.digest_key()
    known = Knowledge(key, {})
    rows: Mapping[str, Kind] = yield from verbs.kinds()
    known.note(rows.values())
    return known
