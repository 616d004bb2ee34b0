"""Drain: so many ready jobs, from the first claim to the last completion, by 200 slots a process."""

from collections.abc import Iterator, Mapping

from benchmarks import facts, fill
from benchmarks.bare import postgres, sqlite
from benchmarks.bench import Bench
from benchmarks.children import Child, rate_of, together
from benchmarks.measuring import Line, Measure, line
from benchmarks.peers import drains
from benchmarks.workers import crew

JOBS = 40_000
SYNC_JOBS = 20_000


def measure_postgres(bench: Bench) -> Iterator[Line]:
    """One and two worker processes beside one and two bare clients, and beside the peers."""
    jobs = bench.jobs(JOBS)
    taken = bench.take(
        {
            "bare": lambda: _bare_postgres(bench, jobs, 1),
            "bare, 2 clients": lambda: _bare_postgres(bench, jobs, 2),
            "1 worker": lambda: _postgres(bench, jobs, 1),
            "2 workers": lambda: _postgres(bench, jobs, 2),
            "sync": lambda: _postgres(bench, bench.jobs(SYNC_JOBS), 1, "noop_sync"),
            "pgqueuer": lambda: drains.pgqueuer(bench, jobs, 1),
            "pgqueuer, 2 workers": lambda: drains.pgqueuer(bench, jobs, 2),
            "oban": lambda: drains.oban(bench, bench.jobs(SYNC_JOBS), 1),
        }
    )
    yield line(taken, "PG drain, 1 worker", "1 worker", "bare", "/s")
    yield line(taken, "PG drain, 2 workers", "2 workers", "bare, 2 clients", "/s")
    yield line(taken, "PG drain, sync handler", "sync", "bare", "/s")
    yield line(taken, "PG drain, 1 worker, beside a peer", "1 worker", "pgqueuer", "/s")
    yield line(taken, "PG drain, 2 workers, beside a peer", "2 workers", "pgqueuer, 2 workers", "/s")
    yield line(taken, "PG drain, 1 worker, beside a peer", "1 worker", "oban", "/s")


def measure_sqlite(bench: Bench) -> Iterator[Line]:
    """One and two worker processes on one file."""
    jobs = bench.jobs(JOBS)
    contestants: dict[str, Measure] = {
        "bare": lambda: _bare_sqlite(bench, jobs),
        "1 worker": lambda: _sqlite(bench, jobs, 1),
        "2 workers": lambda: _sqlite(bench, jobs, 2),
        "sync": lambda: _sqlite(bench, bench.jobs(SYNC_JOBS), 1, "noop_sync"),
        "huey": lambda: drains.huey(bench, bench.jobs(10_000)),
    }
    taken = bench.take(contestants)
    yield line(taken, "SQLite drain, 1 worker", "1 worker", "huey", "/s")
    yield line(taken, "SQLite drain, 2 workers", "2 workers", "1 worker", "/s")
    yield line(taken, "SQLite drain, 1 worker, beside bare", "1 worker", "bare", "/s")
    yield line(taken, "SQLite drain, sync handler", "sync", "bare", "/s")


def tenure(bench: Bench, url: str, jobs: int, workers: int, kind: str = "noop") -> Mapping[str, float]:
    """The rate of worker processes that start together on jobs which wait already."""
    fill.enqueue(url, jobs, kind)
    with crew(bench, url, workers) as group:
        group.start()
        group.await_done(jobs)
        group.leave()
    done, began, ended = facts.drained(url)
    if done != jobs:
        raise RuntimeError(f"{done} attempts for {jobs} jobs")
    return {"rate": jobs / (ended - began)}


def _postgres(bench: Bench, jobs: int, workers: int, kind: str = "noop") -> Mapping[str, float]:
    url = bench.postgres()
    try:
        return tenure(bench, url, jobs, workers, kind)
    finally:
        bench.drop(url)


def _sqlite(bench: Bench, jobs: int, workers: int, kind: str = "noop") -> Mapping[str, float]:
    return tenure(bench, bench.sqlite(), jobs, workers, kind)


def _bare_postgres(bench: Bench, jobs: int, clients: int) -> Mapping[str, float]:
    url = bench.postgres(migrated=False)
    try:
        postgres.prepare(url, jobs)
        bench.server.execute("CHECKPOINT")
        return {"rate": rate_of(together([Child(postgres.__name__, url, "drain", 0) for _ in range(clients)]))}
    finally:
        bench.drop(url)


def _bare_sqlite(bench: Bench, jobs: int) -> Mapping[str, float]:
    file = bench.file()
    sqlite.prepare(str(file), jobs)
    return {"rate": rate_of(together([Child(sqlite.__name__, file, "drain", 0)]))}
