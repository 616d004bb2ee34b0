"""FAULTS §3 on PostgreSQL: a server that stops, backends that are ended, tables that are locked."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tenure.app.ids import new_id
from tenure.core.errors import StoreUnavailable
from tenure.core.pool import LONG_WAIT
from tenure.core.states import State
from tests.crash.harness import Site, check_history, until
from tests.crash.sites import site_on_stoppable_postgres, stoppable_server

pytestmark = pytest.mark.postgres


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    yield from site_on_stoppable_postgres(tmp_path)


def test_a_sweep_that_a_crash_of_the_server_cut_off_is_made_up_for(site: Site) -> None:
    """B21: 250 jobs lose their worker; the server crashes when the first of them have been recovered."""
    ids = site.enqueue_many(250, "hangs_at_first")
    killed = site.start("--slots", "250")
    until(lambda: site.counts()[State.RUNNING] == 250, "all of them run")
    killed.kill()
    survivor = site.start("--slots", "50")
    until(lambda: any(site.histories(ids).values()), "the sweep begins")
    stoppable_server().stop(immediate=True)
    until(lambda: not survivor.health["well"], "the worker notices")
    stoppable_server().start()
    check_history(site.ended(*ids), site.histories(ids))
    assert survivor.leave() == 0, survivor.log


def test_every_loop_comes_back_after_its_own_backend_was_ended(site: Site) -> None:
    """B22: each connection of the worker is ended alone; a job that is enqueued afterwards is woken up for."""
    before = backends(site)
    worker = site.start("--lease", "60", "--poll", "600").ready()
    site.ended(site.enqueue("ledger", n=0))
    for number in range(3):
        own = backends(site) - before
        assert own
        for pid in own:
            stoppable_server().execute(f"SELECT pg_terminate_backend({pid}, 5000)")
            (job,) = site.ended(site.enqueue("ledger", n=number))
            assert job.attempt == 1
    until(lambda: worker.health["well"], "the worker is well")
    assert worker.leave() == 0, worker.log


def backends(site: Site) -> set[int]:
    name = psycopg.conninfo.conninfo_to_dict(site.url)["dbname"]
    rows = stoppable_server().execute(
        f"SELECT pid FROM pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()"
    )
    return {pid for (pid,) in rows}


def test_a_worker_outlives_a_server_that_is_away_and_says_that_it_is_unwell_meanwhile(site: Site) -> None:
    """B22: stopped in order, away until every loop has noticed, started again; the same process goes on."""
    worker = site.start().ready()
    site.ended(site.enqueue("ledger", n=0))
    stoppable_server().stop(immediate=False)
    until(lambda: {"claim", "sweep"} <= worker.health["troubles"].keys(), "every loop is late")
    assert not worker.health["well"]
    stoppable_server().start()
    (job,) = site.ended(site.enqueue("ledger", n=1))
    assert job.attempt == 1
    until(lambda: worker.health["well"], "the worker is well again")
    assert worker.leave() == 0, worker.log


def test_nothing_is_lost_when_the_server_crashes_under_load(site: Site) -> None:
    """Two crashes while four producers and three workers are busy: each acknowledged job ends, with one success."""
    workers = [site.start("--slots", "5") for _ in range(3)]
    for worker in workers:
        worker.ready()
    over = threading.Event()
    accepted: list[str] = []
    failures: list[Exception] = []
    producers = [threading.Thread(target=produce, args=(site, accepted, failures, over)) for _ in range(4)]
    for producer in producers:
        producer.start()
    try:
        for enough in (150, 300):
            until(lambda enough=enough: len(accepted) >= enough, f"{enough} jobs are accepted")  # type: ignore[misc]
            stoppable_server().stop(immediate=True)
            seen = len(failures)
            until(lambda seen=seen: len(failures) > seen, "a producer notices")  # type: ignore[misc]
            stoppable_server().start()
        until(lambda: len(accepted) >= 500, "500 jobs are accepted")
    finally:
        over.set()
        for producer in producers:
            producer.join(60)
    assert {type(error) for error in failures} == {StoreUnavailable}
    assert site.all_ended() == {"succeeded": len(accepted)}
    check_history(site.jobs(accepted).values(), site.histories(accepted))
    assert [worker.leave() for worker in workers] == [0, 0, 0]
    assert {line.job for line in site.ledger() if line.event == "end"} == set(accepted)


def produce(site: Site, accepted: list[str], failures: list[Exception], over: threading.Event) -> None:
    """Enqueues, each job under an id of its own, until it is acknowledged; an error of another kind ends it."""
    while not over.is_set():
        job = new_id()
        while not acknowledged(site, job, failures):
            if not isinstance(failures[-1], StoreUnavailable):
                return
            over.wait(0.02)
        accepted.append(job)


def acknowledged(site: Site, job: str, failures: list[Exception]) -> bool:
    try:
        return site.enqueue("ledger", n=1, seconds=0.005, using={"id": job}) == job
    except Exception as error:
        failures.append(error)
        return False


def test_a_worker_whose_claims_hang_is_unwell_although_it_lives(site: Site) -> None:
    """B23: another session locks the table; the health file says so, and recovers by itself."""
    worker = site.start().ready()
    until(lambda: worker.health["well"], "the worker is well")
    with psycopg.connect(site.url) as other:
        other.execute("LOCK TABLE tenure_jobs IN ACCESS EXCLUSIVE MODE")
        until(lambda: "claim" in worker.health["troubles"], "the worker is unwell")
        assert not worker.health["well"]
        assert worker.is_alive
        other.rollback()
    until(lambda: worker.health["well"], "the worker is well again")
    site.ended(site.enqueue("ledger", n=1))
    assert worker.leave() == 0, worker.log


def test_handlers_that_hold_every_connection_of_the_application_starve_no_lease(site: Site) -> None:
    """B29: 20 of them at once on 5 connections, and each handler keeps one for longer than the lease. The start names
    the right size; health tells of the wait while it lasts, and the log says so once."""
    ids = [site.enqueue("holds_a_connection", seconds=3) for _ in range(20)]
    worker = site.start("--slots", "20", "--database-connections", "5").ready()
    right_size = "up to 20 attempts at once share 5 connections to the database"
    assert (
        f"{right_size}, and those that keep one let others wait: `--database-connections 20` gives one to each"
        in worker.log
    )
    until(lambda: worker.health["waiting"] == 15, "health tells how many wait")
    told = until(lambda: health if (health := worker.health)["troubles"] else None, "health tells that the wait lasts")
    assert (told["well"], list(told["troubles"])) == (False, ["connections"])
    assert (told["waited"] > LONG_WAIT, told["waiting"] > 0) == (True, True)
    assert re.match(r"\d+ wait for one of 5 connections .*`--database-connections 20`", told["troubles"]["connections"])
    until(lambda: worker.health["well"] and not worker.health["waiting"], "the wait is over, and the worker is well")
    check_history(site.ended(*ids), site.histories(ids))
    assert {len(attempts) for attempts in site.histories(ids).values()} == {1}
    assert worker.leave() == 0, worker.log
    assert (worker.log.count(right_size), worker.log.count("wait for one of 5 connections")) == (1, 1)


def test_processes_that_may_want_more_connections_than_the_server_gives_say_so_at_their_start(site: Site) -> None:
    """B29: each of them names the number for all, and the size that fits."""
    stoppable_server().alter_database(site.url, "CONNECTION LIMIT 30")
    supervisor = site.start("--processes", "2", "--slots", "20", "--database-connections", "20")
    done = site.ended(site.enqueue("ledger", n=1))
    until(
        lambda: supervisor.log.count("2 worker processes may open 48 connections to the database") == 2, "both say so"
    )
    assert "its server gives 30 to all clients: say `--database-connections 11`, or raise its max_con" in supervisor.log
    assert ([job.state for job in done], supervisor.leave()) == (["succeeded"], 0)
    unsaid = site.start("--processes", "2", "--slots", "12")
    until(lambda: "up to 12 attempts at once share 11 connections" in unsaid.log, "the pool fits what the server gives")
    assert (unsaid.leave(), unsaid.log.count("to all clients")) == (0, 0)


def test_a_wake_up_carries_no_payload_and_no_list(site: Site) -> None:
    """B57: large payloads, 10,000 jobs at once, and a queue name of 200 characters of four bytes."""
    queue = "\N{GRINNING FACE}" * 200
    worker = site.start("--queues", queue, "--poll", "30").ready()
    items = [site.app.item("nothing", {"n": n}, queue="elsewhere") for n in range(10_000)]
    assert len({job.id for job in site.app.enqueue_many(items)}) == 10_000
    large = [site.enqueue("echo", text="x" * 9_000 * times, using={"queue": queue}) for times in (1, 7)]
    assert [job.state for job in site.ended(*large)] == ["succeeded", "succeeded"]
    assert site.counts()[State.READY] == 10_000
    assert worker.leave() == 0, worker.log


def test_no_index_holds_a_column_that_a_heartbeat_writes(site: Site) -> None:
    """B78 (short): heartbeats under an old snapshot leave no dead entry in any index."""
    indexed = stoppable_server().execute(
        "SELECT DISTINCT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid "
        "AND a.attnum = ANY (i.indkey) WHERE i.indrelid = 'tenure_jobs'::regclass",
        site.url,
    )
    assert not {name for (name,) in indexed} & {"heartbeat_at", "lease_expires_at", "progress", "progress_at"}
    gate = site.folder / "gate"
    job = site.enqueue("waits_at_a_gate", gate=str(gate))
    with psycopg.connect(site.url) as old:
        old.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        old.execute("SELECT count(*) FROM tenure_jobs").fetchall()
        site.start()
        site.started(job)
        first = site.job(job).heartbeat_at
        until(lambda: site.job(job).heartbeat_at != first, "a heartbeat comes")
        gate.touch()
        (ended,) = site.ended(job)
    assert (ended.state, ended.attempt) == ("succeeded", 1)
