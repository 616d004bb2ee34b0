"""Starvation: how long low jobs wait while there is always more urgent work than can be done, and how long urgent ones
do.

Workers claim one job at a time and spend a moment on it; a producer sees to it that urgent jobs wait at any time, and a
low one comes now and then. Once with strict priorities, once with aging, once with a reserve.
"""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any
from uuid import uuid4

from benchmarks.bench import Bench
from benchmarks.measuring import Line

SECONDS = 20.0
WORKERS = 4
WORK = 0.01
"""Seconds that a job takes."""
WAITING = 100
"""Urgent jobs that wait at any time."""
LOW_ONES = 50
"""Over the whole time."""
STEPS = 60
"""So many steps of aging go into the whole time; three lie between a low and an urgent job."""
URGENT = 30


def measure(bench: Bench, fresh: Callable[[], str], where: str) -> Iterator[Line]:
    """A line for each rule."""
    seconds = bench.seconds(SECONDS)
    rules: dict[str, dict[str, Any]] = {
        "strict": {},
        "aging": {"aging": seconds / STEPS},
        "a reserve of 10 %": {"reserve": "10%"},
    }
    for name, said in rules.items():
        flood = _Flood(fresh(), seconds, said)
        flood.run()
        yield flood.line(f"{where}: {name}")
        bench.tell(f"  {name}: {flood.told()}")


@dataclass
class _Flood:
    url: str
    seconds: float
    said: dict[str, Any]
    waits: dict[int, list[float]] = field(default_factory=lambda: {0: [], URGENT: []})
    came: int = 0
    errors: list[BaseException] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._over, self._flooded, self._lock = threading.Event(), threading.Event(), threading.Lock()

    def run(self) -> None:
        """Raises what a thread raised."""
        threads = [
            threading.Thread(target=self._guarded, args=(work,)) for work in [self._produce, *[self._work] * WORKERS]
        ]
        for thread in threads:
            thread.start()
        self._over.wait(self.seconds)
        self._over.set()
        for thread in threads:
            thread.join()
        for error in self.errors:
            raise error

    def line(self, note: str) -> Line:
        low, urgent = sorted(self.waits[0]), self.waits[URGENT]
        base = median(urgent) if urgent else None
        if not low or base is None:
            return Line("wait of low jobs", None, "s", beside="urgent jobs", base=base, note=f"{note}; {self.told()}")
        figure = median(low)
        return Line(
            "wait of low jobs",
            figure,
            "s",
            low[0],
            low[-1],
            "urgent jobs",
            base,
            figure / base,
            f"{note}; {self.told()}",
        )

    def told(self) -> str:
        low, urgent = self.waits[0], self.waits[URGENT]
        longest = f", {max(urgent):.2f} s at most" if urgent else ""
        return (
            f"{len(low)} of {self.came} low jobs started in {self.seconds:g} s, "
            f"{len(low) / (len(low) + len(urgent)):.0%} of the starts; urgent "
            f"{len(urgent) / self.seconds:,.0f}/s{longest}"
        )

    def _guarded(self, work: Callable[[Any], None]) -> None:
        from benchmarks import jobs as declared
        from tenure import Tenure

        app = Tenure(self.url)
        app.tasks.update(declared.app.tasks)
        try:
            work(app)
        except BaseException as error:  # noqa: BLE001 (raised by `run`)
            self.errors.append(error)
            self._over.set()
            self._flooded.set()
        finally:
            app.close()

    def _produce(self, app: Any) -> None:
        app.declare_kinds()
        app.set_relief("default", **self.said)
        task, sent = app.tasks["noop"], 0
        urgent, low = task.using(priority="critical"), task.using(priority="low")
        began = time.monotonic()
        while not self._over.is_set():
            missing = WAITING - (sent - len(self.waits[URGENT]))
            if missing > 0:
                app.enqueue_many([urgent.item(number=n) for n in range(missing)])
                sent += missing
                self._flooded.set()
            if self.came < LOW_ONES * (time.monotonic() - began) / self.seconds:
                app.enqueue_many([low.item(number=self.came)])
                self.came += 1
            self._over.wait(0.02)

    def _work(self, app: Any) -> None:
        from tenure.core.claim import Cursors
        from tenure.core.reports import Completion

        store, at = app.opened(), Cursors()
        self._flooded.wait()
        while not self._over.is_set():
            claimed = store.run(store.verbs.claim(self._request(at)), "claim")
            at = at.past(claimed)
            with self._lock:
                for lease in claimed.leases:
                    self.waits[0 if lease.priority < URGENT else URGENT].append(
                        (lease.started_at - lease.run_at).total_seconds()
                    )
            self._over.wait(WORK)
            done = [Completion(lease.job_id, lease.token, None) for lease in claimed.leases]
            store.run(store.verbs.complete(done), "claim")

    def _request(self, at: Any) -> Any:
        from tenure.core.claim import Ability, ClaimRequest

        return ClaimRequest(
            claim_id=uuid4().hex, worker="bench", holder=None, queue="default", abilities=(Ability("noop", 1, 1),),
            limit=1, tokens=[uuid4().hex], after=at.after, owed=at.owed, credit=at.credit,
        )  # fmt: skip
