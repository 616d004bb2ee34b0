"""What only the SQLite store promises of its file, its schema and its wake-ups."""

import itertools
import multiprocessing
import os
import sqlite3
from collections import deque
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tenure.core.errors import Misconfigured, SchemaChanged, SchemaTooOld, StoreUnavailable
from tenure.operations.enqueue import enqueue
from tenure.stores.sqlite import SqliteStore, writer
from tenure.stores.sqlite.opening import connect
from tests.databases import sqlite_store
from tests.stores.sqlite_jobs import Put, both_ways, new_job, store, stored

__all__ = ["store"]


def test_the_clock_goes_back_for_no_later_process(tmp_path: Path) -> None:
    instants = iter([datetime(2030, 1, 1, tzinfo=UTC)] * 100)
    first = SqliteStore(tmp_path / "a.db", clock=lambda: next(instants))
    first.open()
    first.run(enqueue(first.verbs, [new_job(1)]))
    first.close()
    second = SqliteStore(tmp_path / "a.db", clock=lambda: datetime(2020, 1, 1, tzinfo=UTC))
    second.open()
    assert second.run(second.verbs.now()) == datetime(2030, 1, 1, tzinfo=UTC)
    (told,) = second.run(enqueue(second.verbs, [new_job(2)]))
    assert told.created
    assert told.job.created_at == datetime(2030, 1, 1, tzinfo=UTC)
    assert second.run(second.verbs.read([told.id]))[told.id].run_at == datetime(2030, 1, 1, tzinfo=UTC)
    second.close()


@pytest.mark.skipif(os.name != "posix", reason="a file has a mode on POSIX alone")
def test_a_database_that_is_made_is_for_its_owner_alone_and_one_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "shared.db").touch()
    (tmp_path / "shared.db").chmod(0o660)
    umask = os.umask(0o002)
    try:
        for name, mode in (("own.db", 0o600), ("shared.db", 0o660)):
            for store in sqlite_store(tmp_path / name):
                store.run(enqueue(store.verbs, [new_job(1)]))
                found = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob(f"{name}*")}
                assert found == dict.fromkeys((name, f"{name}-shm", f"{name}-wal"), mode)
    finally:
        os.umask(umask)


def test_an_empty_file_is_migrated_by_itself_and_only_once(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "a.db")
    store.open()
    assert store.migrate() == []
    store.close()


def test_an_older_schema_is_refused_with_the_command_to_run(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tenure.stores.migrations import Migration
    from tenure.stores.sqlite import migrating

    later = [*migrating.known(), Migration("0002_later", "CREATE TABLE tenure_later (a);")]
    monkeypatch.setattr(migrating, "known", lambda: later)
    with pytest.raises(SchemaTooOld, match="tenure migrate"):
        SqliteStore(store.path).open()
    assert store.migrate() == ["0002_later"]
    assert SqliteStore(store.path).migrate() == []


def test_a_migration_whose_text_was_changed_is_refused(store: SqliteStore) -> None:
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE tenure_migrations SET checksum = 'other'")
    with pytest.raises(SchemaChanged):
        SqliteStore(store.path).open()


def test_the_migrations_as_text_make_the_same_schema(store: SqliteStore, tmp_path: Path) -> None:
    schema = "SELECT name, sql FROM sqlite_master ORDER BY name"
    with closing(sqlite3.connect(tmp_path / "text.db")) as by_text, closing(sqlite3.connect(store.path)) as by_itself:
        by_text.executescript(store.migration_text())
        assert by_text.execute(schema).fetchall() == by_itself.execute(schema).fetchall()
    opened = SqliteStore(tmp_path / "text.db")
    opened.open()
    opened.close()


@pytest.mark.parametrize(("name", "said"), [("missing/folder.db", "cannot be opened"), ("text.db", "not an SQLite")])
def test_a_file_that_cannot_be_used_is_reported_with_its_reason(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "text.db").write_text("no database, but long enough to be taken for a header" * 10)
    with pytest.raises(StoreUnavailable, match=said):
        SqliteStore(tmp_path / name).open()


def test_a_store_that_is_not_open_says_so(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "a.db")
    with pytest.raises(Misconfigured, match="not open"):
        store.run(store.verbs.now())
    with pytest.raises(Misconfigured, match="not open"):
        store.insert_alone(new_job(1))


def test_a_store_of_the_parent_is_refused_after_a_fork(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    child = os.getpid() + 1
    monkeypatch.setattr(os, "getpid", lambda: child)
    with pytest.raises(Misconfigured, match="fork"):
        store.run(store.verbs.now())
    with pytest.raises(Misconfigured, match="fork"):
        store.insert_alone(new_job(1))
    monkeypatch.undo()


def test_an_announcement_wakes_who_waits_for_the_queue_and_nobody_else(store: SqliteStore) -> None:
    mine, other = store.listen(["default"]), store.listen(["other"])
    store.announce(["default"])
    assert mine.wait(0)
    assert not other.wait(0)
    mine.close()
    other.close()


def test_a_wake_ends_a_wait_without_a_hint(store: SqliteStore) -> None:
    listener = store.listen(["default"])
    listener.wake()
    assert not listener.wait(60)
    listener.close()


def test_a_commit_of_another_process_is_noticed_without_an_announcement(store: SqliteStore) -> None:
    listener = store.listen(["default"])
    assert not listener.wait(0)
    child = multiprocessing.get_context("spawn").Process(target=enqueue_one, args=(str(store.path),))
    child.start()
    assert listener.wait(60)
    child.join()
    assert child.exitcode == 0
    listener.close()


def test_a_commit_that_leaves_the_watched_queues_empty_is_no_hint(store: SqliteStore) -> None:
    listener = store.listen(["other"])
    assert not listener.wait(0)
    store.run(enqueue(store.verbs, [new_job(1)]))
    assert not listener.wait(0)
    listener.close()


def enqueue_one(path: str) -> None:
    store = SqliteStore(path)
    store.open()
    store.run(enqueue(store.verbs, [new_job(1)]))
    store.close()


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer looks for its file at every commit."""
    monkeypatch.setattr(writer, "LOOK_AGAIN", 0.0)


def gone(store: SqliteStore) -> None:
    """As somebody who deletes a database and what lies beside it."""
    for name in ("", "-wal", "-shm"):
        Path(f"{store.path}{name}").unlink(missing_ok=True)


@both_ways
@pytest.mark.usefixtures("watched")
def test_a_database_that_was_deleted_takes_no_more_jobs_and_is_not_made_anew_in_silence(
    store: SqliteStore, put: Put
) -> None:
    """Its file goes on without a name for whoever has it open, and what is written there nobody finds."""
    store.run(enqueue(store.verbs, [new_job(1)]))
    assert stored(store) == 1
    with closing(store.listen(["default"])) as listener:
        gone(store)
        for said in ("was moved, replaced or deleted", "is gone", "is gone"):
            with pytest.raises(StoreUnavailable, match=said):
                put(store, new_job(2))
            with pytest.raises(StoreUnavailable, match=said):
                stored(store)
        assert not listener.wait(0.01)
    assert not store.path.exists()


@both_ways
def test_a_producer_notices_within_moments_that_its_database_was_deleted(store: SqliteStore, put: Put) -> None:
    numbers = itertools.count()
    put(store, new_job(next(numbers)))
    gone(store)
    with pytest.raises(StoreUnavailable, match="was moved, replaced or deleted"):
        deque((put(store, new_job(number)) for number in numbers), maxlen=0)


@pytest.mark.usefixtures("watched")
def test_a_database_that_was_put_back_in_the_place_of_another_is_used_from_the_next_try_on(
    store: SqliteStore, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.db"
    with closing(connect(store.path)) as connection:
        connection.execute("VACUUM INTO ?", (str(kept),))
    store.run(enqueue(store.verbs, [new_job(1), new_job(2)]))
    assert stored(store) == 2
    gone(store)
    kept.rename(store.path)
    for use in (lambda: stored(store), lambda: store.run(enqueue(store.verbs, [new_job(3)]))):
        with pytest.raises(StoreUnavailable, match="was moved, replaced or deleted"):
            use()
    store.run(enqueue(store.verbs, [new_job(3)]))
    assert stored(store) == 1
    with closing(SqliteStore(store.path)) as other:
        other.open()
        assert stored(other) == 1
