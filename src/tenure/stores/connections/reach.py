"""How a caller's connection is reached: what each family of drivers answers for its own."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from tenure.stores.postgres import encoding
from tenure.stores.script import Rows, Statement

Dialect = Literal["sqlite", "postgresql"]


def _nothing() -> None:
    """The driver opens transactions by itself, or the caller wants none."""


async def _anothing() -> None:
    _nothing()


@dataclass(frozen=True, slots=True)
class Reach:
    """A sync connection. raw: the driver's own connection, which stands for the database that it leads to.

    begin: makes sure that a transaction is open, unless the caller has chosen autocommit.
    """

    dialect: Dialect
    raw: Any
    execute: Callable[[Statement], Rows]
    begin: Callable[[], None] = _nothing


@dataclass(frozen=True, slots=True)
class AsyncReach:
    """An async connection."""

    dialect: Dialect
    raw: Any
    execute: Callable[[Statement], Awaitable[Rows]]
    begin: Callable[[], Awaitable[None]] = _anothing


def is_of(connection: Any, package: str, *names: str) -> bool:
    """Whether the connection's class, or one that it inherits from, is a `package` class of one of the names."""
    return any(
        cls.__name__ in names and cls.__module__.partition(".")[0] == package for cls in type(connection).__mro__
    )


def check_encoding(name: str | None) -> None:
    """Raises Misconfigured for a connection to PostgreSQL that sends texts in an encoding of this name, which not every
    text can be said in. None: it does not say."""
    encoding.check(
        name,
        f"connection: its client_encoding is {name}, which not every text can be said in",
        "Connect with client_encoding=utf8, or SET client_encoding TO 'UTF8' first.",
    )
