"""An application's way to its database: opened at the first use, by one thread, with what is known of it."""

import threading
from collections.abc import Callable, Collection, Iterable
from typing import Final, TypeVar

from tenure.app.databases.addresses import store_of
from tenure.app.databases.knowledge import Declared, Knowledge, learn
from tenure.app.databases.loads import Loads
from tenure.app.settings import DEFAULT_DATABASE
from tenure.core.errors import Misconfigured, StoreBusy, UnknownKind
from tenure.core.kind import Kind
from tenure.core.secrecy.secret_fields import NONE, SecretFields
from tenure.stores.forking import forgets
from tenure.stores.protocol import Store
from tenure.stores.sealing.keyring import Keyring

R = TypeVar("R")

_OPEN_FIRST: Final = (
    "The first use of an empty SQLite file makes its tables, which your open transaction forbids: call app.open() "
    "before it begins."
)

_ELSEWHERE: Final = "Enqueue with tenure.client.Client and a producer's key, or name the application's database."


class Database:
    """url: may be changed until the first use; until it is, a database that nobody named is the default one.

    is_elsewhere: the application's jobs are kept by a service, so that only a database that somebody named is opened.
    keyring: seals its documents; None: they rest as they are. connections: the size of the pool, which may be changed
    until the first use too; None: nobody has said it. loads: what is known of capacities.
    """

    def __init__(self, named: str | None, keyring: Keyring | None = None, connections: int | None = None) -> None:
        self._named = named
        self.keyring = keyring
        self.connections = connections
        self.is_elsewhere = False
        self._store: Store | None = None
        self._is_lent = False
        self._known: Knowledge | None = None
        self.loads = Loads()
        self.forget_parent()
        forgets(self)

    def forget_parent(self) -> None:
        """A forked child waits for no thread of its parent that opens the database, or looks into it."""
        self._opening = threading.Lock()
        self._looking = threading.Lock()

    @property
    def url(self) -> str:
        return self._named or DEFAULT_DATABASE

    @url.setter
    def url(self, url: str) -> None:
        self._named = url

    @property
    def is_named(self) -> bool:
        return self._named is not None

    @property
    def store(self) -> Store:
        """Opened or not. Raises Misconfigured where the jobs are kept elsewhere, and no database is named."""
        if self._store is None:
            if self.is_elsewhere and not self.is_named:
                raise Misconfigured(
                    "this worker's jobs are kept by a service, and no database is named", hint=_ELSEWHERE
                )
            self._store = store_of(self.url, self.keyring, self.connections)
        return self._store

    @property
    def known(self) -> Knowledge:
        if self._known is None:
            raise Misconfigured("the application was closed while it was used")
        return self._known

    def open(self, *, is_beside_transaction: bool = False) -> Store:
        """Connects, unless that is done. is_beside_transaction: the caller holds one open, perhaps on this database.

        Raises StoreUnavailable, SchemaTooOld and their kin.
        """
        if self._known is None:
            try:
                with self._opening:
                    if self._known is None:
                        self._learn()
            except StoreBusy as busy:
                hint = _OPEN_FIRST if is_beside_transaction else busy.hint
                raise StoreBusy(busy.message, hint=hint) from busy
        return self.store

    async def aopen(self, *, is_beside_transaction: bool = False) -> Store:
        """The async twin of `open`."""
        if self._known is not None:
            return self.store
        return await in_thread(lambda: self.open(is_beside_transaction=is_beside_transaction))

    def close(self) -> None:
        with self._opening:
            store, is_lent = self._store, self._is_lent
            self._store, self._is_lent, self._known = None, False, None
            self.loads.forget()
        if store is not None and not is_lent:
            store.close()

    def use(self, store: Store) -> None:
        """Takes an open store until the next `close`, which leaves it open."""
        self.close()
        with self._opening:
            self._store, self._is_lent = store, True

    def kind(self, name: str, tasks: Iterable[str]) -> Kind:
        """A kind that none of the tasks declares, read anew when the last look is too old. Raises UnknownKind."""
        store = self.open()
        row = self.known.fresh(name)
        if row is None:
            with self._looking:  # One look serves everybody who waits for it.
                row = self.known.fresh(name)
                if row is None:
                    self._known = store.run(learn(store.verbs))
                    row = self._known.kinds.get(name)
        if row is None:
            raise UnknownKind(name, {*tasks, *self.known.kinds})
        return row

    def has_at_hand(self, kind: str) -> bool:
        """Whether `kind` answers without a look."""
        return self._known is not None and self._known.fresh(kind) is not None

    async def akinds(self, wanted: Collection[str] | None) -> dict[str, Kind]:
        """The rows of the kinds that are wanted, without those that the database lacks; None: of every one."""
        known = await self._aknown(wanted or ())
        return {name: kind for name, kind in known.kinds.items() if wanted is None or name in wanted}

    async def _aknown(self, wanted: Collection[str]) -> Knowledge:
        """Fresh, and with these kinds where the database has them."""
        store = await self.aopen()
        known = self.known
        if not known.is_fresh or not known.kinds.keys() >= set(wanted):
            self._known = known = await store.arun(learn(store.verbs))
        return known

    def secret_of(self, kind: str) -> SecretFields:
        """The secret fields of a kind, as far as its row is known by now."""
        row = None if self._known is None else self._known.kinds.get(kind)
        return NONE if row is None else row.secret_fields

    async def asecrets_of(self, kinds: Collection[str]) -> dict[str, SecretFields]:
        """The secret fields of the kinds that have some, by kind; looked up where the last look is too old."""
        known = await self._aknown(kinds)
        if not known.hides:
            return {}
        return {name: row.secret_fields for name in kinds if (row := known.kinds.get(name)) and row.secret_fields}

    async def ahides(self) -> bool:
        """Whether any kind has secret fields."""
        return (await self._aknown(())).hides

    def look_for(self, kinds: Collection[Declared]) -> list[Declared]:
        """Those of these kinds that the database may lack. Looks again where the last look is old: a
        caller's transaction may have written them since."""
        lacking = self.known.lacks(kinds)
        if not lacking or self.known.is_fresh:
            return lacking
        self._known = self.store.run(learn(self.store.verbs))
        return self.known.lacks(kinds)

    async def alook_for(self, kinds: Collection[Declared]) -> list[Declared]:
        """The async twin of `look_for`."""
        lacking = self.known.lacks(kinds)
        if not lacking or self.known.is_fresh:
            return lacking
        self._known = await self.store.arun(learn(self.store.verbs))
        return self.known.lacks(kinds)

    def _learn(self) -> None:
        store = self.store
        try:
            if not self._is_lent:
                store.open()
            self._known = store.run(learn(store.verbs))
        except BaseException:
            if not self._is_lent:
                self._store = None
                store.close()
            raise


async def in_thread(call: Callable[[], R]) -> R:
    """Runs what may wait for the database, off the loop."""
    import asyncio

    return await asyncio.to_thread(call)
