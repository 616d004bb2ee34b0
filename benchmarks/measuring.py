"""How a figure comes about: contestants in turns, several rounds, medians; ratios within a round.

Absolute rates drift with the machine and with whoever else uses it, ratios of one round much less.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median

from benchmarks.targets import TARGETS

Measure = Callable[[], Mapping[str, float]]


class NotMeasured(Exception):
    """A contestant that cannot run here, and why. It is left out; the others are measured."""


@dataclass
class Taken:
    """The figures of each contestant, one entry a round."""

    rounds: dict[str, list[Mapping[str, float]]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def figures(self, contestant: str, name: str) -> list[float]:
        return [taken[name] for taken in self.rounds.get(contestant, [])]

    def ratio(self, ours: str, other: str, name: str) -> float | None:
        """The median of the rounds' ratios; None when one of the two is missing."""
        pairs = list(zip(self.figures(ours, name), self.figures(other, name), strict=False))
        return median(mine / theirs for mine, theirs in pairs) if pairs else None


@dataclass(frozen=True)
class Line:
    """One row of the report. `low` and `high` are the extremes of the rounds: how noisy it was."""

    workload: str
    figure: float | None
    unit: str
    low: float | None = None
    high: float | None = None
    beside: str | None = None
    base: float | None = None
    ratio: float | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        """ok: the first goal is met; good: the second too; short: neither; empty where nothing is asked."""
        first, then = TARGETS.get(self.workload, (None, None))
        if first is None or self.figure is None:
            return ""
        met = first.is_met(self.figure, self.ratio)
        if met is None:
            return "?"
        if not met:
            return "short"
        return "good" if then is not None and then.is_met(self.figure, self.ratio) else "ok"


def take(contestants: Mapping[str, Measure], rounds: int, tell: Callable[[str], None]) -> Taken:
    """Measures each contestant once a round, the order turned by one from round to round."""
    taken = Taken()
    names = list(contestants)
    for number in range(rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            if name in taken.missing:
                continue
            try:
                figures = contestants[name]()
            except NotMeasured as reason:
                taken.missing[name] = str(reason)
                tell(f"  {name}: not measured: {reason}")
                continue
            taken.rounds.setdefault(name, []).append(figures)
            tell(f"  {name}: " + ", ".join(f"{key} {value:,.5g}" for key, value in figures.items()))
    return taken


def line(
    taken: Taken, workload: str, ours: str, beside: str | None, unit: str, name: str = "rate", note: str = ""
) -> Line:
    """Our figure beside a counterpart's. A contestant that is missing makes a line that says so."""
    mine = taken.figures(ours, name)
    if not mine:
        return Line(workload, None, unit, beside=beside, note=taken.missing.get(ours, "not measured"))
    base = taken.figures(beside, name) if beside else []
    if beside and not base:
        note = f"{beside}: {taken.missing.get(beside, 'not measured')}"
    return Line(
        workload,
        median(mine),
        unit,
        min(mine),
        max(mine),
        beside,
        median(base) if base else None,
        taken.ratio(ours, beside, name) if beside else None,
        note,
    )
