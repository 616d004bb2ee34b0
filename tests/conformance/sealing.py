"""What tests of sealed documents share: two stores on one database with different keys, and what rests there."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tenure.app.databases.addresses import store_of
from tenure.core.secrecy import sealed
from tenure.core.secrecy.sealed import COLUMNS, Column, RowKey
from tenure.operations.reseal import reseal
from tenure.stores.memory import MemoryStore
from tenure.stores.protocol import Channel, Store
from tenure.stores.resealing import Change
from tenure.stores.script import Script, T
from tenure.stores.sealing.sealing import sealing
from tests.conformance.asking import Ask
from tests.databases import fresh
from tests.sealing_keys import keyring

NOTHING = "-"
"""No document begins so."""


class Keyed:
    """One database, reached with any keys. Without any: documents are read and written as they rest."""

    def __init__(self, kind: str, folder: Path, clock: Callable[[], datetime]) -> None:
        self._kind, self._clock = kind, clock
        self._memory = MemoryStore(clock=clock)
        self.url = "memory://" if kind == "memory" else fresh(kind, folder)
        self._stores: list[Store] = []

    def store(self, *ids: str) -> Store:
        """An open store with the keys of these ids."""
        keys = keyring(*ids) if ids else None
        if self._kind == "memory":
            store = MemoryStore(clock=self._clock, keyring=keys)
            store._tables, store._lock = self._memory._tables, self._memory._lock
            store.verbs = sealing(self._memory.verbs, keys)
            return store
        opened = store_of(self.url, keys)
        opened.open()
        self._stores.append(opened)
        return opened

    def ask(self, *ids: str) -> Ask:
        store = self.store(*ids)
        return Ask(store, self._clock)  # type: ignore[arg-type]

    def close(self) -> None:
        for store in self._stores:
            store.close()


class Rotating:
    """A store on a database whose documents others seal anew, with their own first keys in turns, while it is asked."""

    def __init__(self, store: Store, others: Sequence[Store]) -> None:
        self._store, self._others, self._asked = store, itertools.cycle(others), 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def run(self, script: Script[T], channel: Channel = "producer") -> T:
        self._asked += 1
        if self._asked % 5 == 0:
            reseal_all(next(self._others))
        return self._store.run(script, channel)


def reseal_all(store: Store) -> None:
    assert store.keyring is not None
    for column in COLUMNS:
        store.run(reseal(store.verbs, store.keyring, column, None, 10_000))


def resting(store: Store, column: Column) -> dict[RowKey, str]:
    """The documents of a column as they rest."""
    found = store.run(store.verbs.documents(column, None, 100_000, NOTHING))
    return {kept.place: kept.text for kept in found if kept.text is not None}


def key_ids(store: Store) -> set[str | None]:
    """Of all documents that rest there; None for plain text."""
    return {sealed.key_id_of(text) for column in COLUMNS for text in resting(store, column).values()}


def overwrite(store: Store, column: Column, place: RowKey, text: str) -> None:
    """As somebody with access to the database might."""
    before = resting(store, column)[place]
    assert store.run(store.verbs.replace_documents(column, [Change(place, before, text)])) == 1


@pytest.fixture(params=("memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)))
def keyed(request: pytest.FixtureRequest, tmp_path: Path, clock: Callable[[], datetime]) -> Iterator[Keyed]:
    made = Keyed(request.param, tmp_path, clock)
    yield made
    made.close()
