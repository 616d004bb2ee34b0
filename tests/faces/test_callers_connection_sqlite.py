"""`connection=` with the standard library's sqlite3."""

import asyncio
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tenure.core.errors import Misconfigured, RetryTransaction, WrongDatabase
from tenure.stores.connections import arun_in, run_in
from tenure.stores.memory import MemoryStore
from tenure.stores.sqlite import SqliteStore
from tests.databases import sqlite_store
from tests.faces.callers import enqueueing, is_stored, new_job

ISOLATIONS = ["", "DEFERRED", "IMMEDIATE", "EXCLUSIVE"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    yield from sqlite_store(tmp_path / "app.db")


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_a_job_is_there_once_the_callers_transaction_has_committed(store: SqliteStore, isolation: str) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=isolation)) as connection:
        job = new_job()
        answers = run_in(connection, enqueueing(store, job), store)
        assert answers[0].created
        assert not is_stored(store, job)
        connection.commit()
    assert is_stored(store, job)


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_a_job_is_gone_when_the_callers_transaction_rolls_back(store: SqliteStore, isolation: str) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=isolation)) as connection:
        job = new_job()
        run_in(connection, enqueueing(store, job, new_job()), store)
        connection.rollback()
    assert not is_stored(store, job)


def test_a_connection_in_autocommit_mode_commits_at_once(store: SqliteStore) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        job = new_job()
        run_in(connection, enqueueing(store, job), store)
        assert not connection.in_transaction
        assert is_stored(store, job)


def test_a_transaction_that_the_caller_began_by_hand_is_the_one_that_decides(store: SqliteStore) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        kept, dropped = new_job(), new_job()
        connection.execute("BEGIN")
        run_in(connection, enqueueing(store, kept), store)
        connection.execute("SAVEPOINT half")
        run_in(connection, enqueueing(store, dropped), store)
        connection.execute("ROLLBACK TO half")
        connection.execute("COMMIT")
    assert is_stored(store, kept)
    assert not is_stored(store, dropped)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the attribute autocommit came with Python 3.12")
@pytest.mark.parametrize("autocommit", [True, False])
def test_the_newer_autocommit_attribute_is_obeyed(store: SqliteStore, autocommit: bool) -> None:
    with closing(sqlite3.connect(store.path, autocommit=autocommit)) as connection:
        job = new_job()
        run_in(connection, enqueueing(store, job), store)
        assert is_stored(store, job) is autocommit


def test_the_callers_row_and_text_factories_do_not_matter_and_stay(store: SqliteStore) -> None:
    with closing(sqlite3.connect(store.path)) as connection:
        connection.row_factory, connection.text_factory = sqlite3.Row, bytes
        job = new_job()
        run_in(connection, enqueueing(store, job), store)
        assert not run_in(connection, enqueueing(store, job), store)[0].created
        connection.commit()
        assert connection.text_factory is bytes
        assert connection.execute("SELECT 'x'").fetchone()[0] == b"x"
    assert is_stored(store, job)


def test_a_snapshot_that_is_older_than_anothers_commit_asks_for_a_new_transaction(store: SqliteStore) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM tenure_jobs").fetchone()
        store.run(enqueueing(store, new_job()))
        with pytest.raises(RetryTransaction):
            run_in(connection, enqueueing(store, new_job()), store)


def test_a_lock_that_another_transaction_holds_asks_for_a_new_transaction(store: SqliteStore) -> None:
    with (
        closing(sqlite3.connect(store.path, isolation_level=None)) as holder,
        closing(sqlite3.connect(store.path, timeout=0)) as connection,
    ):
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(RetryTransaction):
            run_in(connection, enqueueing(store, new_job()), store)


def test_a_connection_to_another_file_is_refused_by_name(store: SqliteStore, tmp_path: Path) -> None:
    for other in sqlite_store(tmp_path / "other.db"):
        with closing(sqlite3.connect(other.path)) as connection, pytest.raises(WrongDatabase, match="database"):
            run_in(connection, enqueueing(store, new_job()), store)


def test_a_connection_to_a_file_without_tables_is_refused_by_name(store: SqliteStore, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "bare.db")) as connection, pytest.raises(WrongDatabase, match="tables"):
        run_in(connection, enqueueing(store, new_job()), store)


def test_a_connection_that_cannot_be_asked_is_not_called_a_wrong_one(store: SqliteStore) -> None:
    connection = sqlite3.connect(store.path)
    connection.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        run_in(connection, enqueueing(store, new_job()), store)


def test_a_connection_of_another_dialect_is_refused_by_name() -> None:
    memory = MemoryStore()
    with closing(sqlite3.connect(":memory:")) as connection, pytest.raises(WrongDatabase, match=r"sqlite.*memory"):
        run_in(connection, enqueueing(memory, new_job()), memory)


def test_a_link_to_the_same_file_is_the_same_database(store: SqliteStore, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(store.path)
    with closing(sqlite3.connect(link)) as connection:
        assert run_in(connection, enqueueing(store, new_job()), store)[0].created


def test_an_async_call_with_a_sync_connection_says_what_to_use(store: SqliteStore) -> None:
    with (
        closing(sqlite3.connect(store.path)) as connection,
        pytest.raises(Misconfigured, match=r"sqlite3.Connection is sync.*Call `enqueue`"),
    ):
        asyncio.run(arun_in(connection, enqueueing(store, new_job()), store))


def test_an_unknown_connection_is_refused_with_the_list_of_known_ones(store: SqliteStore) -> None:
    with pytest.raises(Misconfigured, match=r"builtins.object is not known.*SQLAlchemy"):
        run_in(object(), enqueueing(store, new_job()), store)
