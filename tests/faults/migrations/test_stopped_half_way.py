"""FAULTS B81: a process that migrates is killed, meets another one, or cannot go on."""

import psycopg
import pytest

from tenure.core.errors import Misconfigured, SchemaChanged, SchemaTooOld, StoreBusy, StoreError
from tenure.stores.postgres import driver, migration_batches
from tests.crash.harness import PATIENCE, Site, until
from tests.faults.migrations import migrating as at
from tests.faults.migrations.migrating import LaterRelease

KILLED = -9
WAITS = "another process migrates this database; waiting for it"


@pytest.mark.postgres
def test_a_build_whose_process_was_killed_is_built_anew(postgres_site: Site, later: LaterRelease) -> None:
    """What it leaves is an index that is not valid."""
    site = postgres_site
    at.old_jobs(site, 10)
    later.brings(site, at.TABLE + at.INDEX)
    with psycopg.connect(site.url) as caller:
        caller.execute("UPDATE tenure_jobs SET trace = 'of the caller'")
        first = later.process(site)
        until(lambda: at.build_waits(site), "the build waits for the caller")
        at.killed(site, first)
        assert at.indexes(site, valid=False) == 1
    assert later.migrates(site).applied() == [at.NAME]
    assert (at.indexes(site, valid=True), at.indexes(site, valid=False)) == (1, 0)


@pytest.mark.postgres
def test_a_rewrite_whose_process_was_killed_goes_on_where_it_was(postgres_site: Site, later: LaterRelease) -> None:
    """Meanwhile a worker of the later release says what it waits for, and one of this release works."""
    site = postgres_site
    at.old_jobs(site, 1_200)
    later.brings(site, at.text_for(site, at.TABLE))
    with psycopg.connect(site.url) as caller:
        caller.execute("SELECT 1 FROM tenure_jobs ORDER BY id LIMIT 1 FOR UPDATE")
        first = later.process(site)
        until(lambda: at.steps_done(site) == 1 and at.filled(site) == 1_199, "all others are rewritten")
        at.killed(site, first)
    assert at.filled(site) == 1_199
    with pytest.raises(SchemaTooOld, match=rf"half done: {at.NAME}, 1 of 4 steps.*goes on from there"):
        site.app.store.open()
    worker = site.start().ready()
    site.ended(site.enqueue("ledger", n=1))
    migrating = later.migrates(site)
    assert migrating.applied() == [at.NAME]
    assert "step 2 of 4" in migrating.said[0]
    assert at.filled(site) == 1_200
    assert worker.leave() == 0, worker.log


def test_a_process_killed_in_the_middle_of_a_batch_is_followed_by_another(
    sqlite_site: Site, later: LaterRelease
) -> None:
    site = sqlite_site
    at.old_jobs(site, 1_750)
    later.brings(site, at.text_for(site))
    first = later.process(site, batch=3)
    assert first.wait(PATIENCE) == KILLED
    assert (at.steps_done(site), at.filled(site)) == (1, 1_000)
    with pytest.raises(SchemaTooOld, match="1 of 3 steps"):
        site.app.store.open()
    site.start().ready()
    site.ended(site.enqueue("ledger", n=1))
    assert later.migrates(site).applied() == [at.NAME]
    assert (at.steps_done(site), at.filled(site)) == (3, 1_750)


@pytest.mark.postgres
def test_of_two_who_migrate_one_waits_and_each_step_is_done_once(postgres_site: Site, later: LaterRelease) -> None:
    """The one that waits keeps no transaction open, for which the build of the other would wait in turn."""
    site = postgres_site
    at.old_jobs(site, 600)
    later.brings(site, at.text_for(site, at.TABLE))
    with psycopg.connect(site.url) as caller:
        caller.execute("UPDATE tenure_jobs SET priority = 1 WHERE id IN (SELECT id FROM tenure_jobs LIMIT 1)")
        both = [later.migrates(site) for _ in range(2)]
        until(lambda: at.filled(site) == 599, "one of them rewrites")
        until(lambda: sum(WAITS in one.said for one in both) == 1, "the other one waits")
    assert sorted(one.applied() for one in both) == [[], [at.NAME]]
    assert at.filled(site) == 600
    assert at.indexes(site, valid=True) == 1


@pytest.mark.postgres
def test_who_waits_for_another_says_so_and_goes_on_when_that_one_is_killed(
    postgres_site: Site, later: LaterRelease
) -> None:
    site = postgres_site
    at.old_jobs(site, 10)
    later.brings(site, at.INDEX)
    with psycopg.connect(site.url) as caller:
        caller.execute("UPDATE tenure_jobs SET trace = 'of the caller'")
        first = later.process(site)
        until(lambda: at.build_waits(site), "the build waits for the caller")
        second = later.migrates(site)
        until(lambda: WAITS in second.said, "the other one waits")
        first.kill()
    assert second.applied() == [at.NAME]
    assert at.indexes(site, valid=True) == 1


@pytest.mark.postgres
def test_a_build_that_fails_leaves_no_index_and_says_where_it_stopped(postgres_site: Site, later: LaterRelease) -> None:
    """Not valid, but unique, it would refuse rows all the same."""
    site = postgres_site
    at.old_jobs(site, 2)
    later.brings(site, at.TABLE + at.UNIQUE)
    with pytest.raises(
        StoreError, match=f"stopped at {at.NAME}, step 2 of 2.*could not create unique index"
    ) as stopped:
        later.migrates(site).applied()
    assert "goes on from there" in str(stopped.value)
    assert at.indexes(site, valid=False) == 0
    with psycopg.connect(site.url) as connection:
        connection.execute("DELETE FROM tenure_jobs")
    assert later.migrates(site).applied() == [at.NAME]


@pytest.mark.postgres
def test_rows_that_stay_locked_are_told_when_all_others_are_done(
    postgres_site: Site, later: LaterRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migration_batches, "_TRIES", 2)
    site = postgres_site
    at.old_jobs(site, 600)
    later.brings(site, at.TABLE + at.BATCHES.format(key="id"))
    with psycopg.connect(site.url) as caller:
        caller.execute("SELECT 1 FROM tenure_jobs LIMIT 1 FOR UPDATE")
        with pytest.raises(StoreBusy, match="step 2 of 2"):
            later.migrates(site).applied()
        assert at.filled(site) == 599
    assert later.migrates(site).applied() == [at.NAME]


def test_a_rewrite_that_would_never_end_is_stopped_at_its_first_batch(site: Site, later: LaterRelease) -> None:
    at.old_jobs(site, 600)
    key = "seq" if site.is_sqlite else "id"
    later.brings(site, f"-- tenure: in batches by {key}\nUPDATE tenure_jobs SET trace = 'again'\nWHERE kind = 'old';\n")
    with pytest.raises(StoreError, match="still fulfil the condition"):
        later.migrates(site).applied()
    assert at.asked(site, "SELECT count(*) FROM tenure_jobs WHERE trace IS NOT NULL") == 0


def test_a_file_that_changed_after_its_first_step_is_refused(site: Site, later: LaterRelease) -> None:
    key = "seq" if site.is_sqlite else "id"
    at.old_jobs(site, 1)
    never = f"-- tenure: in batches by {key}\nUPDATE tenure_jobs SET trace = 'again'\nWHERE kind = 'old';\n"
    later.brings(site, at.TABLE + never)
    with pytest.raises(StoreError, match="still fulfil"):
        later.migrates(site).applied()
    later.brings(site, at.text_for(site))
    with pytest.raises(SchemaChanged, match=at.NAME):
        later.migrates(site).applied()


@pytest.mark.postgres
def test_behind_a_pooler_only_plain_transactions_are_applied(
    postgres_site: Site, later: LaterRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "is_direct", lambda connection: False)
    later.brings(postgres_site, at.TABLE + at.INDEX)
    with pytest.raises(Misconfigured, match="the address of the server itself"):
        later.migrates(postgres_site).applied()
    assert at.steps_done(postgres_site) == 1
