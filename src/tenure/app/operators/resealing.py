"""A reseal of a whole database, batch by batch, by somebody who sees it through."""

from collections.abc import Iterator
from typing import Final

import msgspec

from tenure.core.errors import Misconfigured
from tenure.core.secrecy.sealed import COLUMNS, Column, RowKey
from tenure.operations.reseal import ResealedBatch, begin_reseal, reseal
from tenure.stores.protocol import Store
from tenure.stores.sealing.keyring import Keyring

PASSES: Final = 3
"""As often everything is gone through, at most, while rows were left since somebody held them."""


class Resealed(msgspec.Struct, frozen=True, kw_only=True):
    """What it came to so far. key: the id of the key that seals. rows: looked at. busy: left in this pass since
    somebody held them. unopened: by the id of a key that is missing, or that does not open them."""

    key: str
    rows: int = 0
    resealed: int = 0
    busy: int = 0
    unopened: dict[str, int] = {}

    def plus(self, batch: ResealedBatch) -> "Resealed":
        unopened = {
            key_id: self.unopened.get(key_id, 0) + batch.unopened.get(key_id, 0)
            for key_id in {**self.unopened, **batch.unopened}
        }
        return Resealed(
            key=self.key,
            rows=self.rows + batch.rows,
            resealed=self.resealed + batch.resealed,
            busy=self.busy + batch.busy,
            unopened=unopened,
        )


def batches(store: Store, *, who: str, why: str, size: int) -> Iterator[Resealed]:
    """What has been done in all, after each batch. Raises Misconfigured where no key is configured, StoreError."""
    if store.keyring is None:
        raise Misconfigured("no encryption key is configured", hint="Set TENURE_ENCRYPTION_KEYS, and run it again.")
    keyring = store.keyring
    store.run(begin_reseal(store.verbs, keyring, who=who, why=why), "upkeep")
    said = Resealed(key=keyring.first)
    for nth in range(PASSES):
        if nth and not said.busy:
            return
        said = msgspec.structs.replace(said, busy=0, unopened={})
        for column in COLUMNS:
            for batch in _of_column(store, keyring, column, size):
                said = said.plus(batch)
                yield said


def _of_column(store: Store, keyring: Keyring, column: Column, size: int) -> Iterator[ResealedBatch]:
    after: RowKey | None = None
    while True:
        batch = store.run(reseal(store.verbs, keyring, column, after, size), "upkeep")
        yield batch
        after = batch.next
        if after is None:
            return
