"""FAULTS B81, B82: a migration in steps, while workers, producers and callers go on."""

import sqlite3
import time
from contextlib import closing
from types import SimpleNamespace

import psycopg
import pytest

from tenure.core.states import State
from tenure.stores.postgres import migration_text
from tenure.stores.sqlite import migrating as sqlite
from tenure.stores.sqlite import patience
from tests.crash.harness import Site, check_history, until
from tests.faults.migrations import migrating as at
from tests.faults.migrations.migrating import LaterRelease


def test_a_migration_of_a_later_release_under_load_loses_nothing_and_stops_no_worker(
    site: Site, later: LaterRelease
) -> None:
    """Two workers of this release and a producer go on before, during and after it."""
    at.old_jobs(site, 3_000)
    workers = [site.start("--lease", "60") for _ in range(2)]
    before = site.enqueue_many(300, seconds=0.01)
    until(lambda: site.counts()[State.SUCCEEDED] > 3_000, "some jobs have ended")
    later.brings(site, at.text_for(site))
    migrating = later.migrates(site)
    during = []
    while migrating.goes_on:
        during.append(site.enqueue("ledger", n=1))
    assert migrating.applied() == [at.NAME]
    ids = [*before, *during, *site.enqueue_many(100)]
    check_history(site.ended(*ids), site.histories(ids))
    assert {len(attempts) for attempts in site.histories(ids).values()} == {1}
    assert at.filled(site) == 3_000
    assert [worker.leave() for worker in workers] == [0, 0], [worker.log for worker in workers]


@pytest.mark.postgres
def test_a_migration_that_waits_for_a_lock_holds_nobody_up(postgres_site: Site, later: LaterRelease) -> None:
    """Somebody's open transaction keeps the table; whoever stands behind the migration gets his turn all the same."""
    site = postgres_site
    worker = site.start("--lease", "60").ready()
    with psycopg.connect(site.url) as old:
        old.execute("SELECT count(*) FROM tenure_jobs").fetchall()
        later.brings(site, at.text_for(site))
        migrating = later.migrates(site)
        until(lambda: at.waits_for(site, "AccessExclusiveLock"), "the migration waits")
        ids = [site.enqueue("ledger", n=n) for n in range(20)]
        check_history(site.ended(*ids), site.histories(ids))
        assert migrating.goes_on
    assert "'500ms'" in migration_text._STRONG_LOCK_WAIT  # So long others stand behind it, whoever holds the table.
    assert migrating.applied() == [at.NAME]
    site.ended(site.enqueue("ledger", n=21))
    assert worker.leave() == 0, worker.log


@pytest.mark.postgres
def test_a_vacuum_is_waited_for_with_a_lock_that_keeps_nobody_from_working(
    postgres_site: Site, later: LaterRelease
) -> None:
    """Nobody queues behind it, and an autovacuum gives way to who waits so long; here, a lock of the same strength
    ends."""
    site = postgres_site
    site.start("--lease", "60").ready()
    with psycopg.connect(site.url) as vacuum:
        vacuum.execute("LOCK TABLE tenure_jobs IN SHARE UPDATE EXCLUSIVE MODE")
        later.brings(site, at.text_for(site))
        migrating = later.migrates(site)
        until(lambda: at.waits_for(site, "ShareUpdateExclusiveLock"), "the migration waits")
        site.ended(*(site.enqueue("ledger", n=n) for n in range(20)))
        assert not at.waits_for(site, "AccessExclusiveLock")
    assert migrating.applied() == [at.NAME]


@pytest.mark.postgres
def test_an_index_is_built_while_a_callers_transaction_holds_the_table(
    postgres_site: Site, later: LaterRelease
) -> None:
    """The build waits for it, and nobody for the build."""
    site = postgres_site
    worker = site.start("--lease", "60").ready()
    at.old_jobs(site, 10)
    with psycopg.connect(site.url) as caller:
        later.brings(site, at.INDEX)
        own = site.app.enqueue("ledger", {"n": 1}, connection=caller)
        migrating = later.migrates(site)
        until(lambda: at.build_waits(site), "the build waits for the caller")
        ids = [site.enqueue("ledger", n=n) for n in range(20)]
        check_history(site.ended(*ids), site.histories(ids))
        assert migrating.goes_on
    assert migrating.applied() == [at.NAME]
    assert at.indexes(site, valid=True) == 1
    site.ended(own.id)
    assert worker.leave() == 0, worker.log


@pytest.mark.postgres
def test_rows_that_a_caller_has_locked_are_rewritten_when_he_lets_go(postgres_site: Site, later: LaterRelease) -> None:
    site = postgres_site
    at.old_jobs(site, 1_200)
    later.brings(site, at.TABLE + at.BATCHES.format(key="id"))
    with psycopg.connect(site.url) as caller:
        caller.execute("SELECT 1 FROM tenure_jobs ORDER BY id LIMIT 1 FOR UPDATE")
        migrating = later.migrates(site)
        until(lambda: at.steps_done(site) == 1 and at.filled(site) == 1_199, "all others are rewritten")
        assert migrating.goes_on
    assert migrating.applied() == [at.NAME]
    assert at.filled(site) == 1_200


@pytest.mark.postgres
def test_rows_that_are_added_between_those_of_a_batch_push_none_out_of_it(
    postgres_site: Site, later: LaterRelease
) -> None:
    site = postgres_site
    at.old_jobs(site, 5_000)
    later.brings(site, at.TABLE + at.BATCHES.format(key="id"))
    migrating = later.migrates(site)
    while migrating.goes_on:
        at.old_jobs(site, 20, "new")
    assert migrating.applied() == [at.NAME]
    assert at.filled(site) == 5_000


@pytest.mark.postgres
def test_what_a_batch_has_rewritten_is_there_whatever_keeps_the_next_one(
    postgres_site: Site, later: LaterRelease
) -> None:
    """1,200 rows, and the write of the very last one waits: nobody has to wait for the other thousand."""
    site = postgres_site
    at.old_jobs(site, 1_200)
    later.brings(site, at.TABLE + at.BATCHES.format(key="id"))
    with psycopg.connect(site.url) as other:
        other.execute(
            "CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END'"
        )
        row = other.execute("SELECT id FROM tenure_jobs ORDER BY id DESC LIMIT 1").fetchone()
        assert row is not None
        other.execute(
            f"CREATE TRIGGER waits BEFORE UPDATE ON tenure_jobs FOR EACH ROW WHEN (OLD.id = '{row[0]}') "
            "EXECUTE FUNCTION waits()"
        )
        other.commit()
        other.execute("SELECT pg_advisory_xact_lock(1)")
        migrating = later.migrates(site)
        until(lambda: at.filled(site) == 1_000, "two batches are there")
        assert migrating.goes_on
    assert migrating.applied() == [at.NAME]
    assert at.filled(site) == 1_200


def test_between_two_batches_the_file_is_free_for_longer_than_a_writer_sleeps(
    sqlite_site: Site, later: LaterRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has waited for the file during a batch looks again while it rests, and need not wait for another one."""
    rests: list[float] = []

    def rest(seconds: float) -> None:
        rests.append(seconds)
        with closing(sqlite3.connect(sqlite_site.url.removeprefix("sqlite:///"), timeout=0)) as writer:
            writer.execute("UPDATE tenure_jobs SET priority = 1 WHERE id = 'old 1'")
            writer.commit()

    monkeypatch.setattr(sqlite, "time", SimpleNamespace(monotonic=time.monotonic, sleep=rest))
    at.old_jobs(sqlite_site, 1_750)
    later.brings(sqlite_site, at.TABLE + at.BATCHES.format(key="seq"))
    assert sqlite_site.app.opened().migrate() == [at.NAME]
    assert len(rests) == 3
    assert min(rests) > patience._LONGEST_WHEN_HELD
    assert at.filled(sqlite_site) == 1_750
