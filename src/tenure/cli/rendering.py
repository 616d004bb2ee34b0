"""Tables and JSON. On a terminal rich draws the tables, if it is installed and they fit; elsewhere they are plain
text, in which a row that is longer than the terminal goes on in the next line."""

import importlib.util
import shutil
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import click
import msgspec

from tenure.core.secrecy.cleaning import shown

GAP = "  "
_LAST: Final = 24
"""Columns that the last one of a table needs at least, where it is longer and can be wrapped."""
_PADDING: Final = 3


def print_json(value: Any) -> None:
    """One JSON document, indented."""
    click.echo(shown(msgspec.json.format(msgspec.json.encode(value), indent=2).decode()))


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], empty: str) -> None:
    """Rows under headings; `empty` is said where there are none."""
    cells = [[shown(cell) for cell in row] for row in rows]
    if not cells:
        click.echo(empty)
    elif is_rich() and _fits(headings, cells):
        _print_rich(headings, cells)
    else:
        room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        click.echo("\n".join(plain_table(headings, cells, room)))


def is_rich() -> bool:
    """Whether the output is a terminal and rich is installed."""
    return sys.stdout.isatty() and importlib.util.find_spec("rich") is not None


def plain_table(headings: Sequence[str], rows: Sequence[Sequence[str]], room: int | None = None) -> list[str]:
    """The lines of a table with aligned columns. room: how many characters a line may have; a longer row goes on
    indented below itself, cut between its columns."""
    lines = [headings, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    parts = _parts(widths, room)
    table = []
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        first, *others = [GAP.join(cells[part]).rstrip() for part in parts]
        table += [first, *(GAP + other for other in others if other)]
    return table


def _parts(widths: Sequence[int], room: int | None) -> list[slice]:
    """Which columns stand beside each other in one line."""
    parts, begin, used = [], 0, 0
    for column, width in enumerate(widths):
        if room is not None and column > begin and used + width > room:
            parts.append(slice(begin, column))
            begin, used = column, len(GAP)
        used += width + len(GAP)
    return [*parts, slice(begin, len(widths))]


def instant(value: datetime | None) -> str:
    """An instant to the second, in UTC."""
    return "" if value is None else value.strftime("%Y-%m-%d %H:%M:%SZ")


def duration(seconds: float) -> str:
    """A length of time in words: `0.4 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{hours // 24} d {hours % 24} h"


def _fits(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether rich can show every column whole but the last, which it may wrap."""
    widths = [max(len(line[column]) for line in (headings, *rows)) for column in range(len(headings))]
    needed = sum(widths[:-1]) + min(widths[-1], _LAST) + _PADDING * len(widths)
    return needed <= shutil.get_terminal_size().columns


def _print_rich(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD)
    for heading in headings[:-1]:
        table.add_column(heading, no_wrap=True)
    table.add_column(headings[-1])
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)
