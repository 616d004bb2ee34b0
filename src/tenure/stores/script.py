"""Sans-I/O scripts: what to ask a database, apart from how to reach it.

A script is a generator. It yields Statements, is sent the rows of each, and returns its result; so the same
script runs over a sync driver, an async one, or a connection that belongs to a caller.
"""

from collections.abc import Awaitable, Callable, Generator, Iterator
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

Row = tuple[Any, ...]
Rows = list[Row]
T = TypeVar("T")
P = ParamSpec("P")


class Statement(NamedTuple):
    """One statement in the store's own dialect.

    args: SQLite: positional values for `?`. PostgreSQL: texts or None for `$1`, `$2` …, of which the first is JSON.
    commits: when the script has no transaction open yet, on a connection of the store's own, the statement is a
    transaction by itself. Any other statement opens one that lasts to the end of the script. On a caller's
    connection it makes no difference.
    wakes: PostgreSQL: where the statement is a transaction by itself, a queue whose workers its commit may wake.
    """

    text: str
    args: tuple[Any, ...] = ()
    commits: bool = False
    wakes: str | None = None


Script = Generator[Statement, Rows, T]


def drive(script: Script[T], execute: Callable[[Statement], Rows]) -> T:
    """Runs a script to its end over `execute`, and returns its result."""
    try:
        statement = next(script)
        while True:
            try:
                rows = execute(statement)
            except BaseException as error:  # noqa: BLE001 (the script decides, and raises what it does not take)
                statement = script.throw(error)
            else:
                statement = script.send(rows)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


def alone(script: Script[T]) -> T:
    """The result of a script that asks nobody anything."""
    return drive(script, _refuse)


def _refuse(statement: Statement) -> Rows:
    raise NotImplementedError(f"here no statement runs: {statement.text}")


async def adrive(script: Script[T], execute: Callable[[Statement], Awaitable[Rows]]) -> T:
    """The async twin of `drive`."""
    try:
        statement = next(script)
        while True:
            try:
                rows = await execute(statement)
            except BaseException as error:  # noqa: BLE001 (the script decides, and raises what it does not take)
                statement = script.throw(error)
            else:
                statement = script.send(rows)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


def immediate(answer: Callable[P, T]) -> Callable[P, Script[T]]:
    """Makes a script of a function that needs no statement: it ends at its first step."""

    @wraps(answer)
    def script(*args: P.args, **kwargs: P.kwargs) -> Script[T]:
        yield from _nothing()
        return answer(*args, **kwargs)

    return script


def _nothing() -> Iterator[Statement]:
    return iter(())
