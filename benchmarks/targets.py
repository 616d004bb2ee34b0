"""What each workload has to reach: first when the house stands, then where we mean to be."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Goal:
    """A bound on the ratio to the counterpart, or, with `of="figure"`, on the absolute figure."""

    bound: float
    of: str = "ratio"
    least: bool = True

    def is_met(self, figure: float, ratio: float | None) -> bool | None:
        """None: it can't be told, the counterpart was not measured."""
        value = figure if self.of == "figure" else ratio
        if value is None:
            return None
        return value >= self.bound if self.least else value <= self.bound

    def __str__(self) -> str:
        sign = "≥" if self.least else "≤"
        return f"{sign} {self.bound:,g}" + ("×" if self.of == "ratio" else "")


def at_least(bound: float, of: str = "ratio") -> Goal:
    return Goal(bound, of, least=True)


def at_most(bound: float, of: str = "ratio") -> Goal:
    return Goal(bound, of, least=False)


Goals = tuple[Goal | None, Goal | None]

TARGETS: Final[dict[str, Goals]] = {
    "PG drain, 1 worker": (at_least(0.45), at_least(0.7)),
    "PG drain, 2 workers": (at_least(0.5), at_least(0.75)),
    "PG drain, sync handler": (at_least(0.3), at_least(0.5)),
    "PG enqueue, one by one": (at_least(0.7), at_least(0.85)),
    "PG enqueue, bulk of 1,000": (at_least(0.4), at_least(0.6)),
    "PG mixed, singles": (at_least(1.5), at_least(1.7)),
    "PG mixed, bulk of 100": (at_least(1.0), at_least(1.3)),
    "PG pick-up p50": (at_most(3.0), at_most(2.0)),
    "PG pick-up p99": (at_most(4.0, "figure"), at_most(2.0, "figure")),
    "SQLite drain, 1 worker": (at_least(4.0), at_least(8.0)),
    "SQLite drain, 2 workers": (at_least(1.0), at_least(1.3)),
    "SQLite enqueue, one caller": (at_least(0.6), at_least(0.8)),
    "SQLite enqueue, 200 callers": (at_least(30_000, "figure"), at_least(60_000, "figure")),
    "SQLite pick-up p50, same process": (at_most(2.0, "figure"), at_most(1.0, "figure")),
    "SQLite pick-up p50, other process": (at_most(15.0, "figure"), at_most(5.0, "figure")),
    "PG HTTP POST /jobs": (at_least(0.35), None),
    "PG HTTP POST /jobs, same insert": (None, at_least(0.6)),
    "SQLite HTTP POST /jobs": (at_least(0.35), None),
    "SQLite HTTP POST /jobs, same insert": (None, at_least(0.6)),
    "growth": (at_most(2.0), at_most(1.2)),
    "idle worker, CPU": (at_most(0.4, "figure"), at_most(0.2, "figure")),
    "idle worker, memory": (at_most(45.0, "figure"), at_most(40.0, "figure")),
    "memory growth": (at_most(5.0, "figure"), at_most(5.0, "figure")),
    "import tenure": (at_most(200.0, "figure"), at_most(120.0, "figure")),
    "start to first claim": (at_most(1.0, "figure"), at_most(0.5, "figure")),
    "claim p99 beside 5 M finished": (at_most(2.0), at_most(2.0)),
    "throughput under a held snapshot": (at_least(0.8), at_least(0.8)),
}
