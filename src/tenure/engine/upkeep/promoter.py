"""Makes due jobs ready, at the next run_at and at most a second late; and heads of order keys that have none."""

import logging
import time
from typing import Final

from tenure.engine.claiming.one_by_one import PASSING, Aside, each
from tenure.operations.order import line_up_unseen
from tenure.operations.promote import due_ids, promote, promote_one
from tenure.stores.protocol import Promoted, Store

log = logging.getLogger("tenure.engine")

BATCH: Final = 1000
LONGEST_WAIT: Final = 1.0
SHORTEST_WAIT: Final = 0.005
SKIPPED_WAIT: Final = 0.1
LINES_EVERY: Final = 0.5
"""Seconds between looks at order keys in which nobody has seen who is next, at least."""


class Promoter:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._aside = Aside(store)
        self._after = 0
        self._looked = float("-inf")

    def tick(self) -> float:
        """One batch; the seconds until the next one is due."""
        more = self._line_up()
        wait = self._promote()
        return 0.0 if more else wait

    def _line_up(self) -> bool:
        """Whether there are more. What cannot be decided now is looked at again when all others have been."""
        now = time.monotonic()
        if self._after == 0 and now - self._looked < LINES_EVERY:
            return False
        self._looked = now
        lined = self._store.run(line_up_unseen(self._store.verbs, self._after), "upkeep")
        if lined.queues:
            self._store.announce(lined.queues)
        self._after = lined.after or 0
        return lined.after is not None

    def _promote(self) -> float:
        try:
            promoted = self._store.run(promote(self._store.verbs, BATCH), "upkeep")
        except PASSING:
            raise
        except Exception as error:  # noqa: BLE001 (the batch is tried again row by row, where the bad one shows)
            log.warning("a batch of due jobs was refused, promoting one by one: %s", error)
            self._one_by_one()
            return LONGEST_WAIT
        if promoted.queues:
            self._store.announce(promoted.queues)
        return self._wait(promoted)

    def _one_by_one(self) -> None:
        verbs = self._store.verbs
        ids = self._store.run(due_ids(verbs, BATCH), "upkeep")
        each(
            self._aside.without_resting(ids),
            lambda job_id: self._store.run(promote_one(verbs, job_id), "upkeep"),
            self._aside.put,
        )

    def _wait(self, promoted: Promoted) -> float:
        if promoted.count >= BATCH:
            return 0.0
        if promoted.next_run_at is None:
            return LONGEST_WAIT
        until = (promoted.next_run_at - promoted.now).total_seconds()
        if until <= 0:  # somebody's transaction holds the row
            return SKIPPED_WAIT
        return min(LONGEST_WAIT, max(SHORTEST_WAIT, until))
