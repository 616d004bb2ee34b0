"""FAULTS B24, B57: PostgreSQL has no room for a hint (54000), since somebody who listens never ends his transaction."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.crash.harness import Site, check_history
from tests.crash.sites import site_on_stoppable_postgres, stoppable_server

pytestmark = pytest.mark.postgres

FEWEST_PAGES = 64
"""The least that the server takes for `max_notify_queue_pages`: half a megabyte."""
LARGEST = 7_900


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with small_queue():
        yield from site_on_stoppable_postgres(tmp_path)


@contextmanager
def small_queue() -> Iterator[None]:
    """The server keeps few notifications."""
    server = stoppable_server()
    if not server.execute("SELECT name FROM pg_settings WHERE name = 'max_notify_queue_pages'"):
        pytest.skip("this server's queue has no bound that can be set (before PostgreSQL 17)")
    server.execute(f"ALTER SYSTEM SET max_notify_queue_pages = {FEWEST_PAGES}")
    _restart()
    try:
        yield
    finally:
        server.execute("ALTER SYSTEM RESET max_notify_queue_pages")
        _restart()


def _restart() -> None:
    stoppable_server().stop(immediate=False)
    stoppable_server().start()


@contextmanager
def no_room(url: str) -> Iterator[None]:
    """Somebody listens in a transaction that stays open, and another one notifies until nothing goes in any more."""
    with psycopg.connect(url) as listens, psycopg.connect(url, autocommit=True) as talks:
        listens.execute("LISTEN elsewhere")
        listens.commit()
        listens.execute("SELECT 1")
        with pytest.raises(psycopg.errors.ProgramLimitExceeded):
            fill(talks)
        yield
        listens.rollback()


def fill(talks: psycopg.Connection) -> None:
    for number in range(FEWEST_PAGES * 2):
        talks.execute(f"SELECT pg_notify('elsewhere', repeat('x', {LARGEST}) || %s)", (number,))


def test_jobs_are_made_and_run_while_the_server_has_no_room_for_hints(site: Site) -> None:
    worker = site.start("--lease", "60", "--poll", "0.2").ready()
    before = site.enqueue("ledger", n=0)
    site.ended(before)
    with no_room(site.url):
        alone = [site.enqueue("ledger", n=n) for n in range(5)]
        together = site.enqueue_many(50)
        with psycopg.connect(site.url) as theirs:
            borrowed = site.app.enqueue("ledger", {"n": 6}, connection=theirs).id
        during = [*alone, *together, borrowed]
        check_history(site.ended(*during), site.histories(during))
        assert worker.health["well"], worker.health
    after = site.enqueue("ledger", n=7)
    ids = [before, *during, after]
    check_history(site.ended(*ids), site.histories(ids))
    assert {len(attempts) for attempts in site.histories(ids).values()} == {1}
    assert worker.leave() == 0, worker.log
    assert "Traceback" not in worker.log


def test_a_worker_that_seldom_polls_is_woken_again_once_there_is_room(site: Site) -> None:
    worker = site.start("--lease", "60", "--poll", "600").ready()
    site.ended(site.enqueue("ledger", n=0))
    with no_room(site.url):
        unheard = site.enqueue("ledger", n=1)
    heard = site.enqueue("ledger", n=2)
    check_history(site.ended(unheard, heard), site.histories([unheard, heard]))
    assert worker.leave() == 0, worker.log
