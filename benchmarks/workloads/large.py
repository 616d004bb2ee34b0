"""Large: claims beside millions of finished jobs (B77). Only with --large."""

import time
from collections.abc import Iterator
from uuid import uuid4

from benchmarks import fill
from benchmarks.bench import Bench
from benchmarks.measuring import Line
from benchmarks.workloads.pickup import percentile

FINISHED = 5_000_000
FUTURE = 1_000_000
READY = 100_000
CLAIMS = 1_000
DAY = 86_400


def measure_postgres(bench: Bench) -> Iterator[Line]:
    """Beside all of them."""
    if bench.large:
        yield _claims(bench, bench.postgres(), bench.postgres(), 1, "PostgreSQL")


def measure_sqlite(bench: Bench) -> Iterator[Line]:
    """Beside a tenth."""
    if bench.large:
        yield _claims(bench, bench.sqlite(), bench.sqlite(), 10, "SQLite, a tenth")


def _claims(bench: Bench, small: str, large: str, part: int, where: str) -> Line:
    for url in (small, large):
        fill.enqueue(url, 1)
        fill.backlog(url, bench.jobs(READY) // part)
    fill.backlog(large, bench.jobs(FUTURE) // part, state="scheduled", seconds_ahead=DAY)
    fill.backlog(large, bench.jobs(FINISHED) // part, state="succeeded")
    base = [_claim_p99(small, bench.jobs(CLAIMS)) for _ in range(bench.rounds)]
    found = [_claim_p99(large, bench.jobs(CLAIMS)) for _ in range(bench.rounds)]
    return Line(
        "claim p99 beside 5 M finished", min(found), "ms", min(found), max(found), "few", min(base),
        min(found) / min(base), where,
    )  # fmt: skip


def _claim_p99(url: str, times: int) -> float:
    """Milliseconds of a claim of ten, through the store."""
    from tenure import Tenure
    from tenure.core.claim import Ability, ClaimRequest

    app = Tenure(url)
    store = app.opened()
    spent = []
    for _claim in range(times):
        request = ClaimRequest(
            claim_id=uuid4().hex, worker="bench", holder=None, queue="default", abilities=(Ability("noop", 1, 1),),
            limit=10, tokens=[uuid4().hex for _ in range(10)],
        )  # fmt: skip
        began = time.perf_counter()
        claimed = store.run(store.verbs.claim(request), "claim")
        spent.append((time.perf_counter() - began) * 1000)
        if len(claimed.leases) < request.limit:
            raise RuntimeError("the backlog is used up")
    app.close()
    return percentile(spent, 99)
