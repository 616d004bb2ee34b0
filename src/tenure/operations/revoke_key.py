"""Revoke a key: it lets nobody in from now on."""

from tenure.core.secrecy.credentials import Key
from tenure.operations.audit import of_key
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def revoke_key(verbs: Verbs, key_id: str, *, who: str, why: str = "") -> Script[Key | None]:
    """The key, revoked now or before; None where no key has this id. A repeat writes nothing."""
    key = yield from verbs.revoke_key(key_id)
    if key is None:
        return (yield from verbs.key(key_id))
    yield from verbs.audit(of_key(key, who, "revoke_key", why, f"name {key.name}"))
    return key
