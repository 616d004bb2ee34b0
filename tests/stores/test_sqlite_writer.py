"""What only the SQLite store promises of its one writer: combined commits, its patience, and a job by itself."""

import asyncio
import itertools
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from functools import partial
from types import FrameType
from typing import Any

import pytest

from tenure.core.errors import KeyConflict, StoreBusy
from tenure.core.job import NewJob
from tenure.core.states import State
from tenure.operations.enqueue import enqueue
from tenure.stores.script import Script, Statement
from tenure.stores.sqlite import SqliteStore, patience
from tenure.stores.sqlite.checkpoint import Checkpointer
from tenure.stores.sqlite.opening import connect
from tests.stores.sqlite_jobs import Put, alone, both_ways, new_job, store, stored

__all__ = ["store"]


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


def test_a_reader_that_holds_a_snapshot_stops_neither_writes_nor_checkpoints(store: SqliteStore) -> None:
    with closing(connect(store.path)) as reader, closing(connect(store.path)) as writer:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM tenure_jobs").fetchone()
        store.run(enqueue(store.verbs, [new_job(1)]))
        Checkpointer(store.path).after_commit(writer, 1_000_000)
        store.run(enqueue(store.verbs, [new_job(2)]))
    assert stored(store) == 2


def test_a_statement_of_a_script_sees_what_the_script_wrote(store: SqliteStore) -> None:
    def script() -> Script[int]:
        yield from enqueue(store.verbs, [new_job(1)])
        rows = yield Statement("SELECT count(*) FROM tenure_jobs")
        return int(rows[0][0])

    assert store.run(script()) == 1
