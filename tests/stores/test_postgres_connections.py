"""Who has one of a store's few connections, and who waits for it."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator

import psycopg
import pytest
from psycopg import sql

from tenure.core.errors import StoreUnavailable
from tenure.stores.postgres import connections, driver
from tenure.stores.postgres.connections import Connections
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.protocol import PoolWait, Room
from tenure.stores.script import Script
from tests.databases import postgres_store

pytestmark = pytest.mark.postgres

WAIT = 20.0
"""Seconds after which a test gives up."""


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


def taking(pool: Connections) -> threading.Thread:
    """Somebody who takes a connection and gives it back, in a thread of its own."""
    thread = threading.Thread(target=lambda: pool.give_back(pool.take()), daemon=True)
    thread.start()
    return thread


def test_whoever_waits_is_counted_from_the_first_moment_to_the_last(one: Connections) -> None:
    held = one.take()
    assert one.waited_since() == []
    before = time.monotonic()
    callers = [taking(one) for _ in range(3)]
    until(lambda: len(one.waited_since()) == 3)
    assert before <= min(one.waited_since()) <= max(one.waited_since()) <= time.monotonic()
    one.give_back(held)
    for caller in callers:
        caller.join(WAIT)
    assert one.waited_since() == []


def test_a_caller_who_is_refused_waits_no_more(one: Connections, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_TAKE_SECONDS", 0.01)
    held = one.take()
    with pytest.raises(StoreUnavailable, match=r"all 1 are in use.*database_connections"):
        one.take()
    assert one.waited_since() == []
    one.give_back(held)


def test_a_larger_pool_lets_those_in_who_wait(one: Connections) -> None:
    held = one.take()
    callers = [taking(one) for _ in range(3)]
    until(lambda: len(one.waited_since()) == 3)
    one.resize(2)
    for caller in callers:
        caller.join(WAIT)
    assert not any(caller.is_alive() for caller in callers)
    assert (one.size, one.waited_since()) == (2, [])
    one.give_back(held)


def test_a_smaller_pool_gives_no_connection_until_those_above_it_are_back(one: Connections) -> None:
    one.resize(3)
    held = first, second, third = [one.take() for _ in range(3)]
    one.resize(1)
    caller = taking(one)
    until(lambda: len(one.waited_since()) == 1)
    one.give_back(first)
    one.give_back(second)
    assert len(one.waited_since()) == 1
    one.give_back(third)
    caller.join(WAIT)
    assert (caller.is_alive(), one.waited_since()) == (False, [])
    assert [session.connection.closed for session in held] == [True, True, False]


def test_a_smaller_pool_closes_what_lies_idle_above_it(one: Connections) -> None:
    one.resize(3)
    held = [one.take() for _ in range(3)]
    for session in held:
        one.give_back(session)
    one.resize(2)
    assert sorted(session.connection.closed for session in held) == [False, False, True]


class Gate:
    """Scripts that keep a connection of the store until they are let go."""

    def __init__(self, store: PostgresStore) -> None:
        self._verbs = store.verbs
        self._open = threading.Event()
        self._lock = threading.Lock()
        self.entered = 0

    def script(self) -> Script[None]:
        yield from self._verbs.lock([])
        with self._lock:
            self.entered += 1
        if not self._open.wait(WAIT):
            raise TimeoutError("nobody opened the gate")

    def open(self) -> None:
        self._open.set()


def test_coroutines_that_wait_are_counted_and_hold_up_no_heartbeat(store: PostgresStore) -> None:
    """More of them than there are threads and connections together; a reserved channel answers all the same."""
    size, gate = store.pool or 0, Gate(store)
    callers = size + 12

    async def crowd() -> None:
        scripts = [asyncio.create_task(store.arun(gate.script())) for _ in range(callers)]
        await asyncio.to_thread(until, lambda: (gate.entered, store.waiting().callers) == (size, callers - size))
        assert store.waiting().seconds > 0
        async with asyncio.timeout(WAIT):
            assert await store.arun(store.verbs.heartbeat([]), "heartbeat") == []
            assert await store.arun(store.verbs.expired(1), "upkeep")
        cancelled = scripts.pop()
        cancelled.cancel()
        await asyncio.wait([cancelled])
        assert store.waiting().callers == callers - size - 1
        gate.open()
        await asyncio.gather(*scripts)

    asyncio.run(crowd())
    assert store.waiting() == PoolWait()


def test_a_wider_pool_has_threads_for_its_coroutines(store: PostgresStore) -> None:
    gate = Gate(store)

    async def crowd() -> None:
        await store.arun(store.verbs.now())
        assert store.resize(24)
        scripts = [asyncio.create_task(store.arun(gate.script())) for _ in range(24)]
        await asyncio.to_thread(until, lambda: gate.entered == 24)
        gate.open()
        await asyncio.gather(*scripts)

    asyncio.run(crowd())


def test_the_room_of_a_server_is_what_it_gives_to_all_clients(own_postgres: PostgresStore) -> None:
    room = room_of(own_postgres)
    with psycopg.connect(own_postgres.url) as other:
        (most,) = other.execute("SELECT current_setting('max_connections')::int").fetchone() or (0,)
        (reserved,) = other.execute("SELECT current_setting('superuser_reserved_connections')::int").fetchone() or (0,)
    assert 0 < room.left < room.limit <= most - reserved


def test_a_bound_of_the_database_counts_where_it_is_the_lower_one(own_postgres: PostgresStore) -> None:
    with psycopg.connect(own_postgres.url, autocommit=True) as other:
        (name,) = other.execute("SELECT current_database()").fetchone() or ("",)
        other.execute(sql.SQL("ALTER DATABASE {} CONNECTION LIMIT 7").format(sql.Identifier(name)))
        held = room_of(own_postgres)
    assert (held.limit, held.left) == (7, 5)


def room_of(store: PostgresStore) -> Room:
    found = store.room()
    assert found is not None
    return found


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_the_coroutines_of_a_forked_child_have_threads_of_their_own(store: PostgresStore) -> None:
    """Those of its parent are not there, however many of them seem to be idle."""

    async def ask() -> None:
        await asyncio.wait_for(store.arun(store.verbs.now()), WAIT)
        await asyncio.wait_for(store.arun(store.verbs.now(), "heartbeat"), WAIT)

    asyncio.run(ask())
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(ask())
            os._exit(0)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
