"""FAULTS §9 and B20: a worker that is told to leave is gone by its deadline, and says how by its exit code."""

import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.crash.harness import Site, check_history, until
from tests.crash.sites import site_on_sqlite, site_on_stoppable_postgres, stoppable_server

GRACE = ("--shutdown-grace", "1")
DEADLINE = 20.0
"""Long past any deadline that follows from the grace of one second, and short of what the handlers wait for."""
BEATS = 8
"""Heartbeats, one in half a second, of a worker that would by then have given its job back if it were hastened."""


def test_an_idle_worker_leaves_with_zero(site: Site) -> None:
    """B62: SIGTERM while nothing runs."""
    worker = site.start().ready()
    worker.send(signal.SIGTERM)
    assert worker.wait(DEADLINE) == 0, worker.log


def test_a_job_that_fits_the_grace_ends_and_nothing_is_claimed_after_the_signal(site: Site) -> None:
    """B62: the running job succeeds; one that is enqueued after the signal stays ready."""
    gate = site.folder / "gate"
    job = site.enqueue("waits_at_a_gate", gate=str(gate))
    worker = site.start("--shutdown-grace", "30")
    site.started(job)
    worker.send(signal.SIGTERM)
    until(lambda: worker.health["state"] == "draining", "the worker drains")
    later = site.enqueue("ledger", n=2)
    gate.touch()
    assert worker.wait(DEADLINE) == 0, worker.log
    assert [site.job(one).state for one in (job, later)] == ["succeeded", "ready"]
    assert site.job(later).attempt == 0


def test_a_second_sigterm_changes_nothing_and_a_second_interrupt_hastens(sqlite_site: Site) -> None:
    """B62: the grace of half a minute is kept through SIGTERM, and given up at the second Ctrl-C."""
    job = sqlite_site.enqueue("ledger", n=1, seconds=300)
    worker = sqlite_site.start("--shutdown-grace", "300")
    sqlite_site.started(job)
    for number in (signal.SIGTERM, signal.SIGTERM):
        worker.send(number)
        until(lambda: worker.health["state"] == "draining", "the worker drains")
    for _ in range(BEATS):
        last = sqlite_site.job(job).heartbeat_at
        until(lambda last=last: sqlite_site.job(job).heartbeat_at != last, "it keeps the job")  # type: ignore[misc]
    assert sqlite_site.job(job).state == "running"
    worker.send(signal.SIGINT)
    assert worker.wait(DEADLINE) == 10, worker.log
    assert sqlite_site.job(job).state == "ready"


@pytest.mark.parametrize("kind", ["stuck_in_a_thread", "stuck_in_a_child"])
def test_a_stuck_handler_keeps_no_worker_from_leaving(site: Site, kind: str) -> None:
    """B62: in a thread that cannot be ended, and in a child process that is killed."""
    job = site.enqueue(kind, how="sleep", using={"timeout": 3600})
    worker = site.start(*GRACE)
    site.started(job)
    worker.children()
    worker.send(signal.SIGTERM)
    assert worker.wait(DEADLINE) == 10, worker.log
    assert worker.children() == []
    assert site.job(job).state == "ready"
    assert site.history(job)[0].outcome == "released"


def test_a_thread_that_a_handler_left_behind_keeps_no_worker_from_leaving(sqlite_site: Site) -> None:
    """B62: a thread that is no daemon and sleeps for an hour."""
    job = sqlite_site.enqueue("leaves_a_thread")
    worker = sqlite_site.start(*GRACE)
    sqlite_site.ended(job)
    worker.send(signal.SIGTERM)
    assert worker.wait(DEADLINE) == 0, worker.log


@pytest.mark.parametrize(
    ("database", "busy"),
    [
        pytest.param("sqlite", True, id="sqlite-busy"),
        pytest.param("postgres", True, id="postgres-busy", marks=pytest.mark.postgres),
        pytest.param("postgres", False, id="postgres-idle", marks=pytest.mark.postgres),
    ],
)
def test_a_database_that_does_not_answer_keeps_no_worker_from_leaving(
    database: str, tmp_path: Path, *, busy: bool
) -> None:
    """B62: the writer's lock is held for ever, or the server is gone; the leases end by themselves."""
    with closing_site(database, tmp_path) as site:
        gate = site.folder / "gate"
        job = site.enqueue("waits_at_a_gate", gate=str(gate)) if busy else None
        worker = site.start(*GRACE, "--lease", "60").ready()
        if job is not None:
            site.started(job)
        with no_database(site):
            gate.touch()
            if job is not None:
                until(lambda: len(site.lines(job, "end")), "the handler comes back")
            until(lambda: not worker.health["well"], "the trouble shows")
            worker.send(signal.SIGTERM)
            assert worker.wait(DEADLINE) == 11, worker.log
        if job is not None:
            assert site.job(job).state == "running"
            assert job in worker.log


closing_site = contextmanager(
    lambda database, folder: site_on_sqlite(folder) if database == "sqlite" else site_on_stoppable_postgres(folder)
)


@contextmanager
def no_database(site: Site) -> Iterator[None]:
    """Inside, no write goes through."""
    if site.is_sqlite:
        holder = sqlite3.connect(site.url.removeprefix("sqlite:///"), isolation_level=None, timeout=10)
        holder.execute("BEGIN IMMEDIATE")
        yield
        holder.close()
    else:
        stoppable_server().stop(immediate=True)
        yield
        stoppable_server().start()


def test_a_draining_worker_takes_nothing_more_and_its_successor_does(site: Site) -> None:
    """B20: 20 jobs that come after the SIGTERM end on the second worker, while the first still drains."""
    gate = site.folder / "gate"
    slow = site.enqueue("waits_at_a_gate", gate=str(gate))
    first = site.start("--shutdown-grace", "20")
    site.started(slow)
    first.send(signal.SIGTERM)
    until(lambda: first.health["state"] == "draining", "the first worker drains")
    ids = [site.enqueue("ledger", n=n) for n in range(1, 21)]
    site.start()
    check_history(site.ended(*ids), site.histories(ids))
    assert first.is_alive
    gate.touch()
    assert first.wait() == 0, first.log
    workers = {attempt.worker for job in ids for attempt in site.history(job)}
    assert len(workers) == 1
    (attempt,) = site.history(slow)
    assert (attempt.outcome, site.job(slow).state) == ("succeeded", "succeeded")
    assert attempt.worker not in workers
