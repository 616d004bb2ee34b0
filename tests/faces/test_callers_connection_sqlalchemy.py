"""`connection=` with SQLAlchemy's sessions and connections, sync and async, on both databases."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.orm import Session

from tenure.core.errors import Misconfigured
from tenure.stores.connections import after_commit, arun_in, run_in
from tenure.stores.protocol import Store
from tests.databases import postgres_store, sqlite_store
from tests.faces.callers import enqueueing, is_stored, new_job

SYNC = ["sqlite", pytest.param("postgresql+psycopg", marks=pytest.mark.postgres)]
ASYNC = [
    "sqlite+aiosqlite",
    pytest.param("postgresql+psycopg", marks=pytest.mark.postgres),
    pytest.param("postgresql+asyncpg", marks=pytest.mark.postgres),
]


class Undo(Exception):
    """Rolls a transaction back."""


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    scheme: str = request.getfixturevalue("scheme")
    yield from (sqlite_store(tmp_path / "app.db") if scheme.startswith("sqlite") else postgres_store())


def address(store: Store, scheme: str) -> str:
    return f"{scheme}{store.url[store.url.index('://') :]}"


@pytest.fixture
def engine(store: Store, scheme: str) -> Iterator[Any]:
    engine = create_engine(address(store, scheme))
    yield engine
    engine.dispose()


@pytest.mark.parametrize("scheme", SYNC)
@pytest.mark.parametrize("commits", [True, False])
def test_a_job_enqueued_in_a_session_shares_its_fate(store: Store, engine: Any, commits: bool) -> None:
    job = new_job()
    with suppress(Undo), Session(engine) as session, session.begin():
        assert run_in(session, enqueueing(store, job), store)[0].created
        assert not is_stored(store, job)
        if not commits:
            raise Undo
    assert is_stored(store, job) is commits


@pytest.mark.parametrize("scheme", SYNC)
@pytest.mark.parametrize("commits", [True, False])
def test_a_job_enqueued_on_a_connection_shares_its_fate(store: Store, engine: Any, commits: bool) -> None:
    jobs = [new_job(), new_job()]
    with suppress(Undo), engine.begin() as connection:
        connection.execute(text("SELECT 1"))
        run_in(connection, enqueueing(store, *jobs), store)
        if not commits:
            raise Undo
    assert [is_stored(store, job) for job in jobs] == [commits, commits]


@pytest.mark.parametrize("scheme", SYNC)
def test_a_known_key_answers_inside_the_session_that_made_it(store: Store, engine: Any) -> None:
    first, second = (new_job(idempotency_key="k", args_digest="same") for _ in range(2))
    with Session(engine) as session, session.begin():
        run_in(session, enqueueing(store, first), store)
        answer = run_in(session, enqueueing(store, second), store)[0]
    assert (answer.id, answer.created) == (first.id, False)


@pytest.mark.parametrize("scheme", ["sqlite"])
def test_a_wake_up_waits_for_the_sessions_commit(store: Store, engine: Any) -> None:
    called: list[str] = []
    with Session(engine) as session:
        run_in(session, enqueueing(store, new_job()), store)
        assert after_commit(session, lambda: called.append("rolled back"))
        session.rollback()
        run_in(session, enqueueing(store, new_job()), store)
        assert after_commit(session, lambda: called.append("committed"))
        assert called == []
        session.commit()
        session.execute(text("SELECT 1"))
        session.commit()
    assert called == ["committed"]


@pytest.mark.parametrize("scheme", ["sqlite"])
def test_a_bare_connection_has_no_hook_after_its_commit(store: Store, engine: Any) -> None:
    with engine.begin() as connection:
        assert not after_commit(connection, lambda: None)


def on_engine(store: Store, scheme: str, work: Callable[[AsyncEngine], Awaitable[None]]) -> None:
    async def main() -> None:
        engine = create_async_engine(address(store, scheme))
        try:
            await work(engine)
        finally:
            await engine.dispose()

    asyncio.run(main())


@pytest.mark.parametrize("scheme", ASYNC)
@pytest.mark.parametrize("commits", [True, False])
def test_a_job_enqueued_in_an_async_session_shares_its_fate(store: Store, scheme: str, commits: bool) -> None:
    job = new_job()

    async def work(engine: AsyncEngine) -> None:
        with suppress(Undo):
            async with AsyncSession(engine) as session, session.begin():
                assert (await arun_in(session, enqueueing(store, job), store))[0].created
                if not commits:
                    raise Undo

    on_engine(store, scheme, work)
    assert is_stored(store, job) is commits


@pytest.mark.parametrize("scheme", ASYNC)
@pytest.mark.parametrize("commits", [True, False])
def test_a_job_enqueued_on_an_async_connection_shares_its_fate(store: Store, scheme: str, commits: bool) -> None:
    job = new_job()

    async def work(engine: AsyncEngine) -> None:
        async with engine.connect() as connection:
            await arun_in(connection, enqueueing(store, job), store)
            await (connection.commit() if commits else connection.rollback())

    on_engine(store, scheme, work)
    assert is_stored(store, job) is commits


@pytest.mark.parametrize("scheme", ["sqlite+aiosqlite"])
def test_a_sync_call_with_an_async_session_says_what_to_use(store: Store, scheme: str) -> None:
    async def work(engine: AsyncEngine) -> None:
        async with AsyncSession(engine) as session:
            with pytest.raises(Misconfigured, match=r"AsyncSession is async.*aenqueue"):
                run_in(session, enqueueing(store, new_job()), store)

    on_engine(store, scheme, work)
