"""What the database said of API keys, believed for a few seconds: most requests need not ask it who calls.

A key that this process revokes is forgotten at once. Revoked elsewhere, it opens here for up to KEPT_SECONDS more.
"""

from collections import OrderedDict
from typing import Final

import msgspec

from tenure.core.principal import Principal

KEPT_SECONDS: Final = 5.0
"""For so long an answer of the database about a key is believed."""

KEPT: Final = 10_000


class Seen(msgspec.Struct, frozen=True):
    """What the database said of a key. principal: None where it lets nobody in. until: on the monotonic clock."""

    principal: Principal | None
    until: float


class SeenKeys:
    """By hash; the one that was looked up longest ago goes when there are too many.

    forgotten: how often a key was forgotten. An answer that was asked for before the last time may be out of date.
    """

    def __init__(self) -> None:
        self.forgotten = 0
        self._by_hash: OrderedDict[str, Seen] = OrderedDict()

    def get(self, digest: str) -> Seen | None:
        return self._by_hash.get(digest)

    def keep(self, digest: str, seen: Seen, forgotten: int) -> None:
        """forgotten: as it was when the database was asked."""
        if forgotten != self.forgotten:
            return
        self._by_hash[digest] = seen
        self._by_hash.move_to_end(digest)
        if len(self._by_hash) > KEPT:
            self._by_hash.popitem(last=False)

    def forget(self, digest: str) -> None:
        self.forgotten += 1
        self._by_hash.pop(digest, None)
