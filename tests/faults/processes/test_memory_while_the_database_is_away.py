"""FAULTS B83: half an hour without the database leaves a worker and a producer as large as they were."""

import gc
import re
import sqlite3
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from tenure.core.errors import StoreError
from tenure.stores.sqlite import patience
from tests.crash.application import connect
from tests.crash.harness import Site, WorkerProcess, until
from tests.crash.haste import HASTE
from tests.crash.haste import PATIENCE as HASTY
from tests.crash.sites import site_on_sqlite, site_on_stoppable_postgres, stoppable_server
from tests.databases import EITHER

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

HALF_AN_HOUR = 8_000
"""Failures of all loops of a worker within 30 minutes: of claims one in 0.75 s and lane, of six others one in 3.75
s."""
WARM = 16_000
"""Failures after which a worker is as large as it gets: each loop has met each error, and its log its buffers."""
FLAT = 2_500_000
"""Bytes: what a process may differ by from one look to the next."""
_FAILURES = re.compile(r"(\w[\w-]*): .*\(failure (\d+) in a row")


@pytest.fixture(params=EITHER)
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    yield from (site_on_sqlite(tmp_path) if request.param == "sqlite" else site_on_stoppable_postgres(tmp_path))


@contextmanager
def away(site: Site) -> Iterator[None]:
    """PostgreSQL is stopped; the file of SQLite is locked by somebody who does not let go."""
    if site.is_sqlite:
        other = sqlite3.connect(site.url.removeprefix("sqlite:///"), timeout=60, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.close()
    else:
        stoppable_server().stop(immediate=True)
        yield
        stoppable_server().start()


def test_a_worker_grows_by_none_of_its_failures_and_works_on_when_the_database_is_back(site: Site) -> None:
    worker = site.start("--poll", "0.05", "--sweep", "0.2", environment={HASTE: "1"}).ready()
    site.ended(site.enqueue("ledger", n=1))
    with away(site):
        until(lambda: failures(worker) > WARM, "it fails", 300)
        warm = least_resident(worker)
        before = failures(worker)
        until(lambda: failures(worker) > before + HALF_AN_HOUR, "it has failed as often as in half an hour", 600)
        grown = least_resident(worker) - warm
        threads = psutil.Process(worker.pid).num_threads()
    assert grown < FLAT, f"{grown:,} bytes"
    assert threads < 40
    (job,) = site.ended(site.enqueue("ledger", n=2))
    assert job.attempt == 1
    until(lambda: worker.health["well"], "the worker is well again")
    assert worker.leave() == 0, worker.log[-2000:]


def failures(worker: WorkerProcess) -> int:
    """Those in a row, of all loops together: each tells its hundreds."""
    found: dict[str, int] = {}
    for name, count in _FAILURES.findall(worker.log):
        found[name] = int(count)
    return sum(found.values())


def least_resident(worker: WorkerProcess) -> int:
    """The fewest bytes resident within some seconds: each failure takes a little and gives it back."""
    seen = []
    end = time.monotonic() + 5

    def looked_long_enough() -> bool:
        seen.append(psutil.Process(worker.pid).memory_info().rss)
        return time.monotonic() > end

    until(looked_long_enough, "some seconds go by")
    return min(seen)


def test_a_producer_keeps_nothing_of_the_enqueues_that_fail(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience.patiently, "__defaults__", (HASTY,))
    site.enqueue("nothing", n=0)
    with away(site):
        fail(site, 500)
        tracemalloc.start()
        before = traced_after(lambda: fail(site, 500))
        grown = traced_after(lambda: fail(site, 5_000)) - before
        tracemalloc.stop()
    assert grown < 200_000, f"{grown:,} bytes"
    site.enqueue("nothing", n=1)
    assert jobs(site) == 2


def fail(site: Site, times: int) -> None:
    for number in range(times):
        try:
            site.enqueue("nothing", n=number)
        except StoreError:
            continue
        raise AssertionError("the database is there")


def traced_after(act: Callable[[], None]) -> int:
    """Bytes that Python holds for what was made since the tracing began."""
    act()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def jobs(site: Site) -> int:
    connection = connect(site.url)
    try:
        return int(connection.execute("SELECT count(*) FROM tenure_jobs").fetchone()[0])
    finally:
        connection.close()
