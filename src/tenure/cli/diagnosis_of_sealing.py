"""What `tenure doctor` says of encryption at rest: how many documents each key seals, and which keys may go."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

import msgspec

from tenure.cli.finding import Finding, Level
from tenure.core.counting import counted
from tenure.core.secrecy.sealed import COLUMNS, Column, RowKey
from tenure.operations.reseal import tally
from tenure.stores.protocol import Store

LOOKED_AT: Final = 50_000
"""Rows of each column, the oldest first, for these are where older keys are."""
BATCH: Final = 1000
CHECK: Final = "encryption"


class Counted(msgspec.Struct, frozen=True):
    """Documents by the id of their key, None for plain text. is_whole: whether every row was looked at."""

    by_key: dict[str | None, int]
    is_whole: bool


def of_sealing(store: Store) -> Iterator[Finding]:
    found = _counted(store, LOOKED_AT if store.keyring is not None else BATCH)
    ids = () if store.keyring is None else store.keyring.ids
    missing = sorted(key_id for key_id in found.by_key if key_id is not None and key_id not in ids)
    for key_id in missing:
        words = (
            f"{_many(found, key_id, 'is', 'are')} sealed with key {key_id}, which is not among TENURE_ENCRYPTION_KEYS "
            "here: workers that lack it do not start beside jobs that wait for it; give every process the key"
        )
        yield Finding(CHECK, Level.WRONG, words)
    if store.keyring is None:
        if not missing:
            yield Finding(CHECK, Level.OK, "no encryption key is configured, and nothing is sealed")
        return
    first, *older = ids
    yield Finding(CHECK, Level.OK, f"key {first} seals, and {_many(found, first)} under it")
    if found.by_key.get(None):
        words = f"{_many(found, None)} in plain text: run `tenure reseal`"
        yield Finding(CHECK, Level.NOTE, words)
    for key_id in older:
        yield Finding(CHECK, Level.NOTE, _of_older(found, key_id))


def _of_older(found: Counted, key_id: str) -> str:
    if found.by_key.get(key_id):
        return f"{_many(found, key_id)} under the older key {key_id}: `tenure reseal` seals them anew"
    if found.is_whole:
        return (
            f"nothing rests under key {key_id}: take it out, unless a process still seals with it or a backup needs it"
        )
    return f"{_many(found, key_id)} under the older key {key_id}: `tenure reseal` looks at all of them"


def _many(found: Counted, key_id: str | None, one: str = "rests", more: str = "rest") -> str:
    """How many documents of a key there are, and the verb of the sentence: of one, or of more."""
    many = found.by_key.get(key_id, 0)
    scope = "" if found.is_whole else f" of the oldest {LOOKED_AT:,} of each sort"
    return f"{counted(many, 'document')}{scope} {one if many == 1 else more}"


def _counted(store: Store, most: int) -> Counted:
    by_key: Counter[str | None] = Counter()
    is_whole = True
    for column in COLUMNS:
        is_whole = _count_column(store, column, most, by_key) and is_whole
    return Counted(dict(by_key), is_whole)


def _count_column(store: Store, column: Column, most: int, by_key: Counter[str | None]) -> bool:
    """Whether it came to the end."""
    after: RowKey | None = None
    for _ in range(0, most, BATCH):
        batch = store.run(tally(store.verbs, column, after, BATCH))
        by_key.update(batch.by_key)
        after = batch.next
        if after is None:
            return True
    return False
