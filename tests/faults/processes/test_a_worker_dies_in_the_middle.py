"""FAULTS §1: the worker dies in the middle of a job."""

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tenure.core.job import Job
from tenure.engine.health import SupervisorHealth
from tenure.engine.supervisor import Supervisor
from tests.crash.application import HANG_AT_START
from tests.crash.harness import ROOT, SOURCE, Site, check_history, until


def test_a_job_whose_workers_are_killed_is_tried_as_often_as_its_policy_says_and_then_fails(site: Site) -> None:
    """B01: three workers die of the same job; the fourth finds it failed, not vanished."""
    job = site.enqueue("ledger", n=1, seconds=60, using={"max_attempts": 3})
    for attempt in (1, 2, 3):
        worker = site.start()
        site.started(job, attempt)
        worker.kill()
    site.start()
    (ended,) = site.ended(job)
    assert (ended.state, ended.end_code, ended.tries) == ("failed", "worker_lost", 3)
    assert [(one.number, one.outcome, one.error_code) for one in site.history(job)] == [
        (number, "lease_expired", "worker_lost") for number in (1, 2, 3)
    ]
    assert [line.attempt for line in site.lines(job)] == [1, 2, 3]


def test_a_worker_stopped_during_a_blocking_call_gives_its_job_back_at_once(site: Site) -> None:
    """B02: SIGTERM with 1 s of grace while the handler sleeps for a minute, under a lease of a minute."""
    job = site.enqueue("ledger", n=1, seconds=60)
    worker = site.start("--lease", "60", "--shutdown-grace", "1")
    site.started(job)
    worker.send(signal.SIGTERM)
    assert worker.wait(30) == 10, worker.log
    row = site.job(job)
    assert (row.state, row.tries, row.releases) == ("ready", 0, 1)
    (attempt,) = site.history(job)
    assert (attempt.outcome, attempt.error_code, attempt.begun) == ("released", "interrupted", True)
    assert site.counts() == {"ready": 1}


def test_a_replacement_that_never_gets_ready_is_replaced_too(
    sqlite_site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B04: a child hangs in its start; it is killed at the readiness deadline, and its sibling works on meanwhile. Health
    tells of it until a replacement is ready, however well the sibling is."""
    flag = tmp_path / "hang"
    for name, value in (sqlite_site.environment | {HANG_AT_START: str(flag)}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(ROOT)
    command = [sys.executable, "-m", "tenure", "worker", SOURCE, "--lease", "2", "--poll", "0.1"]
    supervisor = Supervisor(command, 2, grace=5.0, ready_within=3.0)
    running = threading.Thread(target=supervisor.run)
    running.start()
    try:
        until(lambda: supervisor.health("running").well, "both children are well")
        victim, sibling = supervisor.pids()
        flag.touch()
        os.kill(victim, signal.SIGKILL)
        until(lambda: victim not in supervisor.pids() and len(supervisor.pids()) == 2, "a replacement starts")
        (stuck,) = set(supervisor.pids()) - {sibling}
        told = supervisor.health("running")
        assert (told.well, well_by_pid(told)) == (False, {sibling: True, stuck: None})
        (job,) = sqlite_site.ended(sqlite_site.enqueue("ledger", n=1))
        assert sqlite_site.lines(job.id)[0].pid == sibling
        until(lambda: stuck not in supervisor.pids(), "the stuck child is killed")
        flag.unlink()
        until(lambda: supervisor.health("running").well, "a replacement gets ready")
        assert sibling in supervisor.pids()
    finally:
        supervisor.stop()
        running.join(60)
    assert not running.is_alive()


def well_by_pid(told: SupervisorHealth) -> dict[int, bool | None]:
    """None: there is nothing to be read of it."""
    return {child["pid"]: child["health"] and child["health"]["well"] for child in told.children}


def test_a_job_that_kills_every_worker_ends_and_the_others_of_its_queue_run_in_between(site: Site) -> None:
    """B05: the poison job is counted at its claim, not at its failure."""
    poison = site.enqueue("poison")
    supervisor = site.start("--processes", "2", "--slots", "4")
    site.started(poison)
    others = [site.enqueue("ledger", n=n) for n in range(20)]
    (ended,) = site.ended(poison)
    assert (ended.state, ended.end_code, ended.attempt, ended.tries) == ("failed", "worker_lost", 3, 3)
    assert [(one.number, one.outcome, one.error_code) for one in site.history(poison)] == [
        (number, "lease_expired", "worker_lost") for number in (1, 2, 3)
    ]
    assert len({line.pid for line in site.lines(poison)}) == len(site.lines(poison)) == 3
    check_history(site.ended(*others), site.histories(others))
    last = site.lines(poison)[-1].at
    assert any(line.at < last for job in others for line in site.lines(job, "end"))
    assert supervisor.leave() == 0, supervisor.log


def test_recovery_needs_no_register_of_workers(site: Site) -> None:
    """B06: no table of workers exists that could forget one; a live job is untouched while a dead one is recovered."""
    assert not [name for name in table_names(site) if "worker" in name or "process" in name]
    dead = site.enqueue("hangs_at_first", n=1)
    killed = site.start()
    site.started(dead)
    killed.kill()
    site.start()
    live = site.enqueue("ledger", n=2, seconds=3)
    jobs = site.ended(dead, live)
    check_history(jobs, site.histories([dead, live]))
    assert [len(site.history(job)) for job in (dead, live)] == [2, 1]


def table_names(site: Site) -> list[str]:
    from tests.crash.application import connect

    catalogue = "sqlite_master WHERE type = 'table'" if site.is_sqlite else "pg_tables WHERE schemaname = 'public'"
    connection = connect(site.url)
    try:
        rows = connection.execute(f"SELECT {'name' if site.is_sqlite else 'tablename'} FROM {catalogue}").fetchall()
    finally:
        connection.close()
    return [name for (name,) in rows]


@pytest.mark.parametrize("leases", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_a_process_with_the_same_host_name_and_pid_does_not_keep_a_dead_ones_job_alive(site: Site, leases: int) -> None:
    """B07: two workers, each process 1 of its own pid namespace, on one host name; the second beats for so many
    leases."""
    prefix, lease, gate = own_namespace(), 1.5, site.folder / "gate"
    same: dict[str, Any] = {"prefix": prefix, "environment": {"HOSTNAME": "pod-0"}}
    job = site.enqueue("hangs_at_first", n=1)
    first = site.start("--lease", str(lease), **same)
    site.started(job)
    first.kill()
    second = site.start("--lease", str(lease), **same)
    live = site.enqueue("waits_at_a_gate", gate=str(gate))
    site.ended(job)
    until(lambda: beats_for(site.job(live)) >= leases * lease, "the second worker keeps a job")
    gate.touch()
    check_history(site.ended(job, live), site.histories([job, live]))
    lost, won = site.history(job)
    assert (lost.outcome, won.outcome) == ("lease_expired", "succeeded")
    assert lost.worker != won.worker
    assert [attempt.worker for attempt in site.history(live)] == [won.worker]
    if prefix:
        assert lost.holder == won.holder
        assert {line.pid for line in site.ledger()} == {1}
    assert second.is_alive


def beats_for(job: Job) -> float:
    """Seconds from the start of its attempt to the last heartbeat."""
    if job.heartbeat_at is None or job.started_at is None:
        return 0.0
    return (job.heartbeat_at - job.started_at).total_seconds()


def own_namespace() -> list[str]:
    """A command that runs another as process 1 of a new pid namespace; nothing where this user may not."""
    import shutil
    import subprocess

    command = ["unshare", "--pid", "--fork", "--kill-child"]
    allowed = shutil.which("unshare") and subprocess.run([*command, "true"], capture_output=True).returncode == 0
    return command if allowed else []
