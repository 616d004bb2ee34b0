"""An enqueue that supersedes shares the fate of the caller's transaction, whichever of the six connections it is."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
import pytest
from sqlalchemy import create_engine
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session

from tenure.core.errors import RetryTransaction
from tenure.core.flow.newer_job import NewerJob
from tenure.core.flow.supersession import newer
from tenure.core.job import Job
from tenure.core.states import State
from tenure.stores.connections import arun_in, run_in
from tenure.stores.protocol import Store
from tests.databases import postgres_store, sqlite_store
from tests.faces.callers import enqueueing, new_job


class Undo(Exception):
    """Rolls a transaction back."""


def keyed() -> NewerJob:
    return newer(new_job(), "k")


def rows(store: Store, *jobs: NewerJob) -> list[Job | None]:
    found = store.run(store.verbs.read([job.id for job in jobs]))
    return [found.get(job.id) for job in jobs]


def with_psycopg(store: Store, job: NewerJob, commits: bool) -> None:
    with psycopg.connect(store.url) as connection:
        run_in(connection, enqueueing(store, job), store)
        if not commits:
            connection.rollback()


def with_async_psycopg(store: Store, job: NewerJob, commits: bool) -> None:
    async def work() -> None:
        async with await psycopg.AsyncConnection.connect(store.url) as connection:
            await arun_in(connection, enqueueing(store, job), store)
            await (connection.commit() if commits else connection.rollback())

    asyncio.run(work())


def with_asyncpg(store: Store, job: NewerJob, commits: bool) -> None:
    async def work() -> None:
        connection = await asyncpg.connect(store.url)
        with suppress(Undo):
            async with connection.transaction():
                await arun_in(connection, enqueueing(store, job), store)
                if not commits:
                    raise Undo
        await connection.close()

    asyncio.run(work())


def with_sqlalchemy(store: Store, job: NewerJob, commits: bool) -> None:
    scheme = "sqlite" if store.url.startswith("sqlite") else "postgresql+psycopg"
    engine = create_engine(f"{scheme}{store.url[store.url.index('://') :]}")
    with suppress(Undo), Session(engine) as session, session.begin():
        run_in(session, enqueueing(store, job), store)
        if not commits:
            raise Undo
    engine.dispose()


def with_async_sqlalchemy(store: Store, job: NewerJob, commits: bool) -> None:
    async def work() -> None:
        engine = create_async_engine(f"postgresql+asyncpg{store.url[store.url.index('://') :]}")
        with suppress(Undo):
            async with AsyncSession(engine) as session, session.begin():
                await arun_in(session, enqueueing(store, job), store)
                if not commits:
                    raise Undo
        await engine.dispose()

    asyncio.run(work())


def with_sqlite3(store: Store, job: NewerJob, commits: bool) -> None:
    connection = sqlite3.connect(store.url.removeprefix("sqlite:///"))
    run_in(connection, enqueueing(store, job), store)
    if commits:
        connection.commit()
    connection.close()


ON_POSTGRES = [with_psycopg, with_async_psycopg, with_asyncpg, with_sqlalchemy, with_async_sqlalchemy]
WAYS = [
    pytest.param("sqlite", with_sqlite3),
    pytest.param("sqlite", with_sqlalchemy),
    *(pytest.param("postgres", way, marks=pytest.mark.postgres) for way in ON_POSTGRES),
]


@pytest.fixture
def store(database: str, tmp_path: Path) -> Iterator[Store]:
    yield from (sqlite_store(tmp_path / "app.db") if database == "sqlite" else postgres_store())


@pytest.mark.parametrize("commits", [True, False])
@pytest.mark.parametrize(("database", "way"), WAYS)
def test_the_older_job_gives_way_if_the_transaction_commits(store: Store, way: Any, commits: bool) -> None:
    older, latest = keyed(), keyed()
    store.run(enqueueing(store, older))
    way(store, latest, commits)
    before, after = rows(store, older, latest)
    assert before is not None
    if commits:
        assert (before.state, before.superseded_by) == (State.CANCELLED, latest.id)
        assert after is not None
        assert (after.state, after.supersedes) == (State.READY, older.id)
    else:
        assert (before.state, before.superseded_by, after) == (State.READY, None, None)


@pytest.mark.postgres
@pytest.mark.parametrize("database", ["postgres"])
@pytest.mark.parametrize("stands", [True, False])
def test_a_snapshot_that_hides_the_newest_job_is_told_to_run_again(store: Store, stands: bool) -> None:
    """stands: whether one was there when the snapshot was taken."""
    if stands:
        store.run(enqueueing(store, keyed()))
    rival, late = keyed(), keyed()
    with psycopg.connect(store.url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("SELECT count(*) FROM tenure_jobs")
        store.run(enqueueing(store, rival))
        with pytest.raises(RetryTransaction):
            run_in(connection, enqueueing(store, late), store)
        connection.rollback()
        run_in(connection, enqueueing(store, late), store)
    gone, stays = rows(store, rival, late)
    assert gone is not None
    assert stays is not None
    assert (gone.superseded_by, stays.state) == (late.id, State.READY)
