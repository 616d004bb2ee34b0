"""The scripts about API keys."""

from tenure.core.secrecy.credentials import Key
from tenure.stores.postgres import wire
from tenure.stores.postgres.verbs.reading import Asking
from tenure.stores.script import Rows, Script


class KeyVerbs(Asking):
    def put_key(self, key: Key) -> Script[bool]:
        if not wire.ids([key.id]):
            return False
        rows = yield self.ask("put_key", key=key)
        return wire.COUNTED.decode(wire.answer(rows)).count > 0

    def key_by_hash(self, hash: str) -> Script[Key | None]:  # noqa: A002 (the column's name)
        rows = yield self.look("key_by_hash", hash=hash)
        return _only(rows)

    def key(self, key_id: str) -> Script[Key | None]:
        if not wire.ids([key_id]):
            return None
        rows = yield self.look("key", id=key_id)
        return _only(rows)

    def keys(self) -> Script[list[Key]]:
        rows = yield self.look("keys")
        return wire.utc_all(wire.CREDENTIALS.decode(wire.answer(rows)))

    def revoke_key(self, key_id: str) -> Script[Key | None]:
        if not wire.ids([key_id]):
            return None
        rows = yield self.ask("revoke_key", id=key_id)
        return _only(rows)


def _only(rows: Rows) -> Key | None:
    return next(iter(wire.utc_all(wire.CREDENTIALS.decode(wire.answer(rows)))), None)
