"""The SQL files. Each statement takes a JSON text, `$1`, and but for `insert_one` nothing else; every parameter is text
and is used once, so that the same statement runs on psycopg, asyncpg, SQLAlchemy and Django, on an own connection or on
a caller's."""

import re
from functools import cache
from importlib.resources import files
from typing import Final

from tenure.stores.script import Statement

_COMPLETE: Final = ("-- begin complete\n", "-- end complete\n")
_CLAIM: Final = ("-- begin claim\n", "-- end claim\n")
_COMPLETE_AND: Final = "complete_and_"
_PARTS: Final = (
    "candidates_found", "candidates_told", "claim_asked", "claim_granted", "claim_lanes", "claim_level",
    "claim_level_further", "demands_told", "insert_drawn", "insert_told", "letter_columns", "limits_held",
    "limits_told", "limit_json", "relief_json", "whole_past",
)  # fmt: skip
"""Files that are no statements, but what two of them have in common; `{name}` stands in its place. One that holds
another part comes before it."""
_BY_RULES: Final = {"claim_running": "", "claim_full": "", "claim_uses": "= ''"}
"""Parts of `claim_look`, and what stands for them in others, which ask it where a lane has a limit."""
_LOOKING: Final = ("claim_look", "claim_only")
_PARAMETER: Final = re.compile(r"\$(\d+)")
_DOCUMENT: Final = re.compile(r"\$(\d+)::(?=jsonb?\b)")

FURTHER: Final = "claim_further"
"""`claim_lane` for a claim that begins at a place in the lane."""


@cache
def text(name: str) -> str:
    """The SQL of `sql/<name>.sql`, with `$1` for its parameter; of `complete_and_<claim>`, both statements in one."""
    if name.startswith(_COMPLETE_AND):
        return _complete_and(name.removeprefix(_COMPLETE_AND))
    sql = _file("claim_lane").replace("{claim_level}", "{claim_level_further}") if name == FURTHER else _file(name)
    for part in _PARTS:
        sql = sql.replace(f"{{{part}}}", _file(part).rstrip())
    for part, otherwise in _BY_RULES.items():
        sql = sql.replace(f"{{{part}}}", _file(part).rstrip() if name in _LOOKING else otherwise)
    return sql


def for_psycopg(statement: Statement) -> tuple[str, tuple[str | None, ...]]:
    """The text and parameters that psycopg's `execute` takes: `%s` for `$1`, and every other % doubled."""
    text, order = _percent(statement.text)
    return text, tuple(statement.args[place] for place in order)


@cache
def _percent(sql: str) -> tuple[str, tuple[int, ...]]:
    """The text, and which parameter stands at each `%s`."""
    order = tuple(int(number) - 1 for number in _PARAMETER.findall(sql))
    return _PARAMETER.sub("%s", sql.replace("%", "%%")), order


@cache
def for_asyncpg(sql: str) -> str:
    """The same with every parameter as text on the way: where the caller has told asyncpg how he encodes JSON, it would
    encode what is JSON already."""
    return _DOCUMENT.sub(r"$\1::text::", sql)


def _file(name: str) -> str:
    return (files("tenure.stores.postgres") / "sql" / f"{name}.sql").read_text(encoding="utf-8")


def _complete_and(claim: str) -> str:
    """The parts of complete.sql, then those of a claim, and both answers."""
    complete = text("complete")
    head = complete.partition(_COMPLETE[0])[0].replace("WITH input", "WITH RECURSIVE input")
    return (
        f"{head}{_between(complete, _COMPLETE).rstrip()}, {_between(text(claim), _CLAIM)}"  # noqa: S608 (our own files)
        "SELECT json_build_object('done', (SELECT coalesce(json_agg(id), '[]'::json) FROM completed),"
        " 'step', answer)::text FROM step"
    )


def _between(sql: str, marks: tuple[str, str]) -> str:
    return sql.partition(marks[0])[2].partition(marks[1])[0]
