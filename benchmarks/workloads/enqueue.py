"""Enqueue through the typed face: one by one, in bulk, and by many coroutines at once."""

from collections.abc import Iterator, Mapping

from benchmarks.bare import postgres, sqlite
from benchmarks.bench import Bench
from benchmarks.children import Child, rate_of, together
from benchmarks.measuring import Line, line

SINGLES = 5_000
BULK = 50_000
CALLERS = 20_000


def measure_postgres(bench: Bench) -> Iterator[Line]:
    """Singles and bulks beside bare inserts."""
    singles, bulk = bench.jobs(SINGLES), max(bench.jobs(BULK) // 1000, 1) * 1000
    taken = bench.take(
        {
            "bare singles": lambda: _bare_postgres(bench, "singles", singles),
            "singles": lambda: _postgres(bench, "singles", singles),
            "bare bulk": lambda: _bare_postgres(bench, "bulk", bulk),
            "bulk": lambda: _postgres(bench, "bulk", bulk),
        }
    )
    yield line(taken, "PG enqueue, one by one", "singles", "bare singles", "/s")
    yield line(taken, "PG enqueue, bulk of 1,000", "bulk", "bare bulk", "/s")


def measure_sqlite(bench: Bench) -> Iterator[Line]:
    """One caller beside bare commits; 200 coroutines, whose items share commits."""
    singles, callers = bench.jobs(SINGLES), max(bench.jobs(CALLERS) // 200, 1) * 200
    taken = bench.take(
        {
            "bare": lambda: _bare_sqlite(bench, singles),
            "one caller": lambda: _tenure(bench.sqlite(), "singles", singles),
            "200 callers": lambda: _tenure(bench.sqlite(), "callers", callers),
        }
    )
    yield line(taken, "SQLite enqueue, one caller", "one caller", "bare", "/s")
    yield line(taken, "SQLite enqueue, 200 callers", "200 callers", "bare", "/s")


def _tenure(url: str, what: str, jobs: int) -> Mapping[str, float]:
    return {"rate": rate_of(together([Child("benchmarks.producer", url, what, jobs)]))}


def _postgres(bench: Bench, what: str, jobs: int) -> Mapping[str, float]:
    url = bench.postgres()
    try:
        return _tenure(url, what, jobs)
    finally:
        bench.drop(url)


def _bare_postgres(bench: Bench, what: str, jobs: int) -> Mapping[str, float]:
    url = bench.postgres(migrated=False)
    try:
        postgres.prepare(url)
        return {"rate": rate_of(together([Child(postgres.__name__, url, what, jobs)]))}
    finally:
        bench.drop(url)


def _bare_sqlite(bench: Bench, jobs: int) -> Mapping[str, float]:
    file = str(bench.file())
    sqlite.prepare(file)
    return {"rate": rate_of(together([Child(sqlite.__name__, file, "singles", jobs)]))}
