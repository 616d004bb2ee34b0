"""Growth: how long the first 5,000 jobs take with more and more behind them."""

import time
from collections.abc import Iterator
from statistics import median

from benchmarks import facts, fill
from benchmarks.bench import Bench
from benchmarks.measuring import Line
from benchmarks.workers import crew

FIRST = 5_000
SIZES = (1_000, 100_000, 1_000_000)
FUTURE = 1_000_000
DAY = 86_400


def measure_postgres(bench: Bench) -> Iterator[Line]:
    """On PostgreSQL."""
    yield from _measure(bench, bench.postgres)


def measure_sqlite(bench: Bench) -> Iterator[Line]:
    """On SQLite."""
    yield from _measure(bench, bench.sqlite)


def _measure(bench: Bench, fresh: object) -> Iterator[Line]:
    first = bench.jobs(FIRST)
    base: list[float] = []
    for size in SIZES:
        spent = _behind(bench, fresh(), first, bench.jobs(size))
        base = base or spent
        yield _line(bench, f"{size:,} ready", spent, base)
    spent = _behind(bench, fresh(), first, bench.jobs(SIZES[0]), bench.jobs(FUTURE))
    yield _line(bench, f"{FUTURE:,} future", spent, base)


def _behind(bench: Bench, url: str, first: int, ready: int, future: int = 0) -> list[float]:
    """Seconds for the first jobs, a round each; what was done is filled up before the next."""
    fill.enqueue(url, 1)
    if future:
        fill.backlog(url, future, state="scheduled", seconds_ahead=DAY)
    spent = []
    for _round in range(bench.rounds):
        ((waiting,),) = facts.ask(url, "SELECT count(*) FROM tenure_jobs WHERE state = 'ready'")
        if not waiting:
            fill.enqueue(url, 1)
        fill.backlog(url, max(first + ready - waiting, 1))
        began = time.time()
        with crew(bench, url) as group:
            group.start()
            group.await_done(first)
            group.leave()
        spent.append(facts.seconds_for_first(url, first, began))
    if not url.startswith("sqlite"):
        bench.drop(url)
    return spent


def _line(bench: Bench, what: str, spent: list[float], base: list[float]) -> Line:
    bench.tell(f"  {what}: {median(spent):.3f} s")
    return Line(
        "growth",
        median(spent),
        "s",
        min(spent),
        max(spent),
        f"{SIZES[0]:,} ready",
        median(base),
        median(spent) / median(base),
        what,
    )
