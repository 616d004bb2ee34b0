"""Revoke a key: it lets nobody in from now on."""

from tenure.core.cleaning import cut
from tenure.core.credentials import Key
from tenure.core.defaults import MESSAGE_BYTES
from tenure.stores.protocol import AuditLine, Verbs
from tenure.stores.script import Script


def revoke_key(verbs: Verbs, key_id: str, *, who: str, why: str = "") -> Script[Key | None]:
    """The key, revoked now or before; None where no key has this id. A repeat leaves another audit line."""
    key = yield from verbs.revoke_key(key_id)
    if key is not None:
        subject, words = f"key {key.id}", cut(why, MESSAGE_BYTES)
        yield from verbs.audit(
            AuditLine(who=who, verb="revoke_key", subject=subject, why=words, detail=f"name {key.name}")
        )
    return key
