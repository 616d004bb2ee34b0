"""The SQL files. Each statement has exactly one parameter, `$1`, a JSON text, and uses it once; so the same text
runs on psycopg, asyncpg, SQLAlchemy and Django, on an own connection or on a caller's."""

from functools import cache
from importlib.resources import files
from typing import Final

from tenure.stores.script import Statement

_COMPLETE: Final = ("-- begin complete\n", "-- end complete\n")
_CLAIM: Final = ("-- begin claim\n", "-- end claim\n")


@cache
def text(name: str) -> str:
    """The SQL of `sql/<name>.sql`, with `$1` for its parameter."""
    if name == "complete_and_claim":
        return _complete_and_claim()
    return (files("tenure.stores.postgres") / "sql" / f"{name}.sql").read_text(encoding="utf-8")


def for_psycopg(statement: Statement) -> tuple[str, tuple[str, ...]]:
    """The text and parameters that psycopg's `execute` takes: `%s` for `$1`, and every other % doubled."""
    return _percent(statement.text), statement.args


@cache
def _percent(sql: str) -> str:
    return sql.replace("%", "%%").replace("$1", "%s")


def _complete_and_claim() -> str:
    """Both statements in one: the parts of complete.sql, then those of claim.sql, and both answers."""
    complete, claim = text("complete"), text("claim")
    head = complete.partition(_COMPLETE[0])[0].replace("WITH input", "WITH RECURSIVE input")
    return (
        f"{head}{_between(complete, _COMPLETE).rstrip()}, {_between(claim, _CLAIM)}"  # noqa: S608 (our own files)
        "SELECT json_build_object('done', (SELECT coalesce(json_agg(id), '[]'::json) FROM completed),"
        " 'step', answer)::text FROM step"
    )


def _between(sql: str, marks: tuple[str, str]) -> str:
    return sql.partition(marks[0])[2].partition(marks[1])[0]
