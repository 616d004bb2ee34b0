"""Whether an answer reaches its client: who has hung up, and what is left unsent.

A server that knows puts a `Delivery` into the scope of a request (`http.connections.attending`); under any other one,
an answer that has been sent counts as delivered.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

EXTENSION: Final = "tenure.delivery"
"""Its name among the extensions of a scope."""


class Delivery:
    """Of the answer to one request. hung_up: whether the client has gone away by now."""

    def __init__(self, hung_up: Callable[[], bool] = lambda: False) -> None:
        self._hung_up = hung_up
        self._is_lost = False
        self._if_lost: Callable[[], object] | None = None

    @property
    def is_lost(self) -> bool:
        """Whether nobody is there any more to take the answer."""
        return self._is_lost or self._hung_up()

    def if_lost(self, undo: Callable[[], object]) -> None:
        """Calls `undo` when the connection ends before the answer has left, at once where it has ended already."""
        if self._is_lost:
            undo()
        else:
            self._if_lost = undo

    def is_done(self) -> None:
        """The answer has left this process."""
        self._if_lost = None

    def lose(self) -> None:
        """The connection has ended before."""
        self._is_lost = True
        undo, self._if_lost = self._if_lost, None
        if undo is not None:
            undo()


def delivery_of(scope: Mapping[str, Any]) -> Delivery:
    """Of the answer to the request of this scope."""
    found = (scope.get("extensions") or {}).get(EXTENSION)
    return found if isinstance(found, Delivery) else Delivery()
