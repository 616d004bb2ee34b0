"""Snapshot: work while somebody holds an old snapshot of the same database (B78), beside the same work without.

Two databases on one server take turns. Each gets 800 jobs a second with a worker for its share of the time, then drains
a backlog at full speed; on one of them a REPEATABLE READ transaction stays open all the while.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack

import psycopg

from benchmarks import facts, fill
from benchmarks.bench import Bench
from benchmarks.measuring import Line, line
from benchmarks.workers import crew
from benchmarks.workloads.mixed import tenure

SECONDS = 60.0
"""How long each of the two is under load, unless `--seconds` says it."""
SLICES = 4
LEAST = 1.0
"""Seconds of a slice: a worker begins within it even on a busy machine."""
BACKLOG = 20_000


def measure_postgres(bench: Bench) -> Iterator[Line]:
    """What is done of 800 a second, what is done at full speed afterwards, and what was left behind."""
    seconds = bench.lasting or bench.seconds(SECONDS)
    slices = 1 if bench.tiny else SLICES
    piece = max(seconds / slices, LEAST)
    with ExitStack() as until_the_end:
        held, free = bench.postgres(), bench.postgres()
        for url in (held, free):
            until_the_end.callback(bench.drop, url)
        until_the_end.enter_context(_snapshot(held))
        sides = {"held": held, "free": free}
        paced = bench.take(
            {name: (lambda url=url: tenure(bench, url, "paced", piece)) for name, url in sides.items()},
            slices,
        )
        yield line(paced, "800 a second under a held snapshot", "held", "free", "/s")
        drains = bench.take({name: (lambda url=url: _drain(bench, url)) for name, url in sides.items()})
        yield line(
            drains, "throughput under a held snapshot", "held", "free", "/s", note=f"after {seconds:g} s of load"
        )
        dead, age = _burden(held)
        yield Line(
            "dead rows under a held snapshot", dead, "", dead, dead, "free", _burden(free)[0],
            note=f"the oldest snapshot is open for {age:,.0f} s",
        )  # fmt: skip


def measure_sqlite(bench: Bench) -> Iterator[Line]:
    """Nothing: a reader of SQLite keeps no dead rows."""
    yield from ()


def _snapshot(url: str) -> psycopg.Connection:
    """A transaction that has begun to read; the end of its `with` block ends it."""
    connection = psycopg.connect(url)
    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    connection.execute("SELECT count(*) FROM tenure_jobs")
    return connection


def _drain(bench: Bench, url: str) -> Mapping[str, float]:
    """Jobs a second, from the first claim to the end of the last."""
    jobs = bench.jobs(BACKLOG)
    fill.enqueue(url, jobs)
    began = _now(url)
    with crew(bench, url) as group:
        group.start()
        group.await_done(jobs)
        group.leave()
    return {"rate": jobs / facts.seconds_for_first(url, jobs, began)}


def _now(url: str) -> float:
    """The database's instant."""
    ((now,),) = facts.ask(url, "SELECT extract(epoch FROM clock_timestamp())::float8")
    return float(now)


def _burden(url: str) -> tuple[float, float]:
    """Dead rows of jobs, and the age of the oldest snapshot in seconds: as `tenure doctor` tells them."""
    from tenure import Tenure

    app = Tenure(url)
    store = app.opened()
    found = store.run(store.verbs.burden())
    app.close()
    if found is None:
        raise RuntimeError("PostgreSQL tells its burden")
    return float(found.dead_rows), found.oldest_snapshot
