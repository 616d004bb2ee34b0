"""`ctx.transaction`: a write to a database happens once, beside the jobs or in a database of its own."""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
import sqlalchemy.ext.asyncio

from tenure import Context, LeaseLost, Tenure, Terminal, WrongDatabase, make_inbox
from tenure.app.handling.ledger import StoreLedger
from tenure.core.ledger.effect import Effect
from tenure.engine.attempts.run import Run
from tenure.stores.protocol import Store
from tenure.testing.draining import Hand
from tests.crash.application import connect
from tests.databases import postgres_store, sqlite_store

DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]


@pytest.fixture(params=DATABASES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    yield from (sqlite_store(tmp_path / "jobs.db") if request.param == "sqlite" else postgres_store())


@pytest.fixture
def app(store: Store) -> Iterator[Tenure]:
    app = Tenure("memory://")

    @app.task(kind="write", effects=["row"])
    def write() -> None: ...

    app.use(store)
    yield app
    app.close()


class Place:
    """A database to write to: that of the jobs, or another one of the same sort, with an inbox."""

    def __init__(self, url: str, inbox: bool) -> None:
        self.url, self.inbox = url, inbox
        with closing(self.connect()) as connection:
            connection.execute("CREATE TABLE domain (n INTEGER)")
            if inbox:
                make_inbox(connection)
                make_inbox(connection)
            connection.commit()

    def connect(self) -> Any:
        return connect(self.url)

    @contextmanager
    def opening(self) -> Iterator[Any]:
        with closing(self.connect()) as connection, connection:
            yield connection

    def rows(self) -> list[int]:
        with closing(self.connect()) as connection:
            return [n for (n,) in connection.execute("SELECT n FROM domain ORDER BY n").fetchall()]


@pytest.fixture(params=["beside the jobs", "elsewhere"])
def place(request: pytest.FixtureRequest, store: Store, tmp_path: Path) -> Place:
    if request.param == "beside the jobs":
        return Place(store.url, inbox=False)
    if store.url.startswith("sqlite"):
        return Place(f"sqlite:///{tmp_path / 'other.db'}", inbox=True)
    from tests.conformance.postgres_server import shared

    return Place(shared().fresh_database(migrated=False), inbox=True)


def attempt(app: Tenure) -> Context:
    """The next attempt of the job, which is enqueued unless it waits already."""
    lease = Hand(app, advance=False).next()
    if lease is None:
        app.enqueue("write")
        lease = Hand(app, advance=False).next()
    assert lease is not None
    return Context(Run(lease, time.monotonic()), StoreLedger(app.opened(), lease))


def inserting(connection: Any) -> dict[str, int]:
    connection.execute("INSERT INTO domain VALUES (7)")
    return {"n": 7}


def written(ctx: Context, place: Place, write: Callable[[Any], Any] = inserting, **said: Any) -> Any:
    return ctx.transaction("row", place.opening, write, inbox=place.inbox, **said)


def effects_of(app: Tenure, ctx: Context) -> list[Effect]:
    store = app.opened()
    return store.run(store.verbs.effects([ctx.job.id]))[ctx.job.id]


def test_the_write_and_its_record_commit_together_and_happen_once(app: Tenure, place: Place) -> None:
    ctx = attempt(app)
    assert written(ctx, place) == {"n": 7}
    assert written(ctx, place, write=lambda _: 1 / 0) == {"n": 7}
    assert place.rows() == [7]
    assert [(row.name, row.state, row.result) for row in effects_of(app, ctx)] == [("row", "confirmed", '{"n":7}')]


def test_an_exception_of_the_write_undoes_it_and_is_told_as_it_is(app: Tenure, place: Place) -> None:
    ctx = attempt(app)

    def fails(connection: Any) -> None:
        inserting(connection)
        raise KeyError("stock")

    with pytest.raises(KeyError, match="stock"):
        written(ctx, place, fails)
    assert place.rows() == []
    assert [row.state for row in effects_of(app, ctx)] == (["absent"] if place.inbox else [])
    assert written(ctx, place) == {"n": 7}
    assert place.rows() == [7]


@pytest.mark.parametrize("result", ["x" * 70_000, "\0", object()])
def test_a_result_that_cannot_be_kept_rolls_the_write_back_at_every_attempt(
    app: Tenure, place: Place, result: Any
) -> None:
    """Committed, it would be a write whose result no later attempt could be told."""
    ctx = attempt(app)

    def too_much(connection: Any) -> Any:
        inserting(connection)
        return result

    for _ in range(2):
        with pytest.raises(Terminal, match="cannot be kept") as told:
            written(ctx, place, too_much)
        assert told.value.code == "effect_result_refused"
        assert place.rows() == []
        assert [row.state for row in effects_of(app, ctx)] == (["absent"] if place.inbox else [])
    assert written(ctx, place) == {"n": 7}
    assert place.rows() == [7]


def test_a_commit_whose_answer_is_lost_is_found_out_by_the_next_call(app: Tenure, store: Store, tmp_path: Path) -> None:
    place = Place(f"sqlite:///{tmp_path / 'third.db'}", inbox=True)
    ctx = attempt(app)

    @contextmanager
    def losing() -> Iterator[Any]:
        with place.opening() as connection:
            yield connection
        raise ConnectionResetError("no answer to the commit")

    with pytest.raises(Exception, match="may have happened"):
        ctx.transaction("row", losing, inserting, inbox=True)
    assert effects_of(app, ctx)[0].state == "uncertain"
    assert written(ctx, place, write=lambda _: 1 / 0) == {"n": 7}
    assert (place.rows(), effects_of(app, ctx)[0].state) == ([7], "confirmed")


def test_a_business_key_writes_once_over_all_jobs(app: Tenure, place: Place) -> None:
    first = attempt(app)
    assert written(first, place, key="order-7") == {"n": 7}
    app.enqueue("write")
    second = attempt(app)
    assert second.job.id != first.job.id
    assert written(second, place, key="order-7") == {"n": 7}
    assert place.rows() == [7]


def test_another_database_needs_an_inbox_by_name(app: Tenure, store: Store, tmp_path: Path) -> None:
    ctx, other = attempt(app), Place(f"sqlite:///{tmp_path / 'third.db'}", inbox=False)
    with pytest.raises(WrongDatabase):
        ctx.transaction("row", other.opening, inserting)
    with pytest.raises(sqlite3.OperationalError, match="tenure_inbox"):
        ctx.transaction("row", other.opening, inserting, inbox=True)
    assert other.rows() == []


def test_an_attempt_that_lost_its_job_writes_nothing(app: Tenure, place: Place) -> None:
    ctx = attempt(app)
    stale = Context(Run(ctx._run.lease, time.monotonic()), StoreLedger(app.opened(), ctx._run.lease))
    app.get(ctx.job.id).cancel()  # type: ignore[union-attr]
    from tenure.core.reports import Release
    from tenure.operations.report import report

    store = app.opened()
    lease = ctx._run.lease
    store.run(report(store.verbs, [Release(job_id=lease.job_id, token=lease.token, begun=False)]))
    with pytest.raises(LeaseLost):
        written(stale, place)
    assert place.rows() == []


def test_a_session_of_sqlalchemy_commits_the_write_with_its_record(app: Tenure, store: Store) -> None:
    place, ctx = Place(store.url, inbox=False), attempt(app)
    scheme, _, rest = store.url.partition("://")
    engine = sqlalchemy.create_engine(f"{'postgresql+psycopg' if scheme == 'postgresql' else scheme}://{rest}")

    def write(connection: Any) -> None:
        connection.execute(sqlalchemy.text("INSERT INTO domain VALUES (7)"))

    ctx.transaction("row", engine.begin, write)
    ctx.transaction("row", engine.begin, write)
    engine.dispose()
    assert (place.rows(), effects_of(app, ctx)[0].state) == ([7], "confirmed")


@pytest.mark.parametrize("inbox", [False, True])
def test_the_async_twin_writes_once_too(app: Tenure, store: Store, tmp_path: Path, inbox: bool) -> None:
    place = Place(f"sqlite:///{tmp_path / 'other.db'}" if inbox else store.url, inbox)
    ctx = attempt(app)

    async def write(connection: Any) -> int:
        await connection.execute(sqlalchemy.text("INSERT INTO domain VALUES (7)"))
        return 7

    async def fails(connection: Any) -> None:
        await write(connection)
        raise KeyError("stock")

    async def returns_too_much(connection: Any) -> str:
        await write(connection)
        return "x" * 70_000

    async def twice() -> list[int]:
        scheme, _, rest = place.url.partition("://")
        driver = "sqlite+aiosqlite" if scheme == "sqlite" else "postgresql+asyncpg"
        engine = sqlalchemy.ext.asyncio.create_async_engine(f"{driver}://{rest}")
        try:
            with pytest.raises(KeyError):
                await ctx.atransaction("row", engine.begin, fails, inbox=inbox)
            with pytest.raises(Terminal, match="cannot be kept"):
                await ctx.atransaction("row", engine.begin, returns_too_much, inbox=inbox)
            return [await ctx.atransaction("row", engine.begin, write, inbox=inbox) for _ in range(2)]
        finally:
            await engine.dispose()

    assert asyncio.run(twice()) == [7, 7]
    assert (place.rows(), effects_of(app, ctx)[0].state) == ([7], "confirmed")
