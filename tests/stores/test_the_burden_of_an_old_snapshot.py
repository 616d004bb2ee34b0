"""FAULTS B78: a transaction that stays open keeps dead rows; it is told before it hurts."""

import psycopg
import pytest

from tenure.cli import diagnosis
from tenure.cli.diagnosis import Level
from tenure.core.lease import Beat
from tenure.operations.heartbeat import heartbeat
from tenure.stores.memory.store import MemoryStore
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.reading import Burden
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, new
from tests.engine.living import until


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


@pytest.mark.postgres
def test_heartbeats_leave_no_entry_in_any_index_but_where_a_page_is_full(own_postgres: PostgresStore) -> None:
    """No index holds what a heartbeat writes, and its page has room for the next version of the row: the server need
    not touch an index. (Where an old snapshot keeps all versions, pages fill up, and one beat in six moves to
    another.)"""
    url, ask, beats = own_postgres.url, Ask(own_postgres, FakeClock()), 50
    ask.enqueue(*(new() for _ in range(40)))
    leases = ask.leases(40)
    before = updates(url)
    for _ in range(beats):
        own_postgres.run(
            heartbeat(own_postgres.verbs, [Beat(one.job_id, one.token, None) for one in leases]), "heartbeat"
        )
    own_postgres.close()  # a connection that ends tells the server's statistics all that it did
    until(lambda: updates(url)[0] - before[0] >= beats * len(leases), "the statistics tell of all heartbeats")
    made, in_place = (now - then for now, then in zip(updates(url), before, strict=True))
    assert in_place > 0.9 * made


def updates(url: str) -> tuple[int, int]:
    """Updates of jobs so far, and those of them that touched no index."""
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'tenure_jobs'"
        ).fetchone()
    assert row is not None
    return row


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
