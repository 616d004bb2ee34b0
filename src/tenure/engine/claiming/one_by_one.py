"""What to do with a batch that the database refused whole: each row by itself, the bad one set aside."""

import logging
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Final, Generic, TypeVar

from tenure.core.errors import RetryTransaction, StoreBusy, StoreUnavailable
from tenure.operations.promote import set_aside
from tenure.stores.protocol import Store

log = logging.getLogger("tenure.engine")

PASSING: Final = (StoreUnavailable, StoreBusy, RetryTransaction)
"""Troubles of the database, not of any row: the next round tries again, and no row is set aside for them."""
REST: Final = 60
"""Rounds that a row sits out which cannot even be set aside."""


def each(ids: Iterable[str], write: Callable[[str], object], refused: Callable[[str, Exception], object]) -> None:
    """Writes every row by itself; `refused` is told of each that cannot be. A trouble of the
    database itself (PASSING) ends it."""
    for job_id in ids:
        try:
            write(job_id)
        except PASSING:
            raise
        except Exception as error:  # noqa: BLE001 (whatever is wrong with one row must not stop the others)
            refused(job_id, error)


K = TypeVar("K", bound=Hashable)


class SittingOut(Generic[K]):
    """Rows that are left alone for some rounds, by their key."""

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds
        self._left: dict[K, int] = {}

    def without(self, keys: Iterable[K]) -> Iterator[K]:
        """Those to try in this round."""
        for key in keys:
            left = self._left.pop(key, 0)
            if left > 1:
                self._left[key] = left - 1
            if not left:
                yield key

    def add(self, key: K) -> None:
        """It sits out the next rounds."""
        self._left[key] = self._rounds


class Aside:
    """Sets aside rows that break a batch; one that cannot even be set aside is left alone for a while."""

    def __init__(self, store: Store, rest: int = REST) -> None:
        self._store = store
        self._resting: SittingOut[str] = SittingOut(rest)

    def without_resting(self, ids: Iterable[str]) -> Iterator[str]:
        """The rows to try this time; each refused one sits out the next `rest` rounds."""
        return self._resting.without(ids)

    def put(self, job_id: str, error: Exception) -> None:
        """Ends the job with code `set_aside` and the reason."""
        log.error("job %s breaks its batch and is set aside: %s", job_id, error)
        try:
            done = self._store.run(set_aside(self._store.verbs, job_id, str(error)), "upkeep")
        except PASSING:
            raise
        except Exception as worse:  # noqa: BLE001 (a row that refuses every write must not stop the others)
            log.error("job %s cannot even be set aside: %s", job_id, worse)
            done = False
        if not done:
            self._resting.add(job_id)
