"""The HTTP service, one process: POST /jobs beside a bare Starlette route, alone and with the same insert; claim 10 and
complete 10."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from benchmarks import fill, http_load, http_server
from benchmarks.bare import http_route, postgres, sqlite
from benchmarks.bench import Bench
from benchmarks.children import Child, dismiss, rate_of, together
from benchmarks.measuring import Line, line

POSTS = 20_000
CLAIMED = 10_000
LOADS = {"post": 2, "claim": 1}
"""Processes that send."""


def measure_postgres(bench: Bench) -> Iterator[Line]:
    """One server process on PostgreSQL."""
    yield from _measure(bench, "PG", _on_postgres)


def measure_sqlite(bench: Bench) -> Iterator[Line]:
    """One server process on SQLite."""
    yield from _measure(bench, "SQLite", _on_sqlite)


Prepare = Callable[[str], None]
With = Callable[[Bench, Prepare, Callable[[str], Mapping[str, float]]], Mapping[str, float]]
"""Measures on a fresh database: prepares it, calls with its URL, and drops it."""


def _measure(bench: Bench, store: str, on: With) -> Iterator[Line]:
    posts, claimed = bench.jobs(POSTS), max(bench.jobs(CLAIMED) // 10, 1) * 10
    bare = postgres.prepare if store == "PG" else sqlite.prepare
    taken = bench.take(
        {
            "bare route": lambda: _sent(Child(http_route.__name__), "post", posts),
            "bare route, same insert": lambda: on(bench, bare, lambda url: _sent(_bare(url), "post", posts)),
            "POST /jobs": lambda: on(bench, _nothing, lambda url: _sent(_ours(url), "post", posts)),
            "claim": lambda: on(bench, partial(fill.enqueue, jobs=claimed), partial(_claimed, jobs=claimed)),
        }
    )
    yield line(taken, f"{store} HTTP POST /jobs", "POST /jobs", "bare route", "/s")
    yield line(taken, f"{store} HTTP POST /jobs, same insert", "POST /jobs", "bare route, same insert", "/s")
    yield line(taken, f"{store} HTTP claim 10 + complete 10", "claim", None, "/s")


def _sent(server: Child, what: str, jobs: int) -> Mapping[str, float]:
    """What load generators get out of one server: two for posts, as one would be slower than a bare route is."""
    try:
        server.await_ready().go()
        found = server.answer()
        share = jobs // LOADS[what]
        loads = [Child(http_load.__name__, found["port"], found["key"], what, share) for _load in range(LOADS[what])]
        return {"rate": rate_of(together(loads))}
    finally:
        dismiss([server])


def _claimed(url: str, jobs: int) -> Mapping[str, float]:
    return _sent(_ours(url), "claim", jobs)


def _ours(url: str) -> Child:
    return Child(http_server.__name__, url)


def _bare(url: str) -> Child:
    return Child(http_route.__name__, url)


def _nothing(_url: str) -> None:
    """The service makes its own tables, or finds them."""


def _on_postgres(bench: Bench, prepare: Prepare, measure: Callable[[str], Mapping[str, float]]) -> Mapping[str, float]:
    url = bench.postgres()
    try:
        prepare(url)
        return measure(url)
    finally:
        bench.drop(url)


def _on_sqlite(bench: Bench, prepare: Prepare, measure: Callable[[str], Mapping[str, float]]) -> Mapping[str, float]:
    """The bare route takes a file, ours a URL."""
    file = str(bench.file())
    where = file if prepare is sqlite.prepare else f"sqlite:///{file}"
    prepare(where)
    return measure(where)
