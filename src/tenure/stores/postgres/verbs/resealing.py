"""The scripts about documents as they rest, in any of the columns that are sealed."""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from tenure.core.secrecy.sealed import HEAD_LENGTH, Column, RowKey
from tenure.stores.postgres import statements, wire
from tenure.stores.postgres.verbs.reading import Asking
from tenure.stores.resealing import Change, Kept, Waiting
from tenure.stores.script import Script, Statement

_FIRST_ID: Final = "00000000-0000-0000-0000-000000000000"


class _Where(NamedTuple):
    """A column, and the primary key of its rows: names and types."""

    table: str
    column: str
    key: dict[str, str]


_WHERE: Final[dict[Column, _Where]] = {
    "payload": _Where("tenure_jobs", "payload", {"id": "uuid"}),
    "result": _Where("tenure_jobs", "result", {"id": "uuid"}),
    "effect": _Where("tenure_effects", "result", {"tenant": "text", "name": "text", "key": "text"}),
    "checkpoint": _Where("tenure_checkpoints", "value", {"job_id": "uuid", "name": "text"}),
    "schedule": _Where("tenure_schedules", "payload", {"tenant": "text", "name": "text"}),
}


class ResealVerbs(Asking):
    def documents(self, column: Column, after: RowKey | None, limit: int, but: str | None) -> Script[list[Kept]]:
        key = _WHERE[column].key.values()
        start = after or tuple(_FIRST_ID if kind == "uuid" else "" for kind in key)
        parameter = self._parameter({"after": start, "limit": limit, "but": but})
        text = text_of("documents", column).replace("{over}", ">=" if after is None else ">")
        rows = yield Statement(text, parameter, commits=True)
        return wire.KEPT.decode(wire.answer(rows))

    def waiting_payloads(self, queue: str, limit: int) -> Script[list[Waiting]]:
        rows = yield self.look("waiting_payloads", queue=queue, limit=limit, head=HEAD_LENGTH)
        return wire.WAITING.decode(wire.answer(rows))

    def replace_documents(self, column: Column, changes: Sequence[Change]) -> Script[int]:
        parameter = self._parameter({"changes": changes})
        rows = yield Statement(text_of("replace_documents", column), parameter, commits=True)
        return wire.COUNTED.decode(wire.answer(rows)).count


@cache
def text_of(name: str, column: Column) -> str:
    """`sql/<name>.sql` for a column."""
    where = _WHERE[column]
    return (
        statements.text(name)
        .replace("{table}", where.table)
        .replace("{column}", where.column)
        .replace("{key}", ", ".join(where.key))
        .replace("{order}", ", ".join(f"kept.{part}" for part in where.key))
        .replace("{past}", _parts("input.j->'after'", where))
        .replace("{said}", _parts("change.place", where))
        .replace("{same}", " AND ".join(f"kept.{part} = free.{part}" for part in where.key))
        .replace("{head}", str(HEAD_LENGTH))
    )


def _parts(array: str, where: _Where) -> str:
    """The members of a JSON array as the parts of the key."""
    return ", ".join(f"({array}->>{place})::{kind}" for place, kind in enumerate(where.key.values()))
