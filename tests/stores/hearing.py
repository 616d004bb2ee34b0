"""What a worker elsewhere hears of a store on PostgreSQL."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg

from tenure.stores.postgres import wakeups
from tenure.stores.postgres.driver import LISTENER_NAME
from tenure.stores.postgres.store import PostgresStore

PATIENCE = 20.0
"""Seconds after which a test gives up; never a measure of speed."""


@contextmanager
def waiting_elsewhere(url: str) -> Iterator[psycopg.Connection]:
    """The connection of a worker elsewhere that waits for hints."""
    with psycopg.connect(url, autocommit=True, application_name=LISTENER_NAME) as connection:
        connection.execute(f'LISTEN "{wakeups.CHANNEL}"')
        yield connection


def heard(waiting: psycopg.Connection, count: int) -> list[str]:
    """So many hints, waited for."""
    found = list(waiting.notifies(timeout=PATIENCE, stop_after=count))
    return [_hint(notify) for notify in found]


def notified(store: PostgresStore, waiting: psycopg.Connection) -> list[psycopg.Notify]:
    """All that was sent and not heard so far, and what the store was still to send.

    The store is given a last word: notifications come in the order of their commits, so what had been carried by one
    comes before it, and what its announcer's thread was about to send as well. A hint that is kept back because its
    queue's last one was a moment ago follows after that word, so it is given another until nothing is kept back.
    """
    found: list[psycopg.Notify] = []
    while True:
        last = f"last word {uuid4()}"
        store.announce({last})
        while last not in map(_hint, found):
            came = list(waiting.notifies(timeout=PATIENCE, stop_after=1))
            assert came, "the last word was not heard"
            found += came
        if not store._announcer._pending:
            return [notify for notify in found if not _hint(notify).startswith("last word ")]


def unsaid(store: PostgresStore, waiting: psycopg.Connection) -> list[str]:
    """The hints in `notified`."""
    return [_hint(notify) for notify in notified(store, waiting)]


def _hint(notify: psycopg.Notify) -> str:
    return notify.payload.partition(" ")[2]
