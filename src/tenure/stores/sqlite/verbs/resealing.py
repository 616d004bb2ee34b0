"""Documents as they rest, in any of the columns that are sealed."""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from tenure.core.secrecy.sealed import HEAD_LENGTH, Column, RowKey
from tenure.stores.resealing import Change, Kept, Waiting
from tenure.stores.script import Script, Statement
from tenure.stores.sqlite.statements import sql
from tenure.stores.sqlite.verbs.base import VerbsBase


class _Where(NamedTuple):
    """A column, and the primary key of its rows."""

    table: str
    column: str
    key: tuple[str, ...]


_WHERE: Final[dict[Column, _Where]] = {
    "payload": _Where("tenure_jobs", "payload", ("id",)),
    "result": _Where("tenure_jobs", "result", ("id",)),
    "effect": _Where("tenure_effects", "result", ("tenant", "name", "key")),
    "checkpoint": _Where("tenure_checkpoints", "value", ("job_id", "name")),
    "schedule": _Where("tenure_schedules", "payload", ("tenant", "name")),
}


class ResealVerbs(VerbsBase):
    """See `stores.protocol.Verbs`."""

    def documents(self, column: Column, after: RowKey | None, limit: int, but: str | None) -> Script[list[Kept]]:
        parts = len(_WHERE[column].key)
        args = (but, but, *(after or ("",) * parts), limit)
        rows = yield Statement(text_of("documents", column), args)
        return [Kept(tuple(row[:parts]), row[parts], row[parts + 1]) for row in rows]

    def waiting_payloads(self, queue: str, limit: int) -> Script[list[Waiting]]:
        return [Waiting(*row) for row in (yield from self._ask("waiting_payloads", queue, limit, HEAD_LENGTH))]

    def replace_documents(self, column: Column, changes: Sequence[Change]) -> Script[int]:
        yield from self._tick()
        replaced = 0
        for change in changes:
            args = (change.after, *change.place, change.before)
            replaced += len((yield Statement(text_of("replace_document", column), args)))
        return replaced


@cache
def text_of(name: str, column: Column) -> str:
    """`sql/<name>.sql` for a column."""
    where = _WHERE[column]
    return (
        sql(name)
        .replace("{table}", where.table)
        .replace("{column}", where.column)
        .replace("{key}", ", ".join(where.key))
        .replace("{past}", ", ".join("?" * len(where.key)))
        .replace("{head}", str(HEAD_LENGTH))
    )
