"""A handler completes its job in its own transaction on PostgreSQL while the worker's heartbeats go on."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import psycopg
import pytest

from tenure import Context, LeaseLost, RetryTransaction
from tenure.app.handling.ledger import StoreLedger
from tenure.core.reports import Completion
from tenure.core.states import State
from tenure.engine.attempts.run import Run
from tenure.stores.postgres.store import PostgresStore
from tests.conformance.asking import Ask
from tests.conformance.postgres_server import shared

pytestmark = pytest.mark.postgres


@pytest.fixture
def ask(own_postgres: PostgresStore) -> Ask:
    return Ask(own_postgres, None)  # type: ignore[arg-type]


@pytest.fixture
def caller(own_postgres: PostgresStore) -> Iterator[psycopg.Connection]:
    with psycopg.connect(own_postgres.url) as connection:
        connection.execute("CREATE TABLE letters (text text)")
        connection.commit()
        yield connection


def attempt(ask: Ask, store: PostgresStore) -> Context:
    ask.enqueued()
    lease = ask.lease()
    return Context(Run(lease, time.monotonic()), StoreLedger(store, lease))


def test_heartbeats_before_and_after_it_change_nothing_about_the_completion(
    ask: Ask, own_postgres: PostgresStore, caller: psycopg.Connection
) -> None:
    ctx = attempt(ask, own_postgres)
    caller.execute("INSERT INTO letters VALUES ('sent')")
    assert ask.beat(ctx._run.lease).expires_at is not None
    ctx.complete(connection=caller, result="sent")
    skipped = ask.beat(ctx._run.lease)
    assert (skipped.held, skipped.expires_at) == (True, None)
    assert ask.job(ctx.job.id).state is State.RUNNING
    caller.commit()
    assert ask.job(ctx.job.id).state is State.SUCCEEDED
    assert not ask.beat(ctx._run.lease).held


def test_after_a_rollback_the_lease_stands_and_beats_on(
    ask: Ask, own_postgres: PostgresStore, caller: psycopg.Connection
) -> None:
    ctx = attempt(ask, own_postgres)
    ctx.complete(connection=caller)
    caller.rollback()
    assert ask.job(ctx.job.id).state is State.RUNNING
    assert ask.beat(ctx._run.lease).expires_at is not None


def test_in_a_snapshot_older_than_the_last_heartbeat_it_asks_for_a_new_transaction(
    ask: Ask, own_postgres: PostgresStore, caller: psycopg.Connection
) -> None:
    ctx = attempt(ask, own_postgres)
    caller.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    caller.execute("SELECT FROM letters")
    ask.beat(ctx._run.lease)
    with pytest.raises(RetryTransaction):
        ctx.complete(connection=caller)
    caller.rollback()
    ctx.complete(connection=caller)
    caller.commit()
    assert ask.job(ctx.job.id).state is State.SUCCEEDED


def test_who_completes_a_second_time_has_lost_the_lease(
    ask: Ask, own_postgres: PostgresStore, caller: psycopg.Connection
) -> None:
    ctx = attempt(ask, own_postgres)
    ctx.complete(connection=caller)
    with pytest.raises(LeaseLost):
        ctx.complete(connection=caller)


def test_what_a_heartbeat_writes_while_a_completion_waits_for_the_row_goes_into_history(
    ask: Ask, own_postgres: PostgresStore, caller: psycopg.Connection
) -> None:
    """The completion has read the row before the heartbeat's write is there to be seen."""
    ctx = attempt(ask, own_postgres)
    lease = ctx._run.lease
    at = "UPDATE tenure_jobs SET progress = '0.5', heartbeat_at = heartbeat_at + interval '1 s' WHERE id = %s"
    caller.execute(at, [lease.job_id])
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(own_postgres.run, own_postgres.verbs.complete([Completion(lease.job_id, lease.token)]))
        await_waiting_for_a_lock(own_postgres.url)
        caller.commit()
        assert done.result(10) == [lease.job_id]
    (ended,) = ask.history(lease.job_id)
    assert (ended.progress, ended.heartbeat_at) == ("0.5", lease.started_at + timedelta(seconds=1))


def await_waiting_for_a_lock(url: str) -> None:
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    until = time.monotonic() + 10
    while shared().execute(waiting, url) == [(0,)]:
        assert time.monotonic() < until
        time.sleep(0.01)
