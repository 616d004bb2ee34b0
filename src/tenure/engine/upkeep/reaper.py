"""Finds attempts whose lease has ended, whoever ran them, and waiting jobs whose deadline has passed."""

import logging
import random
from collections.abc import Callable
from typing import Final

from tenure.core.attempt import Attempt
from tenure.engine.claiming.one_by_one import PASSING, Aside, each
from tenure.operations.expire import Swept, expire_leases, pass_deadlines
from tenure.stores.protocol import Store
from tenure.stores.script import Script

log = logging.getLogger("tenure.engine")

BATCH: Final = 100


class Reaper:
    def __init__(self, store: Store, interval: float) -> None:
        self._store = store
        self._interval = interval
        self._aside = Aside(store)

    def tick(self) -> float:
        """One sweep; the seconds until the next, with a little jitter, so that workers do not sweep in step."""
        verbs = self._store.verbs
        leases = self._sweep(lambda only: expire_leases(verbs, random.random, BATCH, only))
        deadlines = self._sweep(lambda only: pass_deadlines(verbs, BATCH, only))
        if max(leases, deadlines) >= BATCH:
            return 0.0
        return self._interval * (0.9 + random.random() / 5)  # noqa: S311

    def _sweep(self, script: Callable[[str | None], Script[Swept]]) -> int:
        """Runs one kind of sweep, row by row if it is refused whole; how many rows it ended."""
        try:
            swept = self._store.run(script(None), "upkeep")
        except PASSING:
            raise
        except Exception as error:  # noqa: BLE001 (the batch is tried again row by row, where the bad one shows)
            log.warning("a sweep was refused, sweeping one by one: %s", error)
            return self._one_by_one(script)
        self._tell(swept)
        return len(swept.ended)

    def _one_by_one(self, script: Callable[[str | None], Script[Swept]]) -> int:
        verbs = self._store.verbs
        ids = [
            *self._store.run(verbs.expired(BATCH), "upkeep").jobs,
            *self._store.run(verbs.overdue(BATCH), "upkeep").jobs,
        ]
        each(
            self._aside.without_resting(ids),
            lambda job_id: self._tell(self._store.run(script(job_id), "upkeep")),
            self._aside.put,
        )
        return 0

    def _tell(self, swept: Swept) -> None:
        for transition in swept.ended:
            job = transition.after
            log.warning(
                "job %s (%s): %s; the job is %s now", job.id, job.kind, _what(transition.attempt), job.state.value
            )
        if swept.ready_queues:
            self._store.announce(swept.ready_queues)


def _what(ended: Attempt | None) -> str:
    if ended is None:
        return "its deadline has passed"
    return f"attempt {ended.number} ended {ended.outcome.value}, {ended.error_code}"
