"""Turning hints on or off needs a strong lock on the jobs: whoever waits for one keeps every writer waiting behind
itself."""

import threading
from collections.abc import Callable, Iterator

import psycopg
import pytest

from tenure.operations.hint import start_hints
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.script import Script
from tests.conformance.asking import job_id, new
from tests.databases import postgres_store
from tests.engine.living import until

pytestmark = pytest.mark.postgres

_WAITS_WEAKLY = """
SELECT count(*) FROM pg_locks
WHERE relation = 'tenure_jobs'::regclass AND mode = 'ShareUpdateExclusiveLock' AND NOT granted
"""
_HAS_TRIGGERS = "SELECT count(*) FROM pg_trigger WHERE tgrelid = 'tenure_jobs'::regclass AND NOT tgisinternal"


@pytest.fixture
def store() -> Iterator[PostgresStore]:
    yield from postgres_store()


def start(store: PostgresStore) -> Script[bool]:
    return start_hints(store.verbs, who="test")


def stop(store: PostgresStore) -> Script[bool]:
    return store.verbs.stop_hints()


@pytest.mark.parametrize(("turned", "left"), [(start, 2), (stop, 0)], ids=["on", "off"])
def test_writers_do_not_wait_behind_whoever_turns_hints_on_or_off_while_the_table_is_vacuumed(
    store: PostgresStore, turned: Callable[[PostgresStore], Script[bool]], left: int
) -> None:
    if turned is stop:
        store.run(start(store))
    with psycopg.connect(store.url) as vacuum, psycopg.connect(store.url, autocommit=True) as watching:
        vacuum.execute("LOCK TABLE tenure_jobs IN SHARE UPDATE EXCLUSIVE MODE")
        turning = threading.Thread(target=store.run, args=(turned(store), "upkeep"))
        turning.start()
        until(lambda: watching.execute(_WAITS_WEAKLY).fetchone() == (1,), "hints wait for the vacuum")
        store.run(store.verbs.insert([new(id=job_id())]))
        assert turning.is_alive()
        vacuum.rollback()
        turning.join()
        assert watching.execute(_HAS_TRIGGERS).fetchone() == (left,)


def test_hints_that_were_never_on_are_turned_off_without_a_lock(store: PostgresStore) -> None:
    with psycopg.connect(store.url) as vacuum:
        vacuum.execute("LOCK TABLE tenure_jobs IN SHARE UPDATE EXCLUSIVE MODE")
        assert store.run(stop(store)) is False
