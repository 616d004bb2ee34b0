"""Whoever waits for a verb may be cancelled while its commit is on its way: then the job is there, and told of."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import psycopg
import pytest

from tenure import Tenure, Terminal
from tenure.core.states import State
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.protocol import Store
from tenure.stores.sqlite.store import SqliteStore
from tenure.testing import drain
from tests.databases import postgres_store, sqlite_store

PATIENCE = 20.0
QUEUE = "post"
OnItsWay = Callable[[], bool]


@contextmanager
def held_up_on_sqlite(store: SqliteStore) -> Iterator[OnItsWay]:
    """The writer stands still after a commit, and tells nobody of it until the block is over."""
    checkpointer = store._opened()[0]._checkpointer
    committed, go = threading.Event(), threading.Event()

    def after_commit(*said: Any) -> None:
        committed.set()
        assert go.wait(PATIENCE)
        type(checkpointer).after_commit(checkpointer, *said)

    checkpointer.after_commit = after_commit  # type: ignore[method-assign]
    try:
        yield committed.is_set
    finally:
        go.set()


@contextmanager
def held_up_on_postgres(store: PostgresStore) -> Iterator[OnItsWay]:
    """Somebody else has the table: an insert waits, and is stored when the block is over."""
    waiting = "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'tenure_jobs'::regclass)"
    with psycopg.connect(store.url) as other:
        other.execute("LOCK TABLE tenure_jobs IN SHARE MODE")
        yield lambda: other.execute(waiting).fetchone() == (True,)


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[SqliteStore]:
    yield from sqlite_store(tmp_path / "tenure.db")


@pytest.fixture
def postgres() -> Iterator[PostgresStore]:
    yield from postgres_store()


def application(store: Store) -> Tenure:
    app = Tenure()

    @app.task(kind="letter", queue=QUEUE)
    def letter(number: int) -> None: ...

    app.use(store)
    app.declare_kinds()
    return app


async def cancelled(asked: Coroutine[Any, Any, Any], is_on_its_way: OnItsWay) -> None:
    task = asyncio.ensure_future(asked)
    async with asyncio.timeout(PATIENCE):
        while not is_on_its_way():  # noqa: ASYNC110 (what is looked at is elsewhere)
            await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def ways(app: Tenure) -> list[Callable[[], Coroutine[Any, Any, Any]]]:
    task: Any = app.tasks["letter"]
    return [
        lambda: task.aenqueue(number=1),
        lambda: app.aenqueue_many([task.item(number=2), task.item(number=3)]),
    ]


def hinted(
    store: Store, call: Callable[[], Coroutine[Any, Any, Any]], held_up: AbstractContextManager[OnItsWay],
    monkeypatch: pytest.MonkeyPatch,
) -> set[str]:  # fmt: skip
    """Cancels who waits for `call` while it is held up; the queues that are announced once it is not any more."""
    said: SimpleQueue[set[str]] = SimpleQueue()
    monkeypatch.setattr(store, "announce", said.put)
    with asyncio.Runner() as runner, held_up as is_on_its_way:
        runner.run(cancelled(call(), is_on_its_way))
        assert said.empty()
    return said.get(timeout=PATIENCE)


def test_a_job_is_told_of_whose_caller_was_cancelled_on_sqlite(
    sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, many = ways(application(sqlite))
    assert hinted(sqlite, one, held_up_on_sqlite(sqlite), monkeypatch) == {QUEUE}
    assert jobs(sqlite) == 1
    assert hinted(sqlite, many, held_up_on_sqlite(sqlite), monkeypatch) == {QUEUE}
    assert jobs(sqlite) == 3


@pytest.mark.postgres
def test_a_job_is_told_of_whose_caller_was_cancelled_on_postgresql(
    postgres: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, many = ways(application(postgres))
    assert hinted(postgres, one, held_up_on_postgres(postgres), monkeypatch) == {QUEUE}
    assert jobs(postgres) == 1
    assert hinted(postgres, many, held_up_on_postgres(postgres), monkeypatch) == {QUEUE}
    assert jobs(postgres) == 3


def jobs(store: Store) -> int:
    return sum(count.jobs for count in store.run(store.verbs.counts()))


def behind_a_failed_one(store: Store) -> tuple[Tenure, Any]:
    """The head of an order key, which has failed and stops it; another job waits behind it."""
    app = Tenure()

    @app.task(kind="letter", queue=QUEUE, on_failure="stop")
    def letter(number: int) -> None:
        raise Terminal("no")

    app.use(store)
    app.declare_kinds()
    ordered = letter.using(order_key="to-ada", max_attempts=1)
    head = ordered.enqueue(number=1)
    drain(app)
    ordered.enqueue(number=2)
    assert head.refresh().state is State.FAILED
    return app, head


def test_workers_are_told_of_what_a_cancelled_operator_has_freed_on_sqlite(
    sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, head = behind_a_failed_one(sqlite)
    assert hinted(sqlite, head.acancel, held_up_on_sqlite(sqlite), monkeypatch) == {QUEUE}
    app.pause(queue=QUEUE)
    resumed = lambda: app.aresume(queue=QUEUE)  # noqa: E731
    assert hinted(sqlite, resumed, held_up_on_sqlite(sqlite), monkeypatch) == {QUEUE}
    assert app.pauses() == []


@pytest.mark.postgres
def test_workers_are_told_of_what_a_cancelled_operator_has_freed_on_postgresql(
    postgres: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    _app, head = behind_a_failed_one(postgres)
    assert hinted(postgres, head.acancel, held_up_on_postgres(postgres), monkeypatch) == {QUEUE}
