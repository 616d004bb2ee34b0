"""Sends what redrives of selections have frozen, step by step, and stops those whose jobs fail again."""

import logging
from typing import Final

from tenure.core.redriving.redrive import RedriveState
from tenure.core.redriving.redrives import BATCH
from tenure.engine.claiming.one_by_one import PASSING, each
from tenure.operations.advance_redrive import Advanced, advance_redrive
from tenure.operations.leave_broken import leave_broken
from tenure.stores.protocol import Store

log = logging.getLogger("tenure.engine")

LONGEST_WAIT: Final = 1.0
"""Seconds within which a pause, a resume or a new redrive is seen."""


class Redriver:
    """Any number of them may run: each step holds its redrive's row, and a step that is lost is taken by another."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def tick(self) -> float:
        """One step of every open redrive; the seconds until the next."""
        ids = self._store.run(self._store.verbs.open_redrives(), "upkeep")
        steps = [self._step(redrive_id) for redrive_id in ids]
        return 0.0 if any(step.more for step in steps) else LONGEST_WAIT

    def _step(self, redrive_id: str) -> Advanced:
        """One that cannot be taken stops no other redrive; a trouble of the database itself ends the tick."""
        try:
            step = self._store.run(advance_redrive(self._store.verbs, redrive_id), "upkeep")
        except PASSING:
            raise
        except Exception:
            log.exception("redrive %s: its step failed; rows that cannot be read are left", redrive_id)
            self._leave_broken(redrive_id)
            return Advanced(None)
        if step.queues:
            self._store.announce(step.queues)
        if step.redrive is not None and step.redrive.state is RedriveState.STOPPED and step.has_ended:
            log.warning("redrive %s stopped: %s", redrive_id, step.redrive.stop_reason)
        return step

    def _leave_broken(self, redrive_id: str) -> None:
        """Looks at each job that a step could send by itself, and leaves those whose rows cannot be read."""
        verbs = self._store.verbs
        script = verbs.waiting_in_redrive(redrive_id, canary_only=False, closed=(), limit=BATCH)
        places = {row.job_id: row.place for row in self._store.run(script, "upkeep")}
        each(
            places,
            lambda job_id: self._store.run(verbs.lock([job_id]), "upkeep"),
            lambda job_id, _error: self._store.run(leave_broken(verbs, redrive_id, places[job_id]), "upkeep"),
        )
