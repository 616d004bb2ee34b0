"""Reads a ledger: a CSV file with the columns account, date, description and amount.

A row that cannot be read withholds its account's statement for its month and for all later months, since their
balances would be wrong. When its date cannot be read, it withholds all statements of its account; when its account
cannot be read, it could belong to any, and withholds every statement of the file.
"""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from statements import rows
from statements.rows import COLUMNS, Entry, Unreadable

T = TypeVar("T")


class NotALedger(ValueError):
    """The file is not a ledger at all, since it has no header, or not the columns; or no statement can be made of
    it."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be read, and what of it could."""

    file: str
    line: int
    reason: str
    account: str | None = None
    month: str | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"

    def withholds(self, account: str, month: str) -> bool:
        """Whether the statement of that account and month cannot be trusted because of this row."""
        if self.account is None or self.account != account:
            return self.account is None
        return self.month is None or self.month <= month


@dataclass(frozen=True, slots=True)
class Withheld:
    """A statement that is not made, and the first row that is to blame."""

    account: str
    month: str
    because: BadRow


@dataclass(slots=True)
class Ledger:
    """Entries by account, by date and inside a day in the order of the file; and the rows that could not be read."""

    file: str
    entries: dict[str, list[Entry]] = field(default_factory=dict)
    bad: list[BadRow] = field(default_factory=list)

    def periods(self) -> tuple[list[tuple[str, str]], list[Withheld]]:
        """Every account and month that the file names, sorted: those to be done, and those withheld."""
        done, withheld = [], []
        for account, month in sorted(self._named()):
            blame = next((row for row in self.bad if row.withholds(account, month)), None)
            if blame is None:
                done.append((account, month))
            else:
                withheld.append(Withheld(account, month, blame))
        return done, withheld

    def _named(self) -> set[tuple[str, str]]:
        read = {(account, entry.month) for account, entries in self.entries.items() for entry in entries}
        return read | {(row.account, row.month) for row in self.bad if row.account and row.month}


def read_ledger(path: Path) -> Ledger:
    """Raises NotALedger for a file without the columns, OSError for one that cannot be opened.

    Bytes that are no UTF-8 make their row bad, not the file.
    """
    ledger = Ledger(path.name)
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        lines = _numbered(file)
        order = _order(next(lines, None), path)
        for line, cells in lines:
            if isinstance(cells, csv.Error):
                ledger.bad.append(BadRow(ledger.file, line, f"the rest of the file is no CSV: {cells}"))
            elif cells:
                _take(ledger, line, cells, order)
    for entries in ledger.entries.values():
        entries.sort(key=lambda entry: entry.date)
    return ledger


def _numbered(file: Iterator[str]) -> Iterator[tuple[int, list[str] | csv.Error]]:
    """Rows with the line on which each begins; broken CSV ends them with its error."""
    reader = csv.reader(file, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, error
            return


def _order(first: tuple[int, list[str] | csv.Error] | None, path: Path) -> list[int]:
    """Where in a row each of COLUMNS stands."""
    names = [] if first is None or isinstance(first[1], csv.Error) else [cell.strip().lower() for cell in first[1]]
    if sorted(names) != sorted(COLUMNS):
        raise NotALedger(f"{path.name}: the first line must name the columns {', '.join(COLUMNS)}")
    return [names.index(column) for column in COLUMNS]


def _take(ledger: Ledger, line: int, cells: list[str], order: list[int]) -> None:
    """Adds a row as an entry; or as a bad one, with as much of it as can be read."""
    reasons: list[str] = []
    if len(cells) != len(COLUMNS):
        reasons.append(f"the row has {len(cells)} fields, not {len(COLUMNS)}")
    texts = [cells[place] if place < len(cells) else "" for place in order]
    account = _try(rows.account, texts[0], reasons)
    day = _try(rows.day, texts[1], reasons)
    description = _try(rows.description, texts[2], reasons)
    amount = _try(rows.amount, texts[3], reasons)
    if account and day and description and amount is not None and not reasons:
        ledger.entries.setdefault(account, []).append(Entry(account, day, description, amount, line))
        return
    if len(cells) != len(COLUMNS) and day is None:
        account = None  # the fields may be shifted: what stands in the account's place may be something else
    month = None if day is None else rows.month_of(day)
    ledger.bad.append(BadRow(ledger.file, line, "; ".join(reasons), account, month))


def _try(read: Callable[[str], T], text: str, reasons: list[str]) -> T | None:
    try:
        return read(text)
    except Unreadable as error:
        reasons.append(str(error))
        return None
