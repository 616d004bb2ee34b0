"""API keys and their rows."""

from typing import Any, Final

import msgspec

from tenure.core.principal import Role, Scope
from tenure.core.secrecy import credentials
from tenure.core.secrecy.credentials import Key
from tenure.stores.script import Row, Script
from tenure.stores.sqlite.instants import instant_or_none, micros_or_none
from tenure.stores.sqlite.verbs.base import VerbsBase

_INSTANTS: Final = ("created_at", "expires_at", "revoked_at")
_encode = msgspec.json.Encoder(order="sorted").encode
_decode_scope = msgspec.json.Decoder(Scope).decode


class KeyVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    def put_key(self, key: Key) -> Script[bool]:
        yield from self._tick()
        return bool((yield from self._ask("put_key", *_row_of(key))))

    def key_by_hash(self, hash: str) -> Script[Key | None]:  # noqa: A002 (the column's name)
        found = yield from self._ask("key_by_hash", hash)
        return key_of(found[0]) if found else None

    def key(self, key_id: str) -> Script[Key | None]:
        found = yield from self._ask("key", key_id)
        return key_of(found[0]) if found else None

    def keys(self) -> Script[list[Key]]:
        return list(map(key_of, (yield from self._ask("keys"))))

    def revoke_key(self, key_id: str) -> Script[Key | None]:
        now = yield from self._tick()
        found = yield from self._ask("revoke_key", now, key_id)
        return key_of(found[0]) if found else None


def _row_of(key: Key) -> tuple[Any, ...]:
    """A key's row, in the order of `core.secrecy.credentials.COLUMNS`."""
    values = {name: getattr(key, name) for name in credentials.COLUMNS}
    instants = {name: micros_or_none(values[name]) for name in _INSTANTS}
    return tuple((values | instants | {"role": str(key.role), "scope": _encode(key.scope).decode()}).values())


def key_of(row: Row) -> Key:
    """A key of its columns, in the order of `core.secrecy.credentials.COLUMNS`."""
    values = dict(zip(credentials.COLUMNS, row, strict=True))
    instants = {name: instant_or_none(values[name]) for name in _INSTANTS}
    return Key(**values | instants | {"role": Role(values["role"]), "scope": _decode_scope(values["scope"])})
