"""Deletes what has ended and is past its period, and payloads before their rows, in short batches."""

from typing import Final

from tenure.core.retention import Retention
from tenure.operations.prune import expire_payloads, prune
from tenure.stores.protocol import Store

BATCH: Final = 1000
BETWEEN_BATCHES: Final = 0.05


class Pruner:
    def __init__(self, store: Store, retention: Retention, interval: float) -> None:
        self._store = store
        self._retention = retention
        self._interval = interval

    def tick(self) -> float:
        """One batch of rows, then one of payloads; the seconds until the next."""
        steps = (prune, expire_payloads)
        gone = [self._store.run(step(self._store.verbs, self._retention, BATCH), "upkeep") for step in steps]
        return BETWEEN_BATCHES if max(gone) >= BATCH else self._interval
