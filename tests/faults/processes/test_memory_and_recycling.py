"""FAULTS B83: a worker does not grow with its jobs, and makes room for a fresh one where that is asked for."""

import time

import psutil  # type: ignore[import-untyped]
import pytest

from tests.crash.harness import Site, WorkerProcess, check_history, until

LEAST = str(1 << 20)
"""Bytes that every worker has."""
RECYCLING: list[tuple[str, tuple[str, str], tuple[pytest.MarkDecorator, ...]]] = [
    ("sqlite", ("--recycle-jobs", "20"), ()),
    ("postgres", ("--recycle-jobs", "20"), (pytest.mark.slow, pytest.mark.postgres)),
    ("sqlite", ("--recycle-age", "2"), (pytest.mark.slow,)),
    ("postgres", ("--recycle-age", "2"), (pytest.mark.slow, pytest.mark.postgres)),
    ("sqlite", ("--recycle-memory", LEAST), (pytest.mark.slow,)),
    ("postgres", ("--recycle-memory", LEAST), (pytest.mark.slow, pytest.mark.postgres)),
]
"""By count, by age, and by memory, where a worker finds each time that it has too much."""


@pytest.mark.parametrize(
    ("site", "said"),
    [pytest.param(database, said, marks=marks, id=f"{database}{said[0]}") for database, said, marks in RECYCLING],
    indirect=["site"],
)
def test_workers_that_recycle_lose_no_job(site: Site, said: tuple[str, str]) -> None:
    """B83: 300 jobs; a worker looks each second whether it is time, and then makes room for a fresh one between
    jobs."""
    ids = site.enqueue_many(300, seconds=0.2)
    supervisor = site.start("--processes", "2", *said, "--lease", "60")
    check_history(site.ended(*ids, seconds=120), site.histories(ids))
    assert {len(attempts) for attempts in site.histories(ids).values()} == {1}
    assert len({line.pid for line in site.ledger()}) > 2
    assert supervisor.leave() == 0, supervisor.log


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_memory_of_a_worker_stays_flat(site: Site) -> None:
    """B83: 200,000 jobs that do nothing and 10,000 that fail with a long traceback: under 5 MB per 100,000."""
    worker = site.start("--lease", "60", "--slots", "50").ready()
    run_off(site, "nothing", 20_000)
    run_off(site, "fails_deep", 1_000)
    warm = least_resident(worker)
    run_off(site, "nothing", 200_000)
    run_off(site, "fails_deep", 10_000)
    grown = least_resident(worker) - warm
    assert grown < 2 * 5_000_000, f"{grown:,} bytes"
    assert worker.leave() == 0


def least_resident(worker: WorkerProcess) -> int:
    """The fewest bytes resident within a little more than the minute after which a worker gives back what is free."""
    seen = [psutil.Process(worker.pid).memory_info().rss]
    end = time.monotonic() + 65

    def looked_long_enough() -> bool:
        seen.append(psutil.Process(worker.pid).memory_info().rss)
        return time.monotonic() > end

    until(looked_long_enough, "a minute goes by", seconds=120)
    return min(seen)


def run_off(site: Site, kind: str, count: int) -> None:
    site.enqueue_many(count, kind)
    site.all_ended(seconds=1200)
