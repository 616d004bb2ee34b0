"""`scripts/bench`: figures beside the same work with no library and beside peers, always as ratios of one run."""

import argparse
import importlib
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from benchmarks import report
from benchmarks.bench import Bench
from benchmarks.measuring import Line

WORKLOADS = ("drain", "enqueue", "mixed", "pickup", "http", "growth", "idle", "start", "flow", "snapshot", "large")
FAILED = "failed:"
STORES = ("postgres", "sqlite")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints, and answers 1 when a first goal is missed or a workload failed."""
    said = _parser().parse_args(arguments)
    only = said.only.split(",") if said.only else list(WORKLOADS)
    unknown = sorted(set(only) - set(WORKLOADS))
    if unknown:
        print(f"unknown workload {', '.join(unknown)}; there are {', '.join(WORKLOADS)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="tenure-bench-", dir=said.folder) as folder:
        bench = Bench(
            Path(folder), quick=said.quick, tiny=said.tiny, rounds=said.rounds, peers=said.peers, large=said.large,
            lasting=said.seconds,
        )  # fmt: skip
        lines = run(bench, only, [said.store] if said.store else list(STORES))
    if said.json:
        print(report.as_json(lines, vars(said)))
    else:
        report.table(lines)
    return 1 if any(line.verdict == "short" or line.note.startswith(FAILED) for line in lines) else 0


def run(bench: Bench, workloads: Sequence[str], stores: Sequence[str]) -> list[Line]:
    """The lines of all of them, in order."""
    lines: list[Line] = []
    for name in workloads:
        module = importlib.import_module(f"benchmarks.workloads.{name}")
        for store in stores:
            bench.tell(f"{name}, {store}")
            try:
                lines += getattr(module, f"measure_{store}")(bench)
            except Exception as error:  # noqa: BLE001 (the other workloads are measured, and the exit code says it)
                traceback.print_exc()
                lines.append(Line(f"{name}, {store}", None, "", note=f"{FAILED} {error!r}"))
    return lines


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--only", metavar="NAMES", help=f"some of {','.join(WORKLOADS)}")
    parser.add_argument("--store", choices=STORES, help="one of the databases")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured; medians count (3)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the work: to see that it runs")
    parser.add_argument("--tiny", action="store_true", help="next to no work: for a test")
    parser.add_argument("--large", action="store_true", help="the workload large, which takes long, too")
    parser.add_argument("--seconds", type=float, help="how long the workload snapshot keeps each side busy (60)")
    parser.add_argument("--json", action="store_true", help="machine-readable")
    parser.add_argument("--folder", help="where SQLite files are made; a real disk, for honest figures")
    parser.add_argument(
        "--peers", default=sys.executable, metavar="PYTHON",
        help="an interpreter with pgqueuer, oban and huey installed (this one)",
    )  # fmt: skip
    return parser


if __name__ == "__main__":
    sys.exit(main())
