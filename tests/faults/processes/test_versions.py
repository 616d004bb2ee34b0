"""FAULTS §12 and §13: code and schema of different versions, and what interpreters warn of."""

import pytest

from tenure.core.states import State
from tests.conformance.postgres_server import shared
from tests.crash.application import connect
from tests.crash.harness import Site, check_history, until


def execute(site: Site, text: str) -> None:
    connection = connect(site.url)
    connection.execute(text)
    connection.commit()
    connection.close()


def with_migration(site: Site, name: str) -> None:
    """Notes in the database that a later release has migrated it."""
    execute(
        site,
        f"INSERT INTO tenure_migrations SELECT '{name}', 'of a later release', applied_at, steps FROM "
        "tenure_migrations",
    )


def test_a_worker_of_this_release_runs_on_a_schema_one_version_newer_and_refuses_one_further(site: Site) -> None:
    """B82: old worker, new schema."""
    with_migration(site, "9001_more")
    job = site.enqueue("ledger", n=1)
    worker = site.start()
    (ended,) = site.ended(job)
    assert ended.state == "succeeded"
    assert worker.leave() == 0
    execute(
        site,
        "INSERT INTO tenure_migrations SELECT '9002_still_more', checksum, applied_at, steps FROM tenure_migrations "
        "WHERE name = '9001_more'",
    )
    refused = site.start()
    assert refused.wait() == 13
    assert "2 migrations ahead" in refused.log


@pytest.mark.postgres
def test_a_worker_on_a_schema_older_than_its_code_refuses_and_names_the_command(postgres_site: Site) -> None:
    """B82: new worker, old schema (here: none yet)."""
    url = shared().fresh_database(migrated=False)
    refused = postgres_site.start(url=url)
    assert refused.wait() == 13
    assert "tenure migrate" in refused.log
    shared().drop_database(url)


def test_a_column_that_is_added_during_a_run_stops_no_worker(site: Site) -> None:
    """B82: cached plans and statements outlive the change; nothing is lost or done twice."""
    worker = site.start("--lease", "60")
    before = site.enqueue_many(100)
    site.ended(*before)
    gate = site.folder / "gate"
    running = site.enqueue("waits_at_a_gate", gate=str(gate))
    site.started(running)
    execute(site, "ALTER TABLE tenure_jobs ADD COLUMN of_a_later_release text")
    execute(site, "ALTER TABLE tenure_attempts ADD COLUMN of_a_later_release text")
    gate.touch()
    after = site.enqueue_many(100)
    ids = [running, *before, *after]
    check_history(site.ended(*ids), site.histories(ids))
    assert {len(attempts) for attempts in site.histories(ids).values()} == {1}
    assert worker.leave() == 0, worker.log


def test_migrating_again_during_a_run_stops_no_worker(site: Site) -> None:
    """B81: `tenure migrate` on a schema in use changes nothing and loses nothing."""
    worker = site.start("--lease", "60")
    ids = site.enqueue_many(200, seconds=0.02)
    until(lambda: site.counts()[State.SUCCEEDED], "some jobs have ended")
    done = site.command("migrate")
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["nothing to apply: the schema is up to date"])
    check_history(site.ended(*ids), site.histories(ids))
    assert {len(attempts) for attempts in site.histories(ids).values()} == {1}
    assert worker.leave() == 0, worker.log


def test_a_worker_and_its_child_processes_run_with_every_warning_as_an_error(site: Site) -> None:
    """B85: this interpreter finds nothing that is deprecated in a worker of all three kinds of handlers."""
    worker = site.start(environment={"PYTHONWARNINGS": "error", "PYTHONDEVMODE": "1"})
    ids = [site.enqueue(kind, n=1) for kind in ("ledger", "async_ledger", "child_ledger")]
    check_history(site.ended(*ids), site.histories(ids))
    assert {len(attempts) for attempts in site.histories(ids).values()} == {1}
    assert worker.leave() == 0, worker.log
    assert "Warning:" not in worker.log
