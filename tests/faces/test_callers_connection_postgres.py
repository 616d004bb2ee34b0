"""`connection=` with psycopg, sync and async, and asyncpg."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import asyncpg
import psycopg
import pytest
from psycopg.rows import dict_row

from tenure.core.errors import Misconfigured, RetryTransaction, WrongDatabase
from tenure.stores.connections import arun_in, run_in
from tenure.stores.protocol import Store
from tests.conformance.postgres_server import shared
from tests.databases import postgres_store
from tests.faces.callers import enqueueing, is_stored, new_job

pytestmark = pytest.mark.postgres


class Undo(Exception):
    """Rolls a transaction back."""


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    yield from postgres_store()


@pytest.mark.parametrize("commits", [True, False])
def test_a_job_enqueued_with_psycopg_shares_the_transactions_fate(store: Store, commits: bool) -> None:
    job = new_job()
    with psycopg.connect(store.url, row_factory=dict_row) as connection:
        assert run_in(connection, enqueueing(store, job), store)[0].created
        assert not is_stored(store, job)
        if commits:
            connection.commit()
        else:
            connection.rollback()
    assert is_stored(store, job) is commits


def test_psycopg_in_autocommit_mode_commits_at_once(store: Store) -> None:
    job = new_job()
    with psycopg.connect(store.url, autocommit=True) as connection:
        run_in(connection, enqueueing(store, job), store)
        assert is_stored(store, job)


@pytest.mark.parametrize("commits", [True, False])
def test_a_job_enqueued_with_async_psycopg_shares_the_transactions_fate(store: Store, commits: bool) -> None:
    job = new_job()

    async def work() -> None:
        async with await psycopg.AsyncConnection.connect(store.url) as connection:
            await arun_in(connection, enqueueing(store, job), store)
            await (connection.commit() if commits else connection.rollback())

    asyncio.run(work())
    assert is_stored(store, job) is commits


@pytest.mark.parametrize("commits", [True, False])
def test_a_job_enqueued_with_asyncpg_shares_the_transactions_fate(store: Store, commits: bool) -> None:
    job = new_job()

    async def work() -> None:
        connection = await asyncpg.connect(store.url)
        with suppress(Undo):
            async with connection.transaction():
                await arun_in(connection, enqueueing(store, job), store)
                if not commits:
                    raise Undo
        await connection.close()

    asyncio.run(work())
    assert is_stored(store, job) is commits


def test_a_connection_that_an_asyncpg_pool_lends_is_taken_too(store: Store) -> None:
    job = new_job()

    async def work() -> None:
        async with asyncpg.create_pool(store.url, min_size=1, max_size=1) as pool, pool.acquire() as connection:
            await arun_in(connection, enqueueing(store, job), store)

    asyncio.run(work())
    assert is_stored(store, job)


@pytest.mark.parametrize("level", ["REPEATABLE READ", "SERIALIZABLE"])
def test_a_key_that_the_snapshot_hides_asks_for_a_new_transaction(store: Store, level: str) -> None:
    first, second = (new_job(idempotency_key=level, args_digest="same") for _ in range(2))
    with psycopg.connect(store.url) as connection:
        connection.execute(f"SET TRANSACTION ISOLATION LEVEL {level}")
        connection.execute("SELECT count(*) FROM tenure_jobs").fetchone()
        store.run(enqueueing(store, first))
        with pytest.raises(RetryTransaction):
            run_in(connection, enqueueing(store, second), store)
        connection.rollback()
        assert run_in(connection, enqueueing(store, second), store)[0].id == first.id


def test_a_connection_to_another_database_is_refused_by_name(store: Store) -> None:
    for other in postgres_store():
        with psycopg.connect(other.url) as connection, pytest.raises(WrongDatabase, match="leads to database"):
            run_in(connection, enqueueing(store, new_job()), store)


def test_a_connection_to_a_database_without_tables_is_refused_by_name(store: Store) -> None:
    bare = shared().fresh_database(migrated=False)
    with psycopg.connect(bare) as connection, pytest.raises(WrongDatabase, match="tables"):
        run_in(connection, enqueueing(store, new_job()), store)


def test_a_connection_that_cannot_be_asked_is_not_called_a_wrong_one(store: Store) -> None:
    with psycopg.connect(store.url) as connection:
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.execute("SELECT 1 / 0")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            run_in(connection, enqueueing(store, new_job()), store)
    with pytest.raises(psycopg.OperationalError, match="closed"):
        run_in(connection, enqueueing(store, new_job()), store)


def test_an_async_connection_that_cannot_be_asked_is_not_called_a_wrong_one(store: Store) -> None:
    async def work() -> None:
        connection = await asyncpg.connect(store.url)
        await connection.close()
        with pytest.raises(asyncpg.InterfaceError, match="closed"):
            await arun_in(connection, enqueueing(store, new_job()), store)

    asyncio.run(work())


def test_an_async_connection_in_a_sync_call_says_what_to_use(store: Store) -> None:
    async def work() -> None:
        connection = await asyncpg.connect(store.url)
        with pytest.raises(Misconfigured, match="is async"):
            run_in(connection, enqueueing(store, new_job()), store)
        await connection.close()

    asyncio.run(work())


def test_a_caller_who_tells_asyncpg_how_to_encode_json_enqueues_as_others_do(store: Store) -> None:
    """Many do, for columns of their own; a document that is text already would be encoded twice."""
    by_itself, by_key = new_job(), new_job(idempotency_key="codec")
    several = [new_job(), new_job()]

    async def work() -> None:
        connection = await asyncpg.connect(store.url)
        for kind in ("json", "jsonb"):
            await connection.set_type_codec(kind, encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
        async with connection.transaction():
            await arun_in(connection, enqueueing(store, by_itself), store)
            await arun_in(connection, enqueueing(store, *several), store)
            for created in (True, False):
                (answer,) = await arun_in(connection, enqueueing(store, by_key), store)
                assert answer.created is created
        await connection.close()

    asyncio.run(work())
    assert all(is_stored(store, job) for job in (by_itself, by_key, *several))


@pytest.mark.parametrize("cursor", [psycopg.ClientCursor, psycopg.RawCursor])
@pytest.mark.parametrize("strings", ["on", "off"])
def test_a_connection_may_make_any_sort_of_cursor_and_read_strings_in_either_way(
    store: Store, cursor: type[psycopg.Cursor[Any]], strings: str
) -> None:
    job = new_job(idempotency_key=f"\\' %s $1 {{}} {strings} {cursor.__name__}", tags=("\\", "'; --", "{%}"))
    told = f"-c standard_conforming_strings={strings} -c DateStyle=SQL,DMY -c IntervalStyle=sql_standard"
    with psycopg.connect(store.url, cursor_factory=cursor, options=told) as connection:
        for created in (True, False):
            (answer,) = run_in(connection, enqueueing(store, job), store)
            assert answer.created is created
    assert is_stored(store, job)


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_connection_that_cannot_say_every_text_is_refused_before_it_fails_for_one(
    store: Store, encoding: str
) -> None:
    with psycopg.connect(store.url, client_encoding=encoding) as connection:
        with pytest.raises(Misconfigured, match=f"connection: its client_encoding is {encoding}"):
            run_in(connection, enqueueing(store, new_job()), store)
        connection.execute("SET client_encoding TO 'UTF8'")
        assert run_in(connection, enqueueing(store, new_job()), store)[0].created


def test_an_async_connection_that_cannot_say_every_text_is_refused_too(store: Store) -> None:
    async def work() -> None:
        async with await psycopg.AsyncConnection.connect(store.url, client_encoding="LATIN1") as connection:
            with pytest.raises(Misconfigured, match="client_encoding"):
                await arun_in(connection, enqueueing(store, new_job()), store)

    asyncio.run(work())


@pytest.mark.parametrize("commits", [True, False])
def test_a_job_is_enqueued_in_the_midst_of_a_callers_pipeline(store: Store, commits: bool) -> None:
    job = new_job()
    with psycopg.connect(store.url) as connection:
        with connection.pipeline():
            before = connection.execute("SELECT 1")
            assert run_in(connection, enqueueing(store, job), store)[0].created
            after = connection.execute("SELECT 2")
            assert (before.fetchone(), after.fetchone()) == ((1,), (2,))
        assert not is_stored(store, job)
        connection.commit() if commits else connection.rollback()
    assert is_stored(store, job) is commits


def test_a_job_is_enqueued_in_the_midst_of_an_async_callers_pipeline(store: Store) -> None:
    job = new_job()

    async def work() -> None:
        async with await psycopg.AsyncConnection.connect(store.url) as connection, connection.pipeline():
            assert (await arun_in(connection, enqueueing(store, job), store))[0].created

    asyncio.run(work())
    assert is_stored(store, job)
