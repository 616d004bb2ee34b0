"""In which order those who wait for a connection get one, and what ends their wait."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from tenure.core.errors import StoreUnavailable
from tenure.stores.postgres.connections import Connections
from tests.databases import postgres_store

pytestmark = pytest.mark.postgres

WAIT = 20.0
"""Seconds after which a test gives up."""


@pytest.fixture
def one() -> Iterator[Connections]:
    for store in postgres_store():
        made = Connections(store.url, 1)
        yield made
        made.close()


def until(reached: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_who_asks_again_goes_behind_those_who_wait(one: Connections) -> None:
    """A thread that gives a connection back and takes it again would else keep it from all others."""
    held = one.take()
    order = []

    def take() -> None:
        session = one.take()
        order.append("first")
        one.give_back(session)

    waiting = threading.Thread(target=take, daemon=True)
    waiting.start()
    until(lambda: len(one.waited_since()) == 1)
    one.give_back(held)
    again = one.take()
    order.append("second")
    one.give_back(again)
    waiting.join(WAIT)
    assert order == ["first", "second"]


def test_who_waits_when_a_store_is_closed_is_told_at_once(one: Connections) -> None:
    held = one.take()
    refused: list[StoreUnavailable] = []

    def take() -> None:
        try:
            one.take()
        except StoreUnavailable as error:
            refused.append(error)

    callers = [threading.Thread(target=take, daemon=True) for _ in range(3)]
    for caller in callers:
        caller.start()
    until(lambda: len(one.waited_since()) == 3)
    one.close()
    for caller in callers:
        caller.join(WAIT)
    assert len(refused) == 3
    one.give_back(held)
    assert held.connection.closed
