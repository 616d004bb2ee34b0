"""A checkpoint and a success that share the fate of the handler's own transaction."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy
import sqlalchemy.orm

from tenure import Context, LeaseLost, Retry, State, Tenure
from tenure.app.handling.ledger import StoreLedger
from tenure.core.reports import Completion
from tenure.engine.attempts.run import Run
from tenure.stores.protocol import Store
from tenure.testing.draining import Hand
from tests.crash.application import connect
from tests.databases import EITHER, postgres_store, sqlite_store


@pytest.fixture(params=EITHER)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    yield from (sqlite_store(tmp_path / "jobs.db") if request.param == "sqlite" else postgres_store())


@pytest.fixture
def app(store: Store) -> Iterator[Tenure]:
    app = Tenure("memory://")

    @app.task(kind="parts")
    def parts() -> None: ...

    @app.task(kind="pays", effects=["charge"])
    def pays() -> None: ...

    app.use(store)
    yield app
    app.close()


def running(app: Tenure, kind: str = "parts") -> Context:
    """What the handler of one claimed job is given."""
    app.enqueue(kind)
    lease = Hand(app, advance=False).next()
    assert lease is not None
    return Context(Run(lease, time.monotonic()), StoreLedger(app.opened(), lease))


def saved(app: Tenure, ctx: Context) -> dict[str, str]:
    store = app.opened()
    return {row.name: row.value for row in store.run(store.verbs.checkpoints(ctx.job.id))}


@pytest.mark.parametrize("commits", [True, False])
def test_a_checkpoint_shares_the_transactions_fate(app: Tenure, store: Store, commits: bool) -> None:
    ctx = running(app)
    assert ctx.checkpoints() == {}
    with closing(connect(store.url)) as connection:
        ctx.checkpoint("next", 47, connection=connection)
        assert saved(app, ctx) == {}
        if commits:
            connection.commit()
        else:
            connection.rollback()
    assert ctx.checkpoints() == ({"next": 47} if commits else {})


def test_a_checkpoint_of_a_lost_attempt_breaks_the_transaction(app: Tenure, store: Store) -> None:
    ctx = running(app)
    store.run(store.verbs.complete([completion(ctx)]))
    with closing(connect(store.url)) as connection, pytest.raises(LeaseLost):
        ctx.checkpoint("next", 47, connection=connection)
    assert saved(app, ctx) == {}


def test_a_checkpoint_is_saved_in_a_session_of_sqlalchemy(app: Tenure, store: Store) -> None:
    ctx = running(app)
    engine = sqlalchemy.create_engine(store.url.replace("postgresql://", "postgresql+psycopg://"))
    with sqlalchemy.orm.Session(engine) as session, session.begin():
        ctx.checkpoint("next", {"ü": 1}, connection=session)
    engine.dispose()
    assert saved(app, ctx) == {"next": '{"ü":1}'}


@pytest.mark.postgres
def test_a_checkpoint_is_saved_through_asyncpg(app: Tenure, store: Store) -> None:
    if not store.url.startswith("postgresql"):
        pytest.skip("asyncpg speaks to PostgreSQL only")
    ctx = running(app)

    async def save() -> None:
        import asyncpg

        connection = await asyncpg.connect(store.url)
        async with connection.transaction():
            await ctx.acheckpoint("next", 47, connection=connection)
        await connection.close()

    asyncio.run(save())
    assert saved(app, ctx) == {"next": "47"}


def test_a_success_without_its_required_effect_breaks_the_transaction(app: Tenure, store: Store) -> None:
    ctx = running(app, "pays")
    with closing(connect(store.url)) as connection, pytest.raises(Retry, match="charge is missing"):
        ctx.complete(connection=connection)
    ctx.effect("charge", lambda call: "ch_1")
    with closing(connect(store.url)) as connection:
        ctx.complete(connection=connection, result=1)
        connection.commit()
    row = app.read(ctx.job.id)
    assert row is not None
    assert (row.state, row.result) == (State.SUCCEEDED, "1")


def completion(ctx: Context) -> Completion:
    return Completion(ctx.job.id, ctx._run.lease.token)
