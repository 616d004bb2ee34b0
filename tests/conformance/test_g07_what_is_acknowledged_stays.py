"""G7: an acknowledged enqueue or completion survives kill -9 of every process and a crash of the server."""

import subprocess
import sys
from pathlib import Path

import pytest

from tenure.stores.sqlite import opening
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask
from tests.databases import sqlite_store

FULL = 2
"""SQLite's number for it."""

PRODUCER = """
import os, signal, sys
from tenure.stores.{storey}.store import {name}
from tests.conformance.asking import Ask, done, new
from tenure.testing.clock import FakeClock
store = {name}(sys.argv[1], clock=FakeClock())
store.open()
ask = Ask(store, store)
finished, waiting = (answer.id for answer in ask.enqueue(new(value=1), new(value=2)))
lease = ask.lease()
assert ask.answer(done(lease, "7")).standing == "done"
print(lease.job_id, finished if waiting == lease.job_id else waiting, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def acknowledged(storey: str, name: str, target: str) -> tuple[str, str]:
    """The ids of a completed and a waiting job that a process had acknowledged before it was killed."""
    root = str(Path(__file__).parents[2])
    killed = subprocess.run(
        [sys.executable, "-c", PRODUCER.format(storey=storey, name=name), target],
        capture_output=True, text=True, cwd=root, env={"PYTHONPATH": f"{root}:{root}/src"}, check=False, timeout=60,
    )  # fmt: skip
    assert killed.returncode == -9, killed.stderr
    completed, waiting = killed.stdout.split()
    return completed, waiting


def check_survivors(ask: Ask, completed: str, waiting: str) -> None:
    job = ask.job(completed)
    assert (job.state, job.result, len(ask.history(completed))) == ("succeeded", "7", 1)
    assert ask.lease().job_id == waiting


def test_sqlite_keeps_what_it_acknowledged_through_kill_9(tmp_path: Path) -> None:
    clock = FakeClock()
    completed, waiting = acknowledged("sqlite", "SqliteStore", str(tmp_path / "jobs.db"))
    for store in sqlite_store(tmp_path / "jobs.db", clock):
        check_survivors(Ask(store, clock), completed, waiting)


def test_sqlite_waits_for_the_disk_at_every_commit(tmp_path: Path) -> None:
    """No test can cut the power; what makes the promise hold then is the setting of the store's own connections."""
    for store in sqlite_store(tmp_path / "jobs.db", FakeClock()):
        connection = opening.connect(store.path)
    settings = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("synchronous", "journal_mode")]
    connection.close()
    assert settings == [FULL, "wal"]


@pytest.mark.postgres
def test_postgres_keeps_what_it_acknowledged_through_kill_9_and_a_crash_of_the_server() -> None:
    from tenure.stores.postgres.store import PostgresStore
    from tests.conformance.postgres_server import OwnServer

    server = OwnServer()
    url = server.fresh_database()
    completed, waiting = acknowledged("postgres", "PostgresStore", url)
    server.stop(immediate=True)
    server.start()
    store = PostgresStore(url)
    store.open()
    check_survivors(Ask(store, FakeClock()), completed, waiting)
    store.close()
