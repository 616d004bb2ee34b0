"""Flow: what a claim of ten and its completion cost beside many tenants, beside lanes from which nothing is to start,
and where low priorities get on; then how long low and urgent jobs wait for each other (`starving`).

Each case has its own database; they are asked in turns, so that what else the machine does is everybody's.
"""

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any
from uuid import uuid4

from benchmarks import fill
from benchmarks.bench import Bench
from benchmarks.measuring import Line
from benchmarks.workloads import starving

TENANTS = 100_000
HELD = 1_000_000
PLAIN = 20_000
CLAIMS = 200
WARM = 20
DAY = 86_400
AT_THE_FRONT = "!"
"""A tenant that comes before all others."""


def measure_postgres(bench: Bench) -> Iterator[Line]:
    """On PostgreSQL."""
    yield from _measure(bench, bench.postgres, 1, "PostgreSQL")
    yield from starving.measure(bench, bench.postgres, "PostgreSQL")


def measure_sqlite(bench: Bench) -> Iterator[Line]:
    """On SQLite, beside a tenth."""
    yield from _measure(bench, bench.sqlite, 10, "SQLite, a tenth")
    yield from starving.measure(bench, bench.sqlite, "SQLite")


def _measure(bench: Bench, fresh: Callable[[], str], part: int, where: str) -> Iterator[Line]:
    held, tenants = bench.jobs(HELD) // part, max(1, bench.jobs(TENANTS) // part)
    cases = {name: _Case(fresh(), bench) for name in ("plain", *_CASES)}
    cases["one of 100,000 tenants"].fill(held, tenants=tenants)
    for name in ("beside a paused tenant", "beside a tenant at its limit", "beside a tenant at its rate"):
        cases[name].fill(held, tenant=AT_THE_FRONT)
    cases["beside 100,000 tenants of the future"].fill(held, tenants=tenants, state="scheduled", seconds_ahead=DAY)
    cases["beside a paused tenant"].app.pause(tenant=AT_THE_FRONT)
    cases["beside a tenant at its limit"].app.set_limit(tenant=AT_THE_FRONT, concurrency=1)
    cases["beside a tenant at its limit"].begin_one(AT_THE_FRONT)
    cases["beside a tenant at its rate"].app.set_limit(tenant=AT_THE_FRONT, rate="1/d", burst=1)
    cases["with weights"].app.set_weight("default", 3)
    cases["under a limit"].app.set_limit(concurrency=1000)
    for name, said in (("with a reserve", {"reserve": "10%:-10"}), ("with aging", {"aging": 0.001})):
        cases[name].fill(held, tenants=tenants, priority=-10)
        cases[name].app.set_relief("default", **said)
    spent = _in_turns(bench, cases)
    base = spent.pop("plain")
    for name, figures in spent.items():
        ratio = median(mine / theirs for mine, theirs in zip(figures, base, strict=True))
        figure, low, high = median(figures), min(figures), max(figures)
        yield Line("claim of 10", figure, "ms", low, high, "plain queue", median(base), ratio, f"{where}: {name}")
    for case in cases.values():
        case.app.close()


_CASES = (
    "one of 100,000 tenants",
    "beside a paused tenant",
    "beside a tenant at its limit",
    "beside a tenant at its rate",
    "beside 100,000 tenants of the future",
    "with weights",
    "under a limit",
    "with a reserve",
    "with aging",
)


def _in_turns(bench: Bench, cases: "dict[str, _Case]") -> dict[str, list[float]]:
    """Milliseconds a claim, of each round."""
    spent: dict[str, list[float]] = {name: [] for name in cases}
    for case in cases.values():
        case.claims(WARM)
    for _round in range(bench.rounds):
        for name, case in cases.items():
            spent[name].append(case.claims(bench.jobs(CLAIMS)))
            bench.tell(f"  {name}: {spent[name][-1]:.2f} ms")
    return spent


class _Case:
    """A database with a plain queue, and what is filled in beside it."""

    def __init__(self, url: str, bench: Bench) -> None:
        from tenure import Tenure
        from tenure.core.claim import Cursors

        fill.enqueue(url, 1)
        fill.backlog(url, max(bench.jobs(PLAIN), 10 * (WARM + bench.rounds * bench.jobs(CLAIMS))))
        self._url = url
        self.app = Tenure(url)
        self._store = self.app.opened()
        self._at = Cursors()

    def fill(
        self,
        jobs: int,
        *,
        tenant: str = "t",
        tenants: int = 0,
        state: str = "ready",
        seconds_ahead: int = 0,
        priority: int = 0,
    ) -> None:
        """As `fill.backlog`."""
        said = {"state": state, "seconds_ahead": seconds_ahead, "priority": priority}
        fill.backlog(self._url, jobs, tenant=tenant, tenants=tenants, **said)

    def begin_one(self, tenant: str) -> None:
        """A job of the tenant runs from now on."""
        claimed = self._store.run(self._store.verbs.claim(self._request(1, tenants=(tenant,))), "claim")
        if len(claimed.leases) != 1:
            raise RuntimeError("nothing began")

    def claims(self, times: int) -> float:
        """Milliseconds that one takes, with the completion of its jobs."""
        spent = [self._claim() for _ in range(times)]
        return 1000 * sum(spent) / len(spent)

    def _claim(self) -> float:
        from tenure.core.reports import Completion

        verbs, request = (
            self._store.verbs,
            self._request(10, after=self._at.after, owed=self._at.owed, credit=self._at.credit),
        )
        began = time.perf_counter()
        claimed = self._store.run(verbs.claim(request), "claim")
        done = [Completion(lease.job_id, lease.token, None) for lease in claimed.leases]
        self._store.run(verbs.complete(done), "claim")
        spent = time.perf_counter() - began
        self._at = self._at.past(claimed)
        if len(done) < request.limit:
            raise RuntimeError("the backlog is used up")
        return spent

    def _request(self, limit: int, **said: Any) -> Any:
        from tenure.core.claim import Ability, ClaimRequest

        return ClaimRequest(
            claim_id=uuid4().hex, worker="bench", holder=None, queue="default", abilities=(Ability("noop", 1, 1),),
            limit=limit, tokens=[uuid4().hex for _ in range(limit)], lease_seconds=3600.0, **said,
        )  # fmt: skip
