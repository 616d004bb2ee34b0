"""The steps of a migration file, apart from any database.

A file without a marker is one step, one transaction. Else a line of its own says how the text below it is applied:

    -- tenure: transaction              any number of statements, all or nothing
    -- tenure: concurrently             one index, made or dropped while everybody goes on writing (PostgreSQL)
    -- tenure: in batches by id         one UPDATE or DELETE, some rows at a time in the order of their key

Whoever is stopped between two steps, or within one, goes on there. What a step of batches has rewritten must no longer
fulfil its condition: that is how it is known what is left.
"""

import re
from functools import cache
from typing import Final, NamedTuple, TypeAlias

_MARKER: Final = re.compile(r"^--[ \t]*tenure:(.*)$", re.MULTILINE)
_BY: Final = re.compile(r"in batches by (\w+(?:\s*,\s*\w+)*)")
_TOKEN: Final = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?\*/)|(?P<end>;)"""
    r"""|'(?:[^']|'')*'|"[^"]*"|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$|[^-/;'"$]+|.""",
    re.DOTALL,
)
_INDEX: Final = re.compile(
    r"(?P<make>CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?P<made>(?!IF\b)\w+)\s+ON\b.+)"
    r"|DROP\s+INDEX\s+CONCURRENTLY\s+(?P<dropped>(?!IF\b)\w+)",
    re.DOTALL,
)
_REWRITE: Final = re.compile(
    r"(?:UPDATE\s+(?P<updated>\w+)\s+SET\s+(?P<change>.+?)|DELETE\s+FROM\s+(?P<deleted>\w+))"
    r"\s*^\s*WHERE\s+(?P<condition>.+)",
    re.DOTALL | re.MULTILINE,
)
_ENDS: Final = re.compile(r"(BEGIN|START|COMMIT|ROLLBACK)\b", re.IGNORECASE)


class Transaction(NamedTuple):
    """Statements that are applied together."""

    text: str


class IndexChange(NamedTuple):
    """An index that is made by `statement`, or dropped where that is None, beside whoever writes."""

    name: str
    statement: str | None


class Rewrite(NamedTuple):
    """Rows of `table` that fulfil `condition` are changed, or deleted where `change` is None, in the order of `key`."""

    table: str
    key: tuple[str, ...]
    change: str | None
    condition: str

    @property
    def verb(self) -> str:
        """The statement up to its WHERE."""
        if self.change is None:
            return f"DELETE FROM {self.table}"  # noqa: S608 (our own files)
        return f"UPDATE {self.table} SET {self.change}"  # noqa: S608 (our own files)


Step: TypeAlias = Transaction | IndexChange | Rewrite


def in_words(step: Step) -> str:
    """What it does, for whoever watches."""
    match step:
        case Transaction():
            return "in one transaction"
        case IndexChange(name, statement):
            return f"{'drops' if statement is None else 'builds'} the index {name} beside whoever writes"
        case Rewrite(table, _, change, _):
            return f"{'deletes' if change is None else 'rewrites'} rows of {table} in batches"


@cache
def steps(text: str) -> tuple[Step, ...]:
    """The steps of a file, in order. Raises ValueError for what is not understood."""
    before, *marked = _MARKER.split(text)
    found = [Transaction(before.strip())] if statements(before) or not marked else []
    return (*found, *(_step(way.strip(), part) for way, part in zip(marked[::2], marked[1::2], strict=True)))


@cache
def statements(text: str) -> tuple[str, ...]:
    """The statements of a text without their comments and semicolons. A trigger of SQLite falls apart at those inside
    it."""
    found = [""]
    for token in _TOKEN.finditer(text):
        if token["end"]:
            found.append("")
        else:
            found[-1] += " " if token["comment"] else token[0]
    return tuple(statement for one in found if (statement := one.strip()))


def _step(way: str, text: str) -> Step:
    parts = statements(text)
    if not parts:
        raise ValueError(f"nothing stands under the marker `-- tenure: {way}`")
    if way == "transaction":
        return Transaction(text.strip())
    by = _BY.fullmatch(way)
    if way != "concurrently" and by is None:
        ways = "`transaction`, `concurrently`, `in batches by COLUMN[, COLUMN]`"
        raise ValueError(f"nobody knows the marker `-- tenure: {way}`; there are {ways}")
    if len(parts) > 1:
        raise ValueError(f"`-- tenure: {way}` takes one statement, not {len(parts)}")
    return _index(parts[0]) if by is None else _rewrite(tuple(re.split(r"\s*,\s*", by[1])), parts[0])


def _index(statement: str) -> IndexChange:
    found = _INDEX.fullmatch(statement)
    if found is None:
        raise ValueError(
            "a concurrent step is CREATE [UNIQUE] INDEX CONCURRENTLY name ON … or DROP INDEX CONCURRENTLY name; "
            f"whether the index is there is looked at by itself: {_head(statement)}"
        )
    return IndexChange(found["made"] or found["dropped"], found["make"])


def _rewrite(key: tuple[str, ...], statement: str) -> Rewrite:
    found = _REWRITE.fullmatch(statement)
    if found is None or re.search(r"^\s*WHERE\b", found["condition"], re.MULTILINE):
        form = "UPDATE … SET … or DELETE FROM …, and one line that begins with WHERE: which rows are left to do"
        raise ValueError(f"a step in batches is {form}: {_head(statement)}")
    return Rewrite(found["updated"] or found["deleted"], key, found["change"], found["condition"])


def refuse_own_transactions(found: tuple[Step, ...]) -> None:
    """Raises ValueError where a step begins or ends a transaction by itself."""
    for step in found:
        if isinstance(step, Transaction):
            for statement in statements(step.text):
                if _ENDS.match(statement):
                    raise ValueError(f"a step is one transaction already: {_head(statement)}")


def _head(statement: str) -> str:
    return " ".join(statement.split())[:80]
