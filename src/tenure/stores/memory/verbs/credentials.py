"""The verbs of the memory store about API keys."""

import msgspec

from tenure.core.secrecy.credentials import Key
from tenure.stores.memory.verbs.base import VerbsBase, within


class KeyVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    @within
    def put_key(self, key: Key) -> bool:
        known = self._tables.credentials.values()
        if any(_excludes(other, key) for other in known):
            return False
        self._tables.put_credential(key)
        return True

    @within
    def key_by_hash(self, hash: str) -> Key | None:  # noqa: A002 (the column's name)
        return next((key for key in self._tables.credentials.values() if key.hash == hash), None)

    @within
    def key(self, key_id: str) -> Key | None:
        return self._tables.credentials.get(key_id)

    @within
    def keys(self) -> list[Key]:
        return sorted(self._tables.credentials.values(), key=lambda key: (key.created_at, key.id), reverse=True)

    @within
    def revoke_key(self, key_id: str) -> Key | None:
        key = self._tables.credentials.get(key_id)
        if key is None or key.revoked_at is not None:
            return None
        revoked = msgspec.structs.replace(key, revoked_at=self._tables.now())
        self._tables.put_credential(revoked)
        return revoked


def _excludes(other: Key, key: Key) -> bool:
    """Whether both cannot be rows of one table."""
    live_namesakes = other.name == key.name and other.revoked_at is None and key.revoked_at is None
    return live_namesakes or other.id == key.id or other.hash == key.hash
