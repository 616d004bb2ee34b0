"""The SQL files, read once. `{names}` in a file stand for column lists that core or the rows of this store own."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final

from tenure.core import attempt as attempts
from tenure.core import closing
from tenure.core import job as jobs
from tenure.core import kind as kinds
from tenure.core import lease as leases
from tenure.core.ledger import checkpoint as checkpoints
from tenure.core.ledger import effect
from tenure.core.redriving import redrive
from tenure.core.scheduling import schedule
from tenure.core.secrecy import credentials
from tenure.stores.script import Statement, T
from tenure.stores.sqlite import limit_rows
from tenure.stores.sqlite.rows import Picked

_HIGH_WATER: Final = (
    "(SELECT max(value, coalesce("
    "(SELECT created_at FROM tenure_jobs WHERE seq = (SELECT max(seq) FROM tenure_jobs)), 0)"
    ") FROM tenure_meta WHERE name = 'clock')"
)
"""The instant that time never goes behind: what was noted last, or the newest job's, whose row is note enough."""

_OF_KIND: Final = (
    "(SELECT {name} FROM tenure_flow AS rule"
    " WHERE rule.tenant = '' AND rule.kind = tenure_kinds.name AND rule.queue = '' AND rule.resource = '')"
)

_NAMES: Final = {
    "{high_water}": _HIGH_WATER,
    "{job_columns}": ", ".join(jobs.COLUMNS),
    "{lease_columns}": ", ".join(leases.FIELDS),
    "{pick_columns}": ", ".join(Picked._fields),
    "{last_columns}": ", ".join(f"attempt.{name}" for name in closing.COLUMNS),
    "{attempt_columns}": ", ".join(attempts.COLUMNS),
    "{attempt_values}": ", ".join("?" * len(attempts.COLUMNS)),
    "{kind_columns}": ", ".join([*kinds.COLUMNS, *(_OF_KIND.replace("{name}", name) for name in kinds.FLOW)]),
    "{limit_columns}": ", ".join(limit_rows.COLUMNS),
    "{key_columns}": ", ".join(credentials.COLUMNS),
    "{key_values}": ", ".join("?" * len(credentials.COLUMNS)),
    "{effect_columns}": ", ".join(effect.COLUMNS),
    "{effect_columns_asked}": ", ".join(
        "CASE WHEN ?4 THEN result END" if name == "result" else name for name in effect.COLUMNS
    ),
    "{effect_values}": ", ".join("?" * len(effect.COLUMNS)),
    "{effect_changes}": ", ".join(f"{name} = ?" for name in effect.COLUMNS),
    "{checkpoint_columns}": ", ".join(checkpoints.COLUMNS),
    "{checkpoint_values}": ", ".join("?" * len(checkpoints.COLUMNS)),
    "{redrive_columns}": ", ".join(redrive.COLUMNS),
    "{redrive_values}": ", ".join("?" * len(redrive.COLUMNS)),
    "{redrive_changes}": ", ".join(f"{name} = ?" for name in redrive.COLUMNS),
    "{frozen_columns}": ", ".join(redrive.FROZEN_COLUMNS),
    "{frozen_of_row}": ", ".join(f"row.{name}" for name in redrive.FROZEN_COLUMNS),
    "{frozen_members}": ", ".join(f"json_extract(value, '$[{place}]')" for place in range(len(redrive.FROZEN_COLUMNS))),
    "{schedule_columns}": ", ".join(schedule.COLUMNS),
    "{schedule_values}": ", ".join("?" * len(schedule.COLUMNS)),
    "{schedule_changes}": ", ".join(f"{name} = ?" for name in schedule.COLUMNS),
    "{occurrence_columns}": ", ".join(schedule.OCCURRENCE_COLUMNS),
    "{occurrence_values}": ", ".join("?" * len(schedule.OCCURRENCE_COLUMNS)),
    "{newer_values}": ", ".join("?" * 25),
    "{letter_columns}": (
        "id, tenant, queue, kind, version, coalesce(end_code, ''), attempt, max_attempts, ended_at,"
        " payload IS NOT NULL, superseded_by IS NOT NULL"
    ),
    "{changes}": ", ".join(f"{name} = ?" for name in jobs.CHANGING),
}
_NUMBERED: Final = re.compile(r"\?(\d+)")
_INSERT_ROW: Final = f"({', '.join('?' * 19)})"
_AT_LEAST_NOW: Final = f"max({_HIGH_WATER}, ?)"
_INSERT_NOW: Final = f"({'?, ' * 11}{_AT_LEAST_NOW}, {_AT_LEAST_NOW}, ?, {_AT_LEAST_NOW}{', ?' * 4})"
_INSERT_AT: Final = f"({'?, ' * 11}CASE WHEN {_HIGH_WATER} <= ? THEN ? END{', ?' * 7})"
INSERT_SIZES: Final = (100, 10, 1)
"""How many rows one insert statement takes: few sizes, so that prepared statements are found again."""


@cache
def sql(name: str) -> str:
    """The text of `sql/<name>.sql`."""
    text = files("tenure.stores.sqlite").joinpath("sql", f"{name}.sql").read_text(encoding="utf-8").strip()
    for mark, columns in _NAMES.items():
        text = text.replace(mark, columns)
    return text


def statement(name: str, args: tuple[Any, ...]) -> Statement:
    """`sql/<name>.sql` with its arguments. A file may number its parameters (`?1`) to use one twice; the drivers
    take a sequence for plain ones only."""
    text, order = _plain(name)
    return Statement(text, args if order is None else tuple(args[place] for place in order))


@cache
def _plain(name: str) -> tuple[str, tuple[int, ...] | None]:
    """The text without numbers, and the places of the arguments in the order of its parameters."""
    numbered = sql(name)
    order = tuple(int(number) - 1 for number in _NUMBERED.findall(numbered))
    return _NUMBERED.sub("?", numbered), order or None


@lru_cache(maxsize=len(INSERT_SIZES))
def insert_of(rows: int) -> str:
    """`insert.sql` for so many rows."""
    return sql("insert").replace("{rows}", ", ".join([_INSERT_ROW] * rows))


INSERT_NOW: Final = sql("insert").replace("{rows}", _INSERT_NOW)
"""`insert.sql` for one job that is due at once. It looks for the store's instant itself, so it needs no transaction
around it. In a group it may be joined with others', at the group's instant (`new_rows.at`)."""
INSERT_ALONE: Final = (
    sql("insert")
    .replace("INSERT INTO", "INSERT OR IGNORE INTO")
    .replace("{rows}", _INSERT_AT)
    .partition("ON CONFLICT")[0]
)
"""INSERT_NOW where time never went beyond its instant, with the arguments of `new_rows.alone`: that is looked at once,
and nothing needs to be read back. Where time did, `created_at` is NULL, and the row is ignored as one with a known key
is. What it does not insert is left to INSERT_NOW, which says why."""


def pieces(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """`items` in order, in pieces of the sizes of INSERT_SIZES."""
    start = 0
    for size in INSERT_SIZES:
        while len(items) - start >= size:
            yield items[start : start + size]
            start += size


TICK: Final = sql("tick")
"""Raises the store's high-water instant, and answers it. A store's own writer answers it from the transaction's
instant instead, and writes that once, and only where something else was written."""


def notes_its_instant(text: str) -> bool:
    """Whether what a statement writes holds the transaction's instant where `{high_water}` looks for it."""
    return text.startswith("INSERT INTO tenure_jobs ")


def is_read(text: str) -> bool:
    """Whether a statement only reads, and may begin a script outside the writer. The files keep to it."""
    return text.startswith("SELECT")
