"""Limits and reliefs as the rows that SQLite keeps of them."""

from typing import Any, Final

from tenure.core.flow.limits import Limit, Rate
from tenure.core.flow.place import Place
from tenure.core.flow.relief import Relief, Reserve
from tenure.stores.script import Row
from tenure.stores.sqlite.instants import instant_or_none, micros_or_none

COLUMNS: Final = (
    "queue", "kind", "tenant", "resource", "concurrency", "starts", "seconds", "burst", "tokens", "filled_at",
    "is_declared",
)  # fmt: skip


def relief_of(aging: float | None, percent: int | None, most: int | None) -> Relief:
    return Relief(aging, None if percent is None or most is None else Reserve(percent, most))


def limit_of(row: Row) -> Limit:
    """A limit of its columns, in the order of COLUMNS."""
    *place, concurrency, starts, seconds, burst, tokens, filled_at, is_declared = row
    said = None if starts is None else Rate(starts, seconds, burst)
    return Limit(
        place=Place(*place),
        concurrency=concurrency,
        rate=said,
        tokens=tokens or 0.0,
        filled_at=instant_or_none(filled_at),
        is_declared=bool(is_declared),
    )


def row_of(limit: Limit) -> tuple[Any, ...]:
    """A limit's row, in the order of COLUMNS."""
    said = limit.rate
    rate = (None, None, None) if said is None else (said.starts, said.seconds, said.burst)
    return (
        *limit.place,
        limit.concurrency,
        *rate,
        limit.tokens,
        micros_or_none(limit.filled_at),
        int(limit.is_declared),
    )
