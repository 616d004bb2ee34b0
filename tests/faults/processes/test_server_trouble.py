"""FAULTS §3 on PostgreSQL: a server that stops, backends that are ended, tables that are locked."""

import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tenure.app.submitting.ids import new_id
from tenure.core.errors import StoreUnavailable
from tenure.core.states import State
from tenure.engine.upkeep import reaper
from tests.crash.harness import Site, check_history, until
from tests.crash.sites import site_on_stoppable_postgres, stoppable_server

pytestmark = pytest.mark.postgres


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    yield from site_on_stoppable_postgres(tmp_path)


def test_a_sweep_that_a_crash_of_the_server_cut_off_is_made_up_for(site: Site) -> None:
    """B21: 250 jobs lose their worker; the server crashes in the second batch of their recovery, after the first is
    committed."""
    ids = site.enqueue_many(250, "hangs_at_first")
    killed = site.start("--slots", "250")
    until(lambda: site.counts()[State.RUNNING] == 250, "all of them run")
    stop_sweeps_behind_the_first_batch(site)
    killed.kill()
    survivor = site.start("--slots", "50")
    until(lambda: sweeps_that_stand_still(site), "the second batch begins")
    assert len(lost(site, ids)) == reaper.BATCH
    stoppable_server().stop(immediate=True)
    until(lambda: not survivor.health["well"], "the worker notices")
    stoppable_server().start()
    check_history(site.ended(*ids), site.histories(ids))
    assert lost(site, ids) == set(ids)
    assert {len(attempts) for attempts in site.histories(ids).values()} == {2}
    assert survivor.leave() == 0, survivor.log


def lost(site: Site, ids: list[str]) -> set[str]:
    """Those whose first attempt is on record as lost."""
    found = site.histories(ids)
    return {job for job in ids if found[job] and found[job][0].outcome == "lease_expired"}


def stop_sweeps_behind_the_first_batch(site: Site) -> None:
    """From here on, until the server has been started again, nobody ends more lost attempts than one batch."""
    server = stoppable_server()
    server.execute(
        f"""CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF pg_postmaster_start_time() = '{server.execute("SELECT pg_postmaster_start_time()")[0][0]}'
                AND (SELECT count(*) FROM tenure_attempts WHERE outcome = 'lease_expired') >= {reaper.BATCH}
            THEN PERFORM pg_sleep(600); END IF;
            RETURN NEW;
        END $$""",
        site.url,
    )
    server.execute(
        "CREATE TRIGGER stand_still BEFORE INSERT ON tenure_attempts FOR EACH ROW WHEN (NEW.outcome = 'lease_expired') "
        "EXECUTE FUNCTION stand_still()",
        site.url,
    )


def sweeps_that_stand_still(site: Site) -> bool:
    slept = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
    return bool(stoppable_server().execute(slept, site.url))


def test_every_loop_comes_back_after_its_own_backend_was_ended(site: Site) -> None:
    """B22: each connection of the worker is ended alone; the lease of a job that runs all the while is renewed, and one
    that is enqueued afterwards is woken up for."""
    before, gate = backends(site), site.folder / "gate"
    worker = site.start("--lease", "9", "--poll", "600").ready()
    running = site.enqueue("waits_at_a_gate", gate=str(gate))
    site.started(running)
    until(lambda: site.job(running).heartbeat_at, "a heartbeat comes")
    for number in range(3):
        own = backends(site) - before
        assert own
        for pid in own:
            stoppable_server().execute(f"SELECT pg_terminate_backend({pid}, 5000)")
            (job,) = site.ended(site.enqueue("ledger", n=number))
            assert job.attempt == 1
        last = site.job(running).heartbeat_at
        until(lambda last=last: site.job(running).heartbeat_at != last, "another heartbeat comes")  # type: ignore[misc]
    gate.touch()
    (job,) = site.ended(running)
    assert (job.state, job.attempt) == ("succeeded", 1)
    until(lambda: worker.health["well"], "the worker is well")
    assert worker.leave() == 0, worker.log


def backends(site: Site) -> set[int]:
    name = psycopg.conninfo.conninfo_to_dict(site.url)["dbname"]
    rows = stoppable_server().execute(
        f"SELECT pid FROM pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()"
    )
    return {pid for (pid,) in rows}


def test_a_worker_outlives_a_server_that_is_away_and_says_that_it_is_unwell_meanwhile(site: Site) -> None:
    """B22: stopped in order, away until every loop has noticed, started again; the same process goes on, and it is told
    of new jobs, since it would not look for them by itself."""
    worker = site.start("--poll", "600", "--lease", "60").ready()
    site.ended(site.enqueue("ledger", n=0))
    stoppable_server().stop(immediate=False)
    until(lambda: {"sweep"} <= worker.health["troubles"].keys(), "every loop is late")
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
