"""Create a key: let somebody in, under a name, a role and a scope."""

from datetime import datetime

from tenure.core.errors import InvalidInput, KeyNameTaken
from tenure.core.principal import Role, Scope
from tenure.core.secrecy import credentials
from tenure.core.secrecy.credentials import Key
from tenure.operations.audit import of_key
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def create_key(
    verbs: Verbs,
    name: str,
    role: Role,
    scope: Scope,
    expires_at: datetime | None,
    secret: bytes,
    *,
    who: str,
    why: str = "",
) -> Script[Key]:
    """The row of the key `core.secrecy.credentials.text_of(secret)`. secret: 32 random bytes, of which nothing is
    stored.

    A repeat with the same secret answers the key that stands. Raises KeyNameTaken; InvalidInput for the name, and
    for an end that has passed.
    """
    now = yield from verbs.now()
    key = _key(name, role, scope, expires_at, secret, who, now)
    if (yield from verbs.put_key(key)):
        detail = f"name {key.name}, role {role.value}"
        yield from verbs.audit(of_key(key, who, "create_key", why, detail))
        return key
    known = yield from verbs.key_by_hash(key.hash)
    if known is None or (known.name, known.role, known.scope) != (key.name, role, scope):
        raise KeyNameTaken(key.name)
    return known


def _key(
    name: str, role: Role, scope: Scope, expires_at: datetime | None, secret: bytes, who: str, now: datetime
) -> Key:
    hashed = credentials.hash_of(credentials.text_of(secret))
    if hashed is None:
        raise InvalidInput("secret", f"must be {credentials.SECRET_BYTES} bytes")
    if expires_at is not None and expires_at <= now:
        raise InvalidInput("expires_at", "has passed", code="already_expired", hint="Give a later one, or none.")
    return Key(
        id=credentials.id_of(secret),
        name=credentials.name("name", name),
        role=role,
        scope=scope,
        hash=hashed,
        created_at=now,
        created_by=who,
        expires_at=expires_at,
    )
