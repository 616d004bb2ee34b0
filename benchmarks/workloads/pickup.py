"""Pick-up: from the return of an enqueue to the first line of the handler, with an idle worker."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import quantiles

from benchmarks.bare import postgres, postgres_pickup
from benchmarks.bench import Bench
from benchmarks.children import Child, dismiss, together
from benchmarks.measuring import Line, line
from benchmarks.producer import WARM_UP
from benchmarks.workers import crew

JOBS = 200
SLOTS = 10


def measure_postgres(bench: Bench) -> Iterator[Line]:
    """Beside insert, NOTIFY and claim by hand."""
    jobs = bench.jobs(JOBS)
    taken = bench.take(
        {
            "bare": lambda: _bare(bench, jobs),
            "tenure": lambda: _postgres(bench, jobs),
        }
    )
    yield line(taken, "PG pick-up p50", "tenure", "bare", "ms", "p50")
    yield line(taken, "PG pick-up p99", "tenure", "bare", "ms", "p99")


def measure_sqlite(bench: Bench) -> Iterator[Line]:
    """A worker in the producer's own process, and one in another."""
    jobs = bench.jobs(JOBS)
    taken = bench.take(
        {
            "same": lambda: _same_process(bench, jobs),
            "other": lambda: _other_process(bench, bench.sqlite(), jobs),
        }
    )
    yield line(taken, "SQLite pick-up p50, same process", "same", None, "ms", "p50")
    yield line(taken, "SQLite pick-up p50, other process", "other", None, "ms", "p50")
    yield line(taken, "SQLite pick-up p99, other process", "other", None, "ms", "p99")


def _other_process(bench: Bench, url: str, jobs: int) -> Mapping[str, float]:
    producer = Child("benchmarks.producer", url, "pickup", jobs).await_ready()
    try:
        with crew(bench, url, 1, SLOTS) as group:
            group.start()
            producer.go()
            sent = producer.answer()["at"]
            group.await_done(jobs + WARM_UP)
            (started,) = group.leave()
    finally:
        dismiss([producer])
    return _latencies(sent, started)


def _postgres(bench: Bench, jobs: int) -> Mapping[str, float]:
    url = bench.postgres()
    try:
        return _other_process(bench, url, jobs)
    finally:
        bench.drop(url)


def _same_process(bench: Bench, jobs: int) -> Mapping[str, float]:
    (said,) = together([Child("benchmarks.one_process", bench.sqlite(), SLOTS, jobs)])
    return _latencies(said["sent"], said["started"])


def _bare(bench: Bench, jobs: int) -> Mapping[str, float]:
    url = bench.postgres(migrated=False)
    try:
        postgres.prepare(url)
        module = postgres_pickup.__name__
        claimed, sent = together([Child(module, url, "listen", jobs), Child(module, url, "send", jobs)])
        return _latencies(sent["at"], claimed["at"])
    finally:
        bench.drop(url)


def _latencies(sent: Mapping[str, float], started: Mapping[str, float]) -> Mapping[str, float]:
    """Milliseconds. A handler that was faster than its enqueue's return waited no time."""
    waits = [max(started[number] - at, 0.0) * 1000 for number, at in sent.items()]
    return {"p50": percentile(waits, 50), "p99": percentile(waits, 99)}


def percentile(values: Sequence[float], nth: int) -> float:
    return quantiles(values, n=100, method="inclusive")[nth - 1]
