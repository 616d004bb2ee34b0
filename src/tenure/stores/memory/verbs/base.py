"""What all verbs of the memory store share: whether they open a transaction or are one."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from tenure.stores.memory.tables import Tables
from tenure.stores.script import Script, immediate

P = ParamSpec("P")
T = TypeVar("T")
V = TypeVar("V", bound="VerbsBase")


class VerbsBase:
    """The Verbs of one MemoryStore; they run under its lock."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables


def within(answer: Callable[Concatenate[V, P], T]) -> Callable[Concatenate[V, P], Script[T]]:
    """A verb that opens the script's transaction, or joins the open one."""

    @immediate
    @wraps(answer)
    def verb(self: V, /, *args: P.args, **kwargs: P.kwargs) -> T:
        self._tables.in_transaction = True
        return answer(self, *args, **kwargs)

    return verb


def by_itself(answer: Callable[Concatenate[V, P], T]) -> Callable[Concatenate[V, P], Script[T]]:
    """A verb that is a transaction by itself where none is open."""

    @immediate
    @wraps(answer)
    def verb(self: V, /, *args: P.args, **kwargs: P.kwargs) -> T:
        done = answer(self, *args, **kwargs)
        if not self._tables.in_transaction:
            self._tables.keep()
        return done

    return verb
