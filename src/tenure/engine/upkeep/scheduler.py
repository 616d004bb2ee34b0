"""Makes jobs of the slots of schedules as they pass, at the next slot and at most a second late."""

import logging
from typing import Final

from tenure.core.scheduling.schedule import Flag
from tenure.engine.claiming.one_by_one import PASSING, REST, SittingOut
from tenure.operations.advance_schedule import Advanced, advance_schedule
from tenure.stores.protocol import Store
from tenure.stores.scheduling import DueSchedules, ScheduleKey

log = logging.getLogger("tenure.engine")

BATCH: Final = 100
"""Schedules that one tick takes, each in its own transaction."""
LONGEST_WAIT: Final = 1.0
SHORTEST_WAIT: Final = 0.005


class Scheduler:
    """Any number of them may run: each step holds its schedule's row, and one that somebody else holds is left to
    them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._digest_key: bytes | None = None
        self._resting: SittingOut[ScheduleKey] = SittingOut(REST)

    def tick(self) -> float:
        """One step of every schedule with a slot that has passed; the seconds until the next."""
        due = self._store.run(self._store.verbs.due_schedules(BATCH), "upkeep")
        taken = list(self._resting.without(due.names))
        for place in taken:
            self._step(place)
        return 0.0 if len(taken) >= BATCH else self._wait(due)

    def _step(self, place: ScheduleKey) -> Advanced:
        """One that cannot be taken stops no other schedule; a trouble of the database itself ends the tick."""
        verbs, key = self._store.verbs, self._key()
        try:
            step = self._store.run(advance_schedule(verbs, *place, key), "upkeep")
        except PASSING:
            raise
        except Exception:
            log.exception("schedule %s of tenant %s: its step failed; it rests for a while", place[1], place[0])
            self._resting.add(place)
            return Advanced()
        if step.queues:
            self._store.announce(step.queues)
        if step.is_news and step.schedule is not None:
            _tell(place, step.schedule.flag)
        return step

    def _key(self) -> bytes:
        if self._digest_key is None:
            self._digest_key = self._store.run(self._store.verbs.digest_key(), "upkeep")
        return self._digest_key

    def _wait(self, due: DueSchedules) -> float:
        if due.next_at is None:
            return LONGEST_WAIT
        return min(LONGEST_WAIT, max(SHORTEST_WAIT, (due.next_at - due.now).total_seconds()))


def _tell(place: ScheduleKey, flag: Flag | None) -> None:
    log.warning("schedule %s of tenant %s makes no jobs: %s", place[1], place[0], flag)
