"""What a worker costs: at rest, and in memory over many jobs."""

import time
from collections.abc import Iterator, Mapping

import psutil

from benchmarks import fill
from benchmarks.bench import Bench
from benchmarks.measuring import Line, line
from benchmarks.workers import crew

SECONDS = 30.0
WARM_UP = 50_000
JOBS = 200_000
MEGABYTE = 1_000_000


def measure_postgres(bench: Bench) -> Iterator[Line]:
    """On PostgreSQL."""
    yield from _measure(bench, bench.postgres, "PostgreSQL")


def measure_sqlite(bench: Bench) -> Iterator[Line]:
    """On SQLite."""
    yield from _measure(bench, bench.sqlite, "SQLite")


def _measure(bench: Bench, fresh: object, where: str) -> Iterator[Line]:
    taken = bench.take(
        {
            "rest": lambda: _at_rest(bench, fresh()),
            "memory": lambda: _memory(bench, fresh()),
        },
        1,
    )
    yield line(taken, "idle worker, CPU", "rest", None, "s a minute", "cpu", where)
    yield line(taken, "idle worker, memory", "rest", None, "MB", "memory", where)
    yield line(taken, "memory growth", "memory", None, "MB per 100,000", "growth", where)


def _at_rest(bench: Bench, url: str) -> Mapping[str, float]:
    seconds = bench.seconds(SECONDS)
    with crew(bench, url, 1, 10) as group:
        group.start()
        process = psutil.Process(group.children[0].pid)
        time.sleep(1.0)
        before = process.cpu_times()
        time.sleep(seconds)
        after = process.cpu_times()
        memory = process.memory_info().rss
        group.leave()
    spent = after.user + after.system - before.user - before.system
    return {"cpu": spent * 60 / seconds, "memory": memory / MEGABYTE}


def _memory(bench: Bench, url: str) -> Mapping[str, float]:
    """The growth after the warm-up, for each 100,000 jobs."""
    warm, jobs = bench.jobs(WARM_UP), bench.jobs(JOBS)
    with crew(bench, url) as group:
        group.start()
        process = psutil.Process(group.children[0].pid)
        fill.enqueue(url, warm)
        group.await_done(warm)
        time.sleep(0.5)
        before = process.memory_info().rss
        fill.enqueue(url, jobs)
        group.await_done(warm + jobs)
        time.sleep(0.5)
        after = process.memory_info().rss
        group.leave()
    return {"growth": (after - before) / MEGABYTE * 100_000 / jobs, "before": before / MEGABYTE}
