"""A page of a list: bounded in rows, and in the bytes of its answer."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

import msgspec

R = TypeVar("R")
B = TypeVar("B", bound=msgspec.Struct)
C = TypeVar("C")

PAGE_BYTES: Final = 1024 * 1024
"""Of the rows in one answer. Those that would go past it come with the next page; one row always comes."""

SLICE: Final = 26
"""Rows that are read at a time, so that no page holds many that it does not show: a row may have some 130 KiB."""

_encode = msgspec.json.Encoder().encode


async def page(
    read: Callable[[C | None, int], Awaitable[Sequence[R]]],
    told: Callable[[R], B | None],
    place: Callable[[R], C],
    cursor: C | None,
    limit: int,
) -> tuple[list[B], C | None]:
    """At most `limit` bodies, and the cursor of what follows, None at the end.

    read: up to so many rows past a place. told: the body of a row, None where the caller may not see it. place: the
    cursor that leads past a row.
    """
    bodies: list[B] = []
    size = 0
    while True:
        asked = min(SLICE, limit - len(bodies) + 1)
        rows = await read(cursor, asked)
        for row in rows:
            body = told(row)
            size += 0 if body is None else len(_encode(body))
            if bodies and (len(bodies) == limit or size > PAGE_BYTES):
                return bodies, cursor
            if body is not None:
                bodies.append(body)
            cursor = place(row)
        if len(rows) < asked:
            return bodies, None


def fitting(bodies: Sequence[B], limit: int, most: int = PAGE_BYTES) -> list[B]:
    """The first of `bodies` that one answer may hold, where all have been read at once. most: bytes."""
    size = 0
    for count, body in enumerate(bodies):
        size += len(_encode(body))
        if count and (count == limit or size > most):
            return list(bodies[:count])
    return list(bodies)
