"""FAULTS B82: this release and a later one on one database."""

from tenure.core.states import State
from tests.crash.harness import Site, check_history, until
from tests.faults.migrations import migrating as at
from tests.faults.migrations.migrating import LaterRelease

SLOTS = 5


def test_a_worker_of_a_later_release_refuses_the_schema_of_this_one_and_costs_no_job(
    site: Site, later: LaterRelease
) -> None:
    """New worker, old schema: it names the command to run, and those of this release go on."""
    later.brings(site, at.text_for(site))
    ids = site.enqueue_many(20)
    refused = later.worker(site)
    assert refused.wait() == 13
    assert "tenure migrate" in refused.log
    assert site.counts() == {State.READY: 20}
    worker = site.start("--lease", "60")
    check_history(site.ended(*ids), site.histories(ids))
    assert worker.leave() == 0, worker.log


def test_workers_of_two_releases_share_the_jobs_of_one_database(site: Site, later: LaterRelease) -> None:
    """A mixed fleet, told by its slots: each of two old and two new workers must fill all of its own before any job may
    end. (How long they then stay beside each other decides nothing.)"""
    options = ("--lease", "60", "--slots", str(SLOTS))
    fleet = [site.start(*options).ready() for _ in range(2)]
    before = site.enqueue_many(20)
    site.ended(*before)
    later.brings(site, at.text_for(site))
    assert later.migrates(site).applied() == [at.NAME]
    fleet += [later.worker(site, *options).ready() for _ in range(2)]
    gate = site.folder / "gate"
    during = [site.enqueue("waits_at_a_gate", gate=str(gate)) for _ in range(SLOTS * len(fleet))]
    until(lambda: site.counts()[State.RUNNING] == len(during), "all four are full")
    gate.touch()
    ids = [*before, *during, *site.enqueue_many(200)]
    check_history(site.ended(*ids), site.histories(ids))
    assert {len(attempts) for attempts in site.histories(ids).values()} == {1}
    assert {line.pid for line in site.ledger() if line.job in during} == {worker.pid for worker in fleet}
    assert [worker.leave() for worker in fleet] == [0] * 4, [worker.log for worker in fleet]
