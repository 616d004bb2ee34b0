"""The table for people, and the same as JSON."""

import json
import os
import platform
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measuring import Line
from benchmarks.targets import TARGETS

WIDTH = 160
_COLOURS = {"good": "green", "ok": "green", "short": "red", "?": "yellow"}


def table(lines: Sequence[Line]) -> None:
    """Prints the figures."""
    shown = Table(caption=f"{machine()} — only ratios of one run count")
    for title in ("workload", "Tenure", "least … most", "beside", "there", "ratio", "first", "then", "verdict"):
        shown.add_column(title, justify="left" if title in ("workload", "beside", "verdict") else "right")
    for line in lines:
        first, then = TARGETS.get(line.workload, (None, None))
        shown.add_row(
            line.workload,
            _number(line.figure, line.unit),
            f"{_number(line.low)} … {_number(line.high)}" if line.low != line.high else "",
            line.beside or "",
            _number(line.base) if line.beside else "",
            f"{line.ratio:.2f}" if line.ratio is not None else "",
            str(first or ""),
            str(then or ""),
            _verdict(line),
        )
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    console.print(shown)


def as_json(lines: Sequence[Line], settings: dict[str, Any]) -> str:
    """All of it, machine-readable."""
    rows = [asdict(line) | {"verdict": line.verdict} for line in lines]
    return json.dumps({"machine": machine(), "settings": settings, "lines": rows}, indent=2, ensure_ascii=False)


def machine() -> str:
    return (
        f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}"
    )


def _verdict(line: Line) -> str:
    coloured = f"[{_COLOURS[line.verdict]}]{line.verdict}[/]" if line.verdict else ""
    return f"{coloured} {line.note}".strip()


def _number(value: float | None, unit: str = "") -> str:
    if value is None:
        return "not measured"
    text = f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.3g}"
    return f"{text} {unit}".strip()
