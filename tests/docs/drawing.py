"""Tables of the reference that are drawn from the code, between two marks of a page.

    <!-- drawn: exit-codes -->
    …
    <!-- end -->

Where a table has a column that people write, its cells are kept, by the row's first cell; a new row has it empty until
somebody fills it in. `python -m tests.docs.drawn` draws every page anew.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

MARKS = re.compile(r"(?P<head><!-- drawn: (?P<name>[\w-]+) -->\n)(?P<body>.*?)(?P<end><!-- end -->)", re.DOTALL)
_CELLS = re.compile(r"(?<!\\)\|")


class Table(NamedTuple):
    """rows: the cells that are drawn. words: the heading of a last column that people write, if there is one."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: str = ""


Drawing = Callable[[], Table | str]


def redrawn(text: str, drawings: dict[str, Drawing]) -> str:
    """The text of a page with every drawn part as the code has it now. Raises KeyError for a name without drawing."""

    def part(found: re.Match[str]) -> str:
        made = drawings[found["name"]]()
        body = made if isinstance(made, str) else _table(made, found["body"])
        return f"{found['head']}{body}\n{found['end']}"

    return MARKS.sub(part, text)


def rows_of(body: str) -> list[list[str]]:
    """The cells of a table in Markdown, without its headings."""
    lines = [line for line in body.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in _CELLS.split(line)[1:-1]] for line in lines[2:]]


def without_words(text: str, drawings: dict[str, Drawing]) -> list[str]:
    """The first cells of the rows for which nobody has written anything yet."""
    found = []
    for part in MARKS.finditer(text):
        made = drawings[part["name"]]()
        if isinstance(made, Table) and made.words:
            found += [row[0] for row in rows_of(part["body"]) if not row[-1]]
    return found


def _table(table: Table, before: str) -> str:
    kept = {row[0]: row[-1] for row in rows_of(before) if len(row) == len(table.headings) + 1}
    headings, rows = list(table.headings), [[_cell(cell) for cell in row] for row in table.rows]
    if table.words:
        headings.append(table.words)
        rows = [[*row, kept.get(row[0], "")] for row in rows]
    return "\n".join(_line(cells) for cells in [headings, ["---"] * len(headings), *rows])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
