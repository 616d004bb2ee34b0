"""An application on the store in memory, for the length of a test."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from tenure.core.errors import InvalidInput
from tenure.stores.memory import MemoryStore
from tenure.stores.protocol import Store
from tenure.testing.clock import FakeClock

if TYPE_CHECKING:
    from tenure.app.tenure import Tenure

_CLOCKS: "WeakKeyDictionary[Store, FakeClock]" = WeakKeyDictionary()


@contextmanager
def memory_app(app: "Tenure", clock: FakeClock | None = None) -> Iterator[FakeClock]:
    """Puts an empty store in memory in the place of the app's database, and its own back at the end.

    Answers the store's clock, which moves only when the test says so.

        with memory_app(app) as clock:
            send_letter.enqueue(to="ada")
            assert drain(app)[0].outcome == "succeeded"
    """
    check_app(app)
    told = FakeClock() if clock is None else clock
    if not callable(told):
        raise InvalidInput("clock", f"must be a FakeClock, not {type(clock).__name__}")
    store = MemoryStore(clock=told)
    _CLOCKS[store] = told
    app.use(store)
    try:
        yield told
    finally:
        app.close()


def check_app(app: object) -> None:
    """Raises InvalidInput where that is no application."""
    from tenure.app.tenure import Tenure

    if not isinstance(app, Tenure):
        raise InvalidInput("app", f"must be the application (a Tenure), not {type(app).__name__}")


def clock_of(store: Store) -> FakeClock | None:
    """The fake clock of a store that `memory_app` made."""
    return _CLOCKS.get(store)
