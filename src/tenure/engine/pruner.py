"""Deletes what has ended and is past its period, in short batches."""

from typing import Final

from tenure.core.retention import Retention
from tenure.operations.prune import prune
from tenure.stores.protocol import Store

BATCH: Final = 1000
BETWEEN_BATCHES: Final = 0.05


class Pruner:
    def __init__(self, store: Store, retention: Retention, interval: float) -> None:
        self._store = store
        self._retention = retention
        self._interval = interval

    def tick(self) -> float:
        """One batch; the seconds until the next."""
        gone = self._store.run(prune(self._store.verbs, self._retention, BATCH), "upkeep")
        return BETWEEN_BATCHES if gone >= BATCH else self._interval
