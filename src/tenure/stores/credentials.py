"""What every store can be asked about the keys that open the service. The rules are in `core.secrecy.credentials`."""

from typing import Protocol

from tenure.core.secrecy.credentials import Key
from tenure.stores.script import Script


class KeyVerbs(Protocol):
    """Part of `stores.protocol.Verbs`."""

    def put_key(self, key: Key) -> Script[bool]:
        """False, and nothing written: a key that is not revoked has the name, or one has the id or the hash."""

    def key_by_hash(self, hash: str) -> Script[Key | None]:  # noqa: A002 (the column's name)
        """The key, be it revoked or expired."""

    def key(self, key_id: str) -> Script[Key | None]:
        """The key, be it revoked or expired."""

    def keys(self) -> Script[list[Key]]:
        """Newest first, revoked and expired ones too."""

    def revoke_key(self, key_id: str) -> Script[Key | None]:
        """Revoked at the store's instant. None, and nothing written: no key has this id, or it was revoked before."""

    def key_page(self, before: str | None, limit: int) -> Script[list[Key]]:
        """As `keys`; `before` is the id of the last key of the page before."""
