"""A worker's pool of connections: made to fit its attempts at the start, and watched while they run."""

import logging
from collections.abc import Collection

from tenure.core import pool
from tenure.core.pool import Need
from tenure.engine.attempts.handler import Handler
from tenure.engine.options import WorkerOptions
from tenure.stores.protocol import PoolWait, Store

log = logging.getLogger("tenure.engine")

TROUBLE = "connections"


class Pooling:
    """store: None, and there is no pool, where the jobs are kept by a service."""

    def __init__(self, store: Store | None, handlers: Collection[Handler], options: WorkerOptions) -> None:
        self._store = store
        sharing = [(one.slots, one.concurrency) for one in handlers if one.isolation != "process"]
        self._attempts = pool.at_once(options.slots, sharing)
        self._processes = options.processes
        self._need = Need(self._attempts)
        self._is_said = False
        self._is_long = False

    def fit(self) -> None:
        """Gives the pool the size that its attempts need, unless somebody has said one. Raises StoreError."""
        if self._store is None or self._store.pool is None:
            return
        room = self._store.room()
        limit = None if room is None else room.limit
        self._need = Need(self._attempts, self._processes, limit)
        size = pool.size(self._need)
        if pool.overdrawn(self._need, self._store.pool) is None:
            size = max(size, self._store.pool)  # Another worker of this process may have wanted more.
        self._is_said = not self._store.resize(size)

    def tell(self) -> None:
        """A line in the log where the size does not fit: a warning, unless it is our own choice."""
        size = None if self._store is None else self._store.pool
        if size is None:
            return
        overdrawn = pool.overdrawn(self._need, size)
        if overdrawn is not None:
            log.warning("%s", overdrawn)
            return
        short = pool.short(self._need, size)
        if short is not None:
            log.log(logging.WARNING if self._is_said else logging.INFO, "%s", short)

    def waiting(self) -> PoolWait:
        """Who waits for a connection now."""
        return PoolWait() if self._store is None else self._store.waiting()

    def troubles(self) -> dict[str, str]:
        """A wait that lasts."""
        words = self._words()
        return {} if words is None else {TROUBLE: words}

    def look(self) -> None:
        """Tells the log once of a wait that lasts, and of its end."""
        words = self._words()
        if words is not None and not self._is_long:
            log.warning("%s", words)
        elif words is None and self._is_long:
            log.info("nobody has waited for a connection to the database for long any more")
        self._is_long = words is not None

    def _words(self) -> str | None:
        if self._store is None or self._store.pool is None:
            return None
        return pool.lasting(*self._store.waiting(), self._store.pool, self._attempts)
