"""A method of the clients, made of the function that makes its call."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Generic, ParamSpec, TypeVar

from tenure.client.call import Call

P = ParamSpec("P")
T = TypeVar("T")


class Verb(Generic[P, T]):
    """The signature and its words stand with that function, once for both clients."""

    def __init__(self, make: Callable[P, Call[T]]) -> None:
        self.make = make
        update_wrapper(self, make)  # type: ignore[arg-type]
