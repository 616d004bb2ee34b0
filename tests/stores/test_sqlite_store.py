"""What only the SQLite store promises: combined commits, its patience, its file, its wake-ups."""

import asyncio
import itertools
import multiprocessing
import os
import sqlite3
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tenure.core.errors import KeyConflict, Misconfigured, SchemaChanged, SchemaTooOld, StoreBusy, StoreUnavailable
from tenure.core.job import NewJob
from tenure.core.states import State
from tenure.operations.enqueue import enqueue
from tenure.stores.script import Script, Statement
from tenure.stores.sqlite import SqliteStore, patience, writer
from tenure.stores.sqlite.checkpoint import Checkpointer
from tenure.stores.sqlite.opening import connect
from tests.databases import sqlite_store


def new_job(number: int, **changes: object) -> NewJob:
    fields = {"id": f"job {number}", "kind": "mail", "payload": "{}", "args_digest": "d"}
    return NewJob(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    yield from sqlite_store(tmp_path / "tenure.db")


def stored(store: SqliteStore) -> int:
    return sum(count.jobs for count in store.run(store.verbs.counts()))


def by_script(store: SqliteStore, job: NewJob) -> None:
    store.run(enqueue(store.verbs, [job]))


def alone(store: SqliteStore, job: NewJob) -> None:
    """As an application enqueues one job: by a script where the short way was not open."""
    if store.insert_alone(job) is None:
        by_script(store, job)


both_ways = pytest.mark.parametrize("put", [by_script, alone])
Put = Callable[[SqliteStore, NewJob], None]


def broken(store: SqliteStore) -> Script[None]:
    """Writes, and fails afterwards."""
    yield from enqueue(store.verbs, [new_job(1000), new_job(1001)])
    raise ValueError("broken")


def test_a_script_that_fails_takes_only_its_own_writes_back(store: SqliteStore) -> None:
    async def work() -> list[object]:
        asked = [store.arun(enqueue(store.verbs, [new_job(number)])) for number in range(20)]
        answers: list[object] = await asyncio.gather(*asked, store.arun(broken(store)), return_exceptions=True)
        return answers

    answers = asyncio.run(work())
    assert isinstance(answers[-1], ValueError)
    assert stored(store) == 20


def test_a_failed_batch_leaves_nothing_behind_for_a_thread_either(store: SqliteStore) -> None:
    with pytest.raises(ValueError, match="broken"):
        store.run(broken(store))
    assert stored(store) == 0


def together(store: SqliteStore, *jobs: NewJob) -> list[Any]:
    """What callers hear that come at once, each with one job."""

    async def work() -> list[Any]:
        return await asyncio.gather(*(store.arun(enqueue(store.verbs, [job])) for job in jobs), return_exceptions=True)

    with store._opened()[0]._turn:  # nobody is served before all of them have come
        loop = asyncio.new_event_loop()
        task = loop.create_task(work())
        loop.call_later(0.05, loop.stop)
        loop.run_forever()
    try:
        return loop.run_until_complete(task)
    finally:
        loop.close()


def test_each_of_many_callers_hears_of_its_own_job(store: SqliteStore) -> None:
    first, again = new_job(1), new_job(1)
    keyed, same, other = (
        new_job(number, idempotency_key="k", args_digest=digest) for number, digest in ((2, "d"), (3, "d"), (4, "e"))
    )
    later = new_job(5, delay=60.0)
    heard = together(store, first, again, keyed, same, other, later, *(new_job(number) for number in range(10, 30)))
    assert [answer[0].created for answer in heard[:4]] == [True, False, True, False]
    assert isinstance(heard[4], KeyConflict)
    assert heard[5][0].job.state is State.SCHEDULED
    assert heard[3][0].id == keyed.id
    assert stored(store) == 23


def test_one_job_that_cannot_be_stored_refuses_nobody_who_came_with_it(store: SqliteStore) -> None:
    good = [new_job(number) for number in range(12)]
    heard = together(store, *good[:6], new_job(99, priority=2**70), *good[6:])
    assert isinstance(heard.pop(6), OverflowError)
    assert all(answer[0].created for answer in heard)
    assert stored(store) == 12


@both_ways
def test_one_job_that_cannot_be_stored_is_refused_the_same_when_it_comes_alone(store: SqliteStore, put: Put) -> None:
    with pytest.raises(OverflowError):
        put(store, new_job(99, priority=2**70))
    put(store, new_job(1))
    assert stored(store) == 1


@both_ways
def test_threads_and_coroutines_share_the_writer(store: SqliteStore, put: Put) -> None:
    def produce(start: int) -> None:
        for number in range(start, start + 25):
            put(store, new_job(number))

    async def work() -> None:
        await asyncio.gather(*(store.arun(enqueue(store.verbs, [new_job(number)])) for number in range(500, 600)))

    threads = [threading.Thread(target=produce, args=(100 * nth,)) for nth in range(4)]
    for thread in threads:
        thread.start()
    asyncio.run(work())
    for thread in threads:
        thread.join()
    assert stored(store) == 200


@both_ways
def test_a_database_that_stays_locked_is_reported_as_busy(
    store: SqliteStore, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenure.stores.sqlite.writer.patiently", lambda action: patience.patiently(action, 0.0))
    with closing(sqlite3.connect(store.path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy):
            put(store, new_job(1))
        holder.execute("ROLLBACK")
    put(store, new_job(1))
    assert stored(store) == 1


@both_ways
def test_a_lock_that_is_given_back_in_time_is_waited_for(store: SqliteStore, put: Put) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None, check_same_thread=False)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.05, holder.execute, ["ROLLBACK"])
        timer.start()
        put(store, new_job(1))
        timer.join()
    assert stored(store) == 1


def test_a_script_that_writes_nothing_leaves_the_file_alone(store: SqliteStore) -> None:
    with closing(connect(store.path)) as looker:
        before = looker.execute("PRAGMA data_version").fetchone()
        store.run(store.verbs.promote(10))
        assert looker.execute("PRAGMA data_version").fetchone() == before


def test_a_job_comes_by_itself_only_where_nobody_else_writes_and_time_did_not_go_further(store: SqliteStore) -> None:
    """Else it would be before others who wait, or before what is written already."""
    assert store.insert_alone(new_job(1)) is not None
    with store._opened()[0]._turn:
        assert store.insert_alone(new_job(2)) is None
    with closing(sqlite3.connect(store.path)) as other, other:
        other.execute("UPDATE tenure_meta SET value = ? WHERE name = 'clock'", (4_000_000_000_000_000,))
    assert store.insert_alone(new_job(3)) is None
    assert stored(store) == 1


def interrupted(call: Callable[[], Any], moment: int) -> bool:
    """Calls, with a KeyboardInterrupt at the end of a call in the writer's own code, where the interpreter looks for
    signals. moment: of which call. Whether there were so many."""
    moments = itertools.count(1)

    def look(frame: FrameType, event: str, _: Any) -> None:
        is_ours = frame.f_code.co_filename.endswith("sqlite/writer.py")
        if is_ours and event in ("return", "c_return") and next(moments) == moment:
            raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(before)
    return False


def test_an_interrupt_at_any_moment_of_an_enqueue_leaves_the_writer_free_for_the_next(store: SqliteStore) -> None:
    numbers, writer = itertools.count(), store._opened()[0]
    alone(store, new_job(next(numbers)))
    for moment in itertools.count(1):
        if not interrupted(partial(store.insert_alone, new_job(next(numbers))), moment):
            break
        assert not writer._turn.locked()
        assert store.insert_alone(new_job(next(numbers))) is not None
    assert moment > 5


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


def test_a_reader_that_holds_a_snapshot_stops_neither_writes_nor_checkpoints(store: SqliteStore) -> None:
    with closing(connect(store.path)) as reader, closing(connect(store.path)) as writer:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM tenure_jobs").fetchone()
        store.run(enqueue(store.verbs, [new_job(1)]))
        Checkpointer(store.path).after_commit(writer, 1_000_000)
        store.run(enqueue(store.verbs, [new_job(2)]))
    assert stored(store) == 2


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


def test_a_statement_of_a_script_sees_what_the_script_wrote(store: SqliteStore) -> None:
    def script() -> Script[int]:
        yield from enqueue(store.verbs, [new_job(1)])
        rows = yield Statement("SELECT count(*) FROM tenure_jobs")
        return int(rows[0][0])

    assert store.run(script()) == 1


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
