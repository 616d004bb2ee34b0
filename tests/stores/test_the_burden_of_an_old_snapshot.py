"""FAULTS B78: a transaction that stays open keeps dead rows; it is told before it hurts."""

import psycopg
import pytest

from tenure.cli import diagnosis
from tenure.cli.diagnosis import Level
from tenure.stores.memory.store import MemoryStore
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.reading import Burden


@pytest.mark.postgres
def test_an_open_transaction_is_seen_with_its_age(own_postgres: PostgresStore) -> None:
    def burden() -> Burden:
        found = own_postgres.run(own_postgres.verbs.burden())
        assert found is not None
        return found

    assert burden().oldest_snapshot == 0
    with psycopg.connect(own_postgres.url) as other:
        other.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        other.execute("SELECT count(*) FROM tenure_jobs")
        first = burden().oldest_snapshot
        assert 0 < first < burden().oldest_snapshot
    assert burden().oldest_snapshot == 0
    assert burden().dead_rows >= 0


def test_a_store_whose_readers_keep_nothing_has_no_burden() -> None:
    store = MemoryStore()
    assert store.run(store.verbs.burden()) is None
    assert list(diagnosis.of_burden(None)) == []


def test_a_snapshot_of_more_than_five_minutes_is_wrong() -> None:
    def told(seconds: float) -> diagnosis.Finding:
        (finding,) = diagnosis.of_burden(Burden(dead_rows=12_345, oldest_snapshot=seconds))
        return finding

    assert told(299).level is Level.OK
    assert told(301).level is Level.WRONG
    assert "12,345 dead rows of jobs" in told(301).words
