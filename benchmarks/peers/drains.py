"""The peers' drains, each in the words of its own manual, with as many slots as Tenure has."""

from collections.abc import Mapping

from benchmarks.bench import Bench
from benchmarks.children import Child, rate_of, together


def pgqueuer(bench: Bench, jobs: int, workers: int) -> Mapping[str, float]:
    return _on_postgres(bench, "benchmarks.peers.postgres_pgqueuer", jobs, workers)


def oban(bench: Bench, jobs: int, workers: int) -> Mapping[str, float]:
    return _on_postgres(bench, "benchmarks.peers.postgres_oban", jobs, workers)


def huey(bench: Bench, jobs: int) -> Mapping[str, float]:
    child = Child("benchmarks.peers.sqlite_huey", bench.file(), jobs, python=bench.peers)
    return {"rate": rate_of(together([child]))}


def _on_postgres(bench: Bench, module: str, jobs: int, workers: int) -> Mapping[str, float]:
    url = bench.postgres(migrated=False)
    try:
        together([Child(module, url, "fill", jobs, python=bench.peers)])
        bench.server.execute("CHECKPOINT")
        each = -(-jobs // workers) if workers == 1 else jobs
        return {
            "rate": rate_of(together([Child(module, url, "drain", each, python=bench.peers) for _ in range(workers)]))
        }
    finally:
        bench.drop(url)
