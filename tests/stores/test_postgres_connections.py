"""Who has one of a store's few connections, and who waits for it."""

import os
import threading
from collections.abc import Iterator

import psycopg
import pytest

from tenure.core.errors import StoreUnavailable
from tenure.stores.postgres import connections, driver
from tenure.stores.postgres.connections import Connections
from tenure.stores.postgres.store import PostgresStore
from tests.databases import postgres_store

pytestmark = pytest.mark.postgres


@pytest.fixture
def store() -> Iterator[PostgresStore]:
    yield from postgres_store()


@pytest.fixture
def one(store: PostgresStore) -> Iterator[Connections]:
    made = Connections(store.url, 1)
    yield made
    made.close()


def test_many_threads_share_one_connection_in_turn(store: PostgresStore, one: Connections) -> None:
    backends: set[int] = set()

    def ask() -> None:
        for _ in range(20):
            one.run(store.verbs.now())
            session = one.take()
            backends.add(session.connection.info.backend_pid)
            one.give_back(session)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(backends) == 1


def test_who_gets_no_turn_in_time_is_told_so(one: Connections, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_TAKE_SECONDS", 0.01)
    held = one.take()
    with pytest.raises(StoreUnavailable, match="no connection came free"):
        one.take()
    one.give_back(held)
    again = one.take()
    assert again is held
    one.give_back(again)


def test_a_connection_that_cannot_be_made_leaves_its_turn_to_the_next(
    store: PostgresStore, one: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(url: str) -> None:
        raise psycopg.OperationalError("connection refused")

    with monkeypatch.context() as broken:
        broken.setattr(driver, "connect", refused)
        for _ in range(3):
            with pytest.raises(StoreUnavailable):
                one.run(store.verbs.now())
    one.run(store.verbs.now())


def test_one_that_is_given_back_within_a_transaction_is_dropped(one: Connections) -> None:
    session = one.take()
    session.say("BEGIN")
    one.give_back(session)
    assert session.connection.closed
    another = one.take()
    assert another is not session
    one.give_back(another)


def test_a_closed_store_makes_no_new_connection(one: Connections) -> None:
    one.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        one.take()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_child_speaks_on_a_connection_of_its_own(store: PostgresStore, one: Connections) -> None:
    session = one.take()
    child = os.fork()
    if child == 0:
        try:
            own = one.take()
            os._exit(0 if own.connection.info.backend_pid != session.connection.info.backend_pid else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    one.give_back(session)
