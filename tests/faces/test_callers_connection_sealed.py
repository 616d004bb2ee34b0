"""`connection=` of every driver seals like the store's own connections, and what it enqueued opens for a worker."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg
import django
import psycopg
import pytest
from django.conf import settings
from django.db.utils import ConnectionHandler
from sqlalchemy import create_engine
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session

from tenure.core.job import NewJob
from tenure.core.lease import Lease
from tenure.core.reports import Completion
from tenure.operations.complete import complete
from tenure.operations.save_checkpoint import save_checkpoint
from tenure.stores.connections import arun_in, run_in
from tenure.stores.protocol import Store
from tenure.stores.script import Script
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask
from tests.conformance.sealing import resting
from tests.databases import postgres_store, sqlite_store
from tests.faces.callers import enqueueing, is_stored, new_job
from tests.faces.test_callers_connection_django import described
from tests.sealing_keys import keyring

Work = Callable[[Store], Script[Any]]


def with_sqlite3(store: Store, *work: Work) -> None:
    with closing(sqlite3.connect(store.url.removeprefix("sqlite:///"))) as connection:
        for script in work:
            run_in(connection, script(store), store)
        connection.commit()


def with_psycopg(store: Store, *work: Work) -> None:
    with psycopg.connect(store.url) as connection:
        for script in work:
            run_in(connection, script(store), store)


def with_asyncpg(store: Store, *work: Work) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(store.url)
        async with connection.transaction():
            for script in work:
                await arun_in(connection, script(store), store)
        await connection.close()

    asyncio.run(run())


def with_session(store: Store, *work: Work) -> None:
    scheme = "sqlite" if store.url.startswith("sqlite") else "postgresql+psycopg"
    engine = create_engine(f"{scheme}{store.url[store.url.index('://') :]}")
    with Session(engine) as session, session.begin():
        for script in work:
            run_in(session, script(store), store)
    engine.dispose()


def with_async_session(store: Store, *work: Work) -> None:
    async def run() -> None:
        engine = create_async_engine(f"postgresql+asyncpg{store.url[store.url.index('://') :]}")
        async with AsyncSession(engine) as session, session.begin():
            for script in work:
                await arun_in(session, script(store), store)
        await engine.dispose()

    asyncio.run(run())


def with_django(store: Store, *work: Work) -> None:
    if not settings.configured:
        settings.configure(USE_TZ=True)
        django.setup()
    engine = "sqlite3" if store.url.startswith("sqlite") else "postgresql"
    connection = ConnectionHandler({"default": described(store, engine)})["default"]
    for script in work:
        run_in(connection, script(store), store)
    connection.close()


POSTGRES = (with_psycopg, with_asyncpg, with_session, with_async_session, with_django)
WAYS = [
    *[pytest.param("sqlite", way, id=f"sqlite {way.__name__}") for way in (with_sqlite3, with_session, with_django)],
    *[pytest.param("postgres", way, id=f"postgres {way.__name__}", marks=pytest.mark.postgres) for way in POSTGRES],
]


@pytest.fixture
def store(kind: str, tmp_path: Path) -> Iterator[Store]:
    keys = keyring("a")
    yield from (sqlite_store(tmp_path / "app.db", None, keys) if kind == "sqlite" else postgres_store(None, keys))


def completing(lease: Lease) -> Work:
    return lambda store: complete(store.verbs, Completion(lease.job_id, lease.token, '"done"'))


def saving(lease: Lease) -> Work:
    return lambda store: save_checkpoint(store.verbs, lease.job_id, lease.token, "page", '"saved"')


@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_what_goes_in_by_a_callers_connection_rests_sealed(store: Store, way: Callable[..., None]) -> None:
    jobs: list[NewJob] = [new_job(), new_job()]
    way(store, lambda made: enqueueing(made, *jobs), lambda made: enqueueing(made, new_job()))
    assert all(is_stored(store, job) for job in jobs)
    ask = Ask(store, FakeClock())
    lease = ask.leases(1, ("mail",))[0]
    assert lease.payload == jobs[0].payload
    way(store, saving(lease), completing(lease))
    assert ask.job(lease.job_id).result == '"done"'
    assert [saved.value for saved in ask.run(ask.verbs.checkpoints(lease.job_id))] == ['"saved"']
    for column, count in (("payload", 3), ("result", 1), ("checkpoint", 1)):
        found = resting(store, column)  # type: ignore[arg-type]
        assert len(found) == count
        assert all(text.startswith("sealed:a:") for text in found.values())
