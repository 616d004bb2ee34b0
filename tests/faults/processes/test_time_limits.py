"""FAULTS §8: time limits that reach blocked code, and heartbeats that no handler starves."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tenure.core.job import Job
from tests.crash.harness import Site, check_history, until


@pytest.mark.parametrize("how", ["sleep", "socket", "hash", "expression"])
def test_a_handler_in_a_child_process_is_gone_when_its_time_is_over(sqlite_site: Site, how: str) -> None:
    """B59: whatever it is stuck in, its process is killed; no slot is lost, and the worker goes on."""
    job = sqlite_site.enqueue("stuck_in_a_child", how=how)
    worker = sqlite_site.start("--slots", "1")
    (ended,) = sqlite_site.ended(job)
    assert (ended.state, ended.end_code) == ("failed", "timed_out")
    assert [attempt.outcome for attempt in sqlite_site.history(job)] == ["timed_out", "timed_out"]
    until(lambda: worker.children() == [], "the children are gone")
    sqlite_site.ended(sqlite_site.enqueue("ledger", n=1))
    assert worker.is_alive
    until(lambda: worker.health["leaked"] == 0, "no slot is lost")
    assert sqlite_site.lines(job, "end") == []


def test_a_thread_that_outlives_its_time_limit_is_counted_as_leaked_and_the_worker_recycles_itself(
    site: Site,
) -> None:
    """B59: the attempt ends as timed out, the slot shows as leaked, and at the limit the process makes room."""
    worker = site.start("--slots", "4")
    first = site.enqueue("stuck_in_a_thread", how="sleep", using={"max_attempts": 1})
    (ended,) = site.ended(first)
    assert (ended.state, ended.end_code) == ("failed", "timed_out")
    until(lambda: worker.health["leaked"] == 1, "the leak shows")
    assert worker.is_alive
    others = [site.enqueue("stuck_in_a_thread", how=how, using={"max_attempts": 1}) for how in ("socket", "hash")]
    site.ended(*others)
    assert worker.wait(20) == 12, worker.log
    assert "slots stuck in handlers" in worker.log
    assert {attempt.outcome for job in others for attempt in site.history(job)} == {"timed_out"}


@pytest.mark.parametrize("kind", ["blocks_the_loop", "spins"])
def test_a_handler_that_starves_the_others_does_not_starve_the_heartbeat(site: Site, kind: str) -> None:
    """B61: twice the lease without a word from the loop or the interpreter, with 20 other jobs; one attempt each."""
    job = site.enqueue(kind, seconds=3)
    others = [site.enqueue("ledger", n=n, seconds=0.2) for n in range(10)]
    others += [site.enqueue("async_ledger", n=n) for n in range(10)]
    worker = site.start("--slots", "30")
    jobs = site.ended(job, *others)
    check_history(jobs, site.histories([job, *others]))
    assert {len(attempts) for attempts in site.histories([job, *others]).values()} == {1}
    if kind == "blocks_the_loop":
        assert "loop blocked" in worker.log


def _loses_its_lease(site: Site, job_id: str) -> None:
    def is_over(job: Job) -> bool:
        return job.lease_expires_at is not None and job.lease_expires_at < datetime.now(UTC)

    until(lambda: is_over(site.job(job_id)), "no heartbeat comes any more")


def _holding(site: Site, gate: Path) -> str:
    """A job whose handler holds the interpreter of its worker while that is not in the middle of a write: one that is
    stops every writer of the file, until it goes on."""
    while True:
        job = site.enqueue("holds_the_interpreter", gate=str(gate))
        _loses_its_lease(site, job)
        if site.is_writable():
            return job
        gate.open("wb").close()
        site.ended(job)


def test_an_attempt_that_lost_its_lease_while_it_held_the_interpreter_is_fenced(site: Site) -> None:
    """B61: a call into C that lets no thread run, heartbeats included, for more than the lease."""
    gate = site.folder / "gate"
    os.mkfifo(gate)
    first = site.start()
    job = _holding(site, gate)
    site.start()
    (ended,) = site.ended(job)
    gate.open("wb").close()
    until(lambda: len(site.lines(job, "end")) == 2, "the first attempt comes back too")
    until(lambda: site.history(job)[0].late_report, "its report is noted as late")
    history = site.history(job)
    check_history([ended], {job: history})
    assert [attempt.outcome for attempt in history] == ["lease_expired", "succeeded"]
    assert first.leave() == 0
