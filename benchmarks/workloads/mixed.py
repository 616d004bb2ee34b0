"""Mixed: a producer as fast as it goes and a worker at the same time; the jobs that were done meanwhile."""

from collections.abc import Iterator, Mapping

from benchmarks import facts
from benchmarks.bench import Bench
from benchmarks.children import Child, dismiss, together
from benchmarks.measuring import Line, line
from benchmarks.workers import crew

SECONDS = 10.0


def measure_postgres(bench: Bench) -> Iterator[Line]:
    """Singles beside oban, bulks of 100 beside pgqueuer."""
    seconds = bench.seconds(SECONDS)
    taken = bench.take(
        {
            "singles": lambda: _postgres(bench, "stream", seconds),
            "oban": lambda: _peer(bench, "benchmarks.peers.postgres_oban", "stream", seconds),
            "bulk": lambda: _postgres(bench, "stream100", seconds),
            "pgqueuer": lambda: _peer(bench, "benchmarks.peers.postgres_pgqueuer", "stream100", seconds),
        }
    )
    yield line(taken, "PG mixed, singles", "singles", "oban", "/s")
    yield line(taken, "PG mixed, bulk of 100", "bulk", "pgqueuer", "/s")


def measure_sqlite(bench: Bench) -> Iterator[Line]:
    """Both ways; no peer is asked."""
    seconds = bench.seconds(SECONDS)
    taken = bench.take(
        {
            "singles": lambda: tenure(bench, bench.sqlite(), "stream", seconds),
            "bulk": lambda: tenure(bench, bench.sqlite(), "stream100", seconds),
        }
    )
    yield line(taken, "SQLite mixed, singles", "singles", None, "/s")
    yield line(taken, "SQLite mixed, bulk of 100", "bulk", None, "/s")


def tenure(bench: Bench, url: str, what: str, seconds: float) -> Mapping[str, float]:
    """done a second while the producer ran, and sent a second."""
    producer = Child("benchmarks.producer", url, what, seconds).await_ready()
    try:
        with crew(bench, url) as group:
            group.start()
            producer.go()
            said = producer.answer()
            group.leave()
    finally:
        dismiss([producer])
    span = said["ended"] - said["began"]
    return {"rate": facts.ended_between(url, said["began"], said["ended"]) / span, "sent": said["jobs"] / span}


def _postgres(bench: Bench, what: str, seconds: float) -> Mapping[str, float]:
    url = bench.postgres()
    try:
        return tenure(bench, url, what, seconds)
    finally:
        bench.drop(url)


def _peer(bench: Bench, module: str, what: str, seconds: float) -> Mapping[str, float]:
    """As for Tenure: a producer and a worker, each a process; the worker counts."""
    url = bench.postgres(migrated=False)
    try:
        together([Child(module, url, "fill", 0, python=bench.peers)])
        producer = Child(module, url, what, seconds, python=bench.peers)
        worker = Child(module, url, "count", seconds, python=bench.peers)
        sent, done = together([producer, worker])
        return {"rate": done["jobs"] / seconds, "sent": sent["jobs"] / seconds}
    finally:
        bench.drop(url)
