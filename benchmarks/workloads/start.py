"""Start: the import, and a worker process to its first claim."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping

from benchmarks import facts, fill
from benchmarks.bench import Bench
from benchmarks.children import ROOT, Child, dismiss
from benchmarks.measuring import Line, line

TIMES = 5


def measure_postgres(bench: Bench) -> Iterator[Line]:
    """The worker on PostgreSQL."""
    yield _first_claim(bench, bench.postgres, "PostgreSQL")


def measure_sqlite(bench: Bench) -> Iterator[Line]:
    """The import, and the worker on SQLite."""
    taken = bench.take({"import": _import}, TIMES)
    yield line(taken, "import tenure", "import", None, "ms", "import")
    yield _first_claim(bench, bench.sqlite, "SQLite")


def _import() -> Mapping[str, float]:
    """Milliseconds, less those of an interpreter that does nothing."""
    return {"import": (_python("import tenure") - _python("pass")) * 1000}


def _python(text: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", text], check=True, cwd=ROOT)
    return time.perf_counter() - began


def _first_claim(bench: Bench, fresh: Callable[[], str], where: str) -> Line:
    taken = bench.take({"start": lambda: _started(bench, fresh())}, TIMES)
    return line(taken, "start to first claim", "start", None, "s", "start", where)


def _started(bench: Bench, url: str) -> Mapping[str, float]:
    """From the start of the process to its first claim, by the store's clock, on this machine."""
    fill.enqueue(url, 1)
    began = time.time()
    child = Child("benchmarks.worker", url, 10, bench.file("health"))
    try:
        child.go()
        child.await_ready()
        until = time.monotonic() + 30
        while not facts.drained(url)[0] and time.monotonic() < until:
            time.sleep(0.02)
    finally:
        dismiss([child])
    return {"start": facts.drained(url)[1] - began}
