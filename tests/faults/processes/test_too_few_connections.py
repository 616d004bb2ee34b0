"""FAULTS §3 on PostgreSQL: more attempts at once than there are connections to the database."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure.core.pool import LONG_WAIT
from tests.crash.harness import Site, check_history, until
from tests.crash.sites import site_on_stoppable_postgres, stoppable_server

pytestmark = pytest.mark.postgres


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    yield from site_on_stoppable_postgres(tmp_path)


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
