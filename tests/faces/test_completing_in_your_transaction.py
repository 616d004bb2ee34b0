"""`ctx.complete(connection=…)` over every library: the domain write and the success stand and fall together."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import django
import pytest
import sqlalchemy
import sqlalchemy.ext.asyncio
import sqlalchemy.orm
from django.conf import settings
from django.db.utils import ConnectionHandler
from psycopg.conninfo import conninfo_to_dict

from tenure import Context, LeaseLost, State, Tenure
from tenure.app.handling.ledger import StoreLedger
from tenure.core.reports import Completion
from tenure.engine.attempts.run import Run
from tenure.stores.protocol import Store
from tenure.testing.draining import Hand
from tests.crash.application import connect
from tests.databases import postgres_store, sqlite_store

INSERT = "INSERT INTO domain VALUES (7)"


class Undo(Exception):
    """Rolls a transaction back."""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    for store in sqlite_store(tmp_path / "jobs.db") if request.param == "sqlite" else postgres_store():
        with closing(connect(store.url)) as connection:
            connection.execute("CREATE TABLE domain (n INTEGER)")
            connection.commit()
        yield store


@pytest.fixture
def ctx(store: Store) -> Iterator[Context]:
    """What the handler of a claimed job is given."""
    app = Tenure("memory://")

    @app.task(kind="write")
    def write() -> None: ...

    app.use(store)
    write.enqueue()
    lease = Hand(app, advance=False).next()
    assert lease is not None
    yield Context(Run(lease, time.monotonic()), StoreLedger(store, lease))
    app.close()


def with_driver(store: Store, ctx: Context, commits: bool) -> None:
    """sqlite3, or psycopg."""
    with closing(connect(store.url)) as connection:
        connection.execute(INSERT)
        ctx.complete(connection=connection, result="done")
        assert state_of(store, ctx) is State.RUNNING
        connection.commit() if commits else connection.rollback()


def address(store: Store, sqlite: str, postgres: str) -> str:
    scheme, _, rest = store.url.partition("://")
    return f"{sqlite if scheme == 'sqlite' else postgres}://{rest}"


def with_session(store: Store, ctx: Context, commits: bool) -> None:
    engine = sqlalchemy.create_engine(address(store, "sqlite", "postgresql+psycopg"))
    try:
        with suppress(Undo), sqlalchemy.orm.Session(engine) as session, session.begin():
            session.execute(sqlalchemy.text(INSERT))
            ctx.complete(connection=session, result="done")
            if not commits:
                raise Undo
    finally:
        engine.dispose()


def with_async_session(store: Store, ctx: Context, commits: bool) -> None:
    async def run() -> None:
        engine = sqlalchemy.ext.asyncio.create_async_engine(address(store, "sqlite+aiosqlite", "postgresql+asyncpg"))
        try:
            async with sqlalchemy.ext.asyncio.AsyncSession(engine) as session, session.begin():
                await session.execute(sqlalchemy.text(INSERT))
                await ctx.acomplete(connection=session, result="done")
                if not commits:
                    raise Undo
        finally:
            await engine.dispose()

    with suppress(Undo):
        asyncio.run(run())


def with_django(store: Store, ctx: Context, commits: bool) -> None:
    from django.db import transaction

    if not settings.configured:
        settings.configure(USE_TZ=True)
        django.setup()
    handler = ConnectionHandler({"default": described(store)})
    before, transaction.connections = transaction.connections, handler
    try:
        with suppress(Undo), transaction.atomic():
            with handler["default"].cursor() as cursor:
                cursor.execute(INSERT)
            ctx.complete(connection=handler["default"], result="done")
            if not commits:
                raise Undo
    finally:
        transaction.connections = before
        handler["default"].close()


def described(store: Store) -> dict[str, Any]:
    if store.url.startswith("sqlite"):
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": store.url.removeprefix("sqlite:///")}
    said = conninfo_to_dict(store.url)
    names = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    known = {names[name]: value for name, value in said.items() if name in names}
    return {"ENGINE": "django.db.backends.postgresql", **known}


def state_of(store: Store, ctx: Context) -> State:
    return store.run(store.verbs.read([ctx.job.id]))[ctx.job.id].state


LIBRARIES = [with_driver, with_session, with_async_session, with_django]


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.__name__.removeprefix("with_"))
@pytest.mark.parametrize("commits", [True, False])
def test_the_domain_write_and_the_success_share_one_fate(
    store: Store, ctx: Context, library: Callable[[Store, Context, bool], None], commits: bool
) -> None:
    library(store, ctx, commits)
    job = store.run(store.verbs.read([ctx.job.id]))[ctx.job.id]
    assert (job.state, job.result) == ((State.SUCCEEDED, '"done"') if commits else (State.RUNNING, None))
    with closing(connect(store.url)) as connection:
        assert connection.execute("SELECT n FROM domain").fetchall() == ([(7,)] if commits else [])


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.__name__.removeprefix("with_"))
def test_a_lost_job_takes_the_domain_write_with_it(
    store: Store, ctx: Context, library: Callable[[Store, Context, bool], None]
) -> None:
    lease = ctx._run.lease
    store.run(store.verbs.complete([Completion(lease.job_id, lease.token)]))
    with pytest.raises(LeaseLost):
        library(store, ctx, True)
    with closing(connect(store.url)) as connection:
        assert connection.execute("SELECT n FROM domain").fetchall() == []
