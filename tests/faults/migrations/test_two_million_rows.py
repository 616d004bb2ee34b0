"""FAULTS B81 at its size: 2 million rows, 4 workers and producers at 200 jobs a second, through every kind of step."""

import os
import sys
import threading
import time
from collections.abc import Callable

import psycopg
import pytest

from tenure import Tenure
from tenure.core.states import State
from tests.crash.harness import Site, check_history, until
from tests.faults.migrations import migrating as at
from tests.faults.migrations.migrating import LaterRelease

ROWS = int(os.environ.get("TENURE_ROWS", "2000000"))
WORKERS = 4
PRODUCERS = 4
EACH_PER_SECOND = 50
MOST = 1.0
"""Seconds that anybody may be kept waiting."""

REWRITTEN = "-- tenure: in batches by id\nUPDATE tenure_jobs SET of_a_later_release = 'filled in'\nWHERE of_a_later_release IS NULL AND kind = 'old';\n"


class Repeated(threading.Thread):
    """Does something again and again, at a rate, until it is stopped; the seconds that each time took."""

    def __init__(self, act: Callable[[], object], per_second: float) -> None:
        super().__init__(daemon=True)
        self.took: list[float] = []
        self.error: Exception | None = None
        self._act, self._step = act, 1 / per_second
        self._stopped = threading.Event()
        self.start()

    def run(self) -> None:
        due = time.perf_counter()
        try:
            while not self._stopped.wait(max(0.0, due - time.perf_counter())):
                began = time.perf_counter()
                self._act()
                self.took.append(time.perf_counter() - began)
                due = max(due + self._step, began)
        except Exception as error:
            self.error = error

    def stop(self) -> None:
        self._stopped.set()
        self.join()
        if self.error is not None:
            raise self.error


class Producer:
    """An application of its own that enqueues one job after the other."""

    def __init__(self, site: Site) -> None:
        self.ids: list[str] = []
        self._app = Tenure(site.url)
        self.repeated = Repeated(self._enqueue, EACH_PER_SECOND)

    @property
    def has_begun(self) -> bool:
        """On the schema of this release. Raises what it met."""
        if self.repeated.error is not None:
            raise self.repeated.error
        return len(self.ids) > EACH_PER_SECOND

    def _enqueue(self) -> None:
        self.ids.append(self._app.enqueue("nothing", {"n": 1}).id)

    def stop(self) -> None:
        self.repeated.stop()
        self._app.close()


class Watcher:
    """The longest that a statement of a worker or producer was seen waiting for a lock."""

    SEEN = (
        "SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start)), 0) FROM pg_stat_activity "
        "WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name <> 'tenure-migrate'"
    )

    def __init__(self, site: Site) -> None:
        self.longest = 0.0
        self._connection = psycopg.connect(site.url, autocommit=True)
        self.repeated = Repeated(self._look, 50)

    def _look(self) -> None:
        row = self._connection.execute(self.SEEN).fetchone()
        assert row is not None
        self.longest = max(self.longest, float(row[0]))

    def stop(self) -> None:
        self.repeated.stop()
        self._connection.close()


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(3600)
def test_nobody_waits_for_a_second_while_two_million_rows_are_migrated(
    postgres_site: Site, later: LaterRelease, capsys: pytest.CaptureFixture[str]
) -> None:
    site = postgres_site
    at.old_jobs(site, ROWS)
    workers = [site.start("--lease", "60").ready() for _ in range(WORKERS)]
    producers, watcher = [Producer(site) for _ in range(PRODUCERS)], Watcher(site)
    until(lambda: all(one.has_begun for one in producers), "the producers are at work")
    later.brings(site, at.COLUMN + REWRITTEN + at.INDEX + at.DROPPED)
    began = time.monotonic()
    migrating = later.migrates(site)
    until(lambda: not migrating.goes_on, "the migration ends", seconds=3000)
    took = time.monotonic() - began
    for one in (*producers, watcher):
        one.stop()
    ids = [job_id for one in producers for job_id in one.ids]
    counts = site.all_ended(seconds=300)
    assert migrating.applied() == [at.NAME]
    enqueued = max(seconds for one in producers for seconds in one.repeated.took)
    late = at.asked(
        site,
        "SELECT coalesce(max(extract(epoch FROM started_at - claimed_run_at) * 1000), 0)::bigint FROM tenure_attempts",
    )
    with capsys.disabled():
        sys.stderr.write(
            f"\n{ROWS:,} rows migrated in {took:.0f} s beside {len(ids):,} new jobs ({len(ids) / took:.0f} a second); longest: "
            f"enqueue {enqueued:.3f} s, wait for a lock {watcher.longest:.3f} s, from due to started {late / 1000:.3f} s\n"
        )
    assert counts == {State.SUCCEEDED: ROWS + len(ids)}
    for start in range(0, len(ids), 500):
        some = ids[start : start + 500]
        histories = site.histories(some)
        check_history(site.jobs(some).values(), histories)
        assert {len(attempts) for attempts in histories.values()} == {1}
    assert at.asked(site, "SELECT count(*) FROM tenure_jobs WHERE of_a_later_release = 'filled in'") == ROWS
    assert at.indexes(site, valid=True) == 1
    assert at.asked(site, "SELECT count(*) FROM pg_class WHERE relname = 'tenure_jobs_payloads'") == 0
    assert watcher.longest < MOST
    assert enqueued < MOST
    assert late / 1000 < MOST
    assert [worker.leave() for worker in workers] == [0] * WORKERS, [worker.log for worker in workers]
