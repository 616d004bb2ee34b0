"""Where an attempt keeps its effects and checkpoints: the application's database (`StoreLedger`), or a service
elsewhere."""

from collections.abc import Awaitable, Callable
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from tenure.core.lease import Beat, Lease
from tenure.core.ledger.checkpoint import Checkpoint
from tenure.core.ledger.effect import Effect, Said
from tenure.core.ledger.effects import What, Wish
from tenure.operations.begin_effect import begin_effect
from tenure.operations.finish_effect import finish_effect
from tenure.operations.heartbeat import heartbeat
from tenure.operations.save_checkpoint import save_checkpoint
from tenure.stores.protocol import Store
from tenure.stores.script import Script

T = TypeVar("T")


class Asking(NamedTuple, Generic[T]):
    """One question, which may be put again. now: waits for the answer; later: the same for an event loop.

    Both raise StoreUnavailable, StoreBusy and RetryTransaction; then it may have been done or not.
    """

    now: Callable[[], T]
    later: Callable[[], Awaitable[T]]


class Recorded(Protocol):
    """What the maker of a call reads in the row of its effect. result: JSON text."""

    @property
    def key(self) -> str: ...
    @property
    def request_id(self) -> str: ...
    @property
    def result(self) -> str | None: ...
    @property
    def error_code(self) -> str | None: ...
    @property
    def error(self) -> str | None: ...


class Begun(NamedTuple):
    """What has to be done about an effect (`core.ledger.effects`), and its row, where one is known. wait: seconds.
    job_id: whose row it is, where that is known."""

    what: What
    row: Recorded | None = None
    wait: float = 0.0
    job_id: str | None = None


class Ledger(Protocol):
    """Of one attempt: everything is written under its lease."""

    def begin_effect(self, wish: Wish) -> Asking[Begun]: ...

    def finish_effect(self, row: Recorded, name: str, said: Said) -> Asking[Recorded | None]:
        """The row after it; None: another attempt has touched it since. row: as `begin_effect` answered it."""

    def heartbeat(self) -> Asking[Any]:
        """Renews the lease."""

    def checkpoints(self) -> Asking[dict[str, str]]:
        """What is saved, by name, as JSON text."""

    def save_checkpoint(self, name: str, value: str) -> Asking[str]:
        """The value as it is stored then. value: JSON text. Raises LeaseLost."""

    def beside_transaction(self) -> Store:
        """The database whose transactions a caller may bring. Raises Misconfigured where there is none."""


class StoreLedger:
    """On a store's own connections."""

    def __init__(self, store: Store, lease: Lease) -> None:
        self._store, self._lease = store, lease

    def begin_effect(self, wish: Wish) -> Asking[Begun]:
        return self._asking(lambda: self._begin(wish))

    def finish_effect(self, row: Recorded, name: str, said: Said) -> Asking[Recorded | None]:
        assert isinstance(row, Effect)
        return self._asking(lambda: finish_effect(self._store.verbs, row, self._lease.token, said))

    def heartbeat(self) -> Asking[Any]:
        beat = Beat(self._lease.job_id, self._lease.token)
        return self._asking(lambda: heartbeat(self._store.verbs, [beat]))

    def checkpoints(self) -> Asking[dict[str, str]]:
        return self._asking(self._saved)

    def save_checkpoint(self, name: str, value: str) -> Asking[str]:
        return self._asking(lambda: self._save(name, value))

    def beside_transaction(self) -> Store:
        return self._store

    def _asking(self, script: Callable[[], Script[T]]) -> Asking[T]:
        return Asking(lambda: self._store.run(script()), lambda: self._store.arun(script()))

    def _begin(self, wish: Wish) -> Script[Begun]:
        begun = yield from begin_effect(self._store.verbs, wish)
        return Begun(begun.what, begun.effect, begun.wait, None if begun.effect is None else begun.effect.job_id)

    def _saved(self) -> Script[dict[str, str]]:
        rows: list[Checkpoint] = yield from self._store.verbs.checkpoints(self._lease.job_id)
        return {row.name: row.value for row in rows}

    def _save(self, name: str, value: str) -> Script[str]:
        lease = self._lease
        return (yield from save_checkpoint(self._store.verbs, lease.job_id, lease.token, name, value)).value
