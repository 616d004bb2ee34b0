"""What a store tells of the connections that its callers share; stores whose callers share none tell so."""

import pytest

from tenure.stores.protocol import PoolWait, Store


def test_nobody_waits_while_nobody_asks(store: Store) -> None:
    store.run(store.verbs.now())
    assert store.waiting() == PoolWait(0, 0.0)


def test_a_store_with_a_pool_tells_what_its_server_gives_and_one_without_does_not(store: Store) -> None:
    room = store.room()
    assert (store.pool is None) == (room is None)
    assert room is None or 0 <= room.left < room.limit


@pytest.mark.parametrize("size", [1, 30])
def test_a_pool_takes_another_size_and_works_on(store: Store, size: int) -> None:
    store.run(store.verbs.now())
    has_pool = store.pool is not None
    assert store.resize(size)
    assert store.pool == (size if has_pool else None)
    store.run(store.verbs.now())
