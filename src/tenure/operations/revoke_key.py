"""Revoke a key: it lets nobody in from now on."""

from tenure.core.cleaning import reason
from tenure.core.credentials import Key
from tenure.stores.protocol import AuditLine, Verbs
from tenure.stores.script import Script


def revoke_key(verbs: Verbs, key_id: str, *, who: str, why: str = "") -> Script[Key | None]:
    """The key, revoked now or before; None where no key has this id. A repeat writes nothing."""
    key = yield from verbs.revoke_key(key_id)
    if key is None:
        return next((known for known in (yield from verbs.keys()) if known.id == key_id), None)
    line = AuditLine(
        who=who,
        verb="revoke_key",
        subject=f"key {key.id}",
        tenant=key.scope.only_tenant,
        why=reason(why),
        detail=f"name {key.name}",
    )
    yield from verbs.audit(line)
    return key
