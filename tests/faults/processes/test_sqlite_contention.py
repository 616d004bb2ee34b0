"""FAULTS §3 on SQLite: many processes on one file, and locks that somebody else holds."""

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tenure.core.errors import StoreBusy
from tests.crash.harness import Site, check_history, until


def test_eight_processes_on_one_file_start_every_job_once(sqlite_site: Site) -> None:
    """B26: 2,000 jobs, each of which has one start."""
    supervisor = sqlite_site.start("--processes", "8", "--lease", "60")
    until(lambda: supervisor.log.count("slots, queues") == 8, "all eight work")
    ids = sqlite_site.enqueue_many(2_000)
    assert sqlite_site.all_ended(seconds=100) == {"succeeded": 2_000}
    starts = Counter(line.job for line in sqlite_site.ledger() if line.event == "start")
    assert starts == dict.fromkeys(ids, 1)
    check_history(sqlite_site.jobs(ids).values(), sqlite_site.histories(ids))


def test_a_writer_that_holds_the_lock_again_and_again_costs_no_lease_and_no_loop(sqlite_site: Site) -> None:
    """B27 (short): the lock is held for 0.8 s, six times, beside two workers with a lease of 6 s. Nobody is refused, for
    that is less than a writer's patience, even where the holder is always the first to have the lock again."""
    assert go_on_beside_a_holder(sqlite_site, workers=2, lease=6, times=6, seconds=0.8) == []


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_writer_that_holds_the_lock_for_a_minute_costs_no_lease_and_no_loop(sqlite_site: Site) -> None:
    """B27: eight times for 8 s each, beside four workers with a lease of 30 s."""
    go_on_beside_a_holder(sqlite_site, workers=4, lease=30, times=8, seconds=8.0)


def go_on_beside_a_holder(site: Site, workers: int, lease: int, times: int, seconds: float) -> list[Exception]:
    """A reader keeps its snapshot all the while. The workers and two producers go on, and every enqueue succeeds or
    raises one typed error that can be retried: those."""
    herd = [site.start("--lease", str(lease)).ready() for _ in range(workers)]
    accepted: list[str] = []
    refused: list[Exception] = []
    over = threading.Event()
    producers = [threading.Thread(target=produce, args=(site, accepted, refused, over), daemon=True) for _ in range(2)]
    with a_reader(site):
        for producer in producers:
            producer.start()
        hold_the_lock(site, times, seconds)
        over.set()
        for producer in producers:
            producer.join(60)
        assert not any(producer.is_alive() for producer in producers)
    assert {type(error) for error in refused} <= {StoreBusy}
    assert accepted
    check_history(site.ended(*accepted), site.histories(accepted))
    assert {len(attempts) for attempts in site.histories(accepted).values()} == {1}
    for worker in herd:
        until(lambda worker=worker: worker.health["well"], "the worker is well again")  # type: ignore[misc]
        assert worker.leave() == 0, worker.log
    return refused


def produce(site: Site, accepted: list[str], refused: list[Exception], over: threading.Event) -> None:
    while not over.is_set():
        try:
            accepted.append(site.enqueue("ledger", n=len(accepted)))
        except Exception as error:
            refused.append(error)
        over.wait(0.02)


def hold_the_lock(site: Site, times: int, seconds: float) -> None:
    holder = sqlite3.connect(site.url.removeprefix("sqlite:///"), isolation_level=None, timeout=30)
    for _ in range(times):
        holder.execute("BEGIN IMMEDIATE")
        time.sleep(seconds)  # what the scenario is about: nobody waits for this but those who want the lock
        holder.execute("ROLLBACK")
    holder.close()


@contextmanager
def a_reader(site: Site) -> Iterator[None]:
    """Inside, somebody holds a read transaction, so that the log cannot be written over."""
    reader = sqlite3.connect(site.url.removeprefix("sqlite:///"), isolation_level=None, timeout=30)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM tenure_jobs").fetchall()
    yield
    reader.close()
