"""Deletes what has ended and is past its period, payloads before their rows, and hints that nobody takes, in short
batches."""

from typing import Final

from tenure.core.retention import Retention
from tenure.operations.hint import sweep_hints
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
        """One batch of rows, one of payloads, one of hints; the seconds until the next."""
        steps = (prune, expire_payloads)
        gone = [self._store.run(step(self._store.verbs, self._retention, BATCH), "upkeep") for step in steps]
        gone.append(self._store.run(sweep_hints(self._store.verbs, BATCH), "upkeep"))
        return BETWEEN_BATCHES if max(gone) >= BATCH else self._interval
