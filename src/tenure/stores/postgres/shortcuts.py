"""Where a claim begins to look while a snapshot that stays open keeps the index entries of jobs that are gone.

Each claim has to step over all of them, and after some minutes that takes longer than all the rest of it (FAULTS B78).
What a look from the beginning has found is where the next ones begin: an entry that the instant rules out costs a
twentieth of one whose row must be looked up to see that it is gone. A job that becomes ready with an earlier run_at,
as one that was given back, waits for the next look from the beginning, a second at most.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from tenure.stores.postgres.claim_wire import Step

SLOW: Final = 0.05
"""Seconds of a claim from one lane, completions that travel with it included; as a rule it takes a tenth of that."""

HOLDS: Final = 1.0
MARGIN: Final = timedelta(seconds=2)
"""For jobs whose transaction commits late."""


class Shortcuts:
    """Of one store, by queue. now: seconds of the monotonic clock."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._known: dict[str, tuple[datetime, float]] = {}

    def since(self, queue: str) -> datetime | None:
        """The earliest run_at that the next claim has to look at; None is every one."""
        known = self._known.get(queue)
        if known is None:
            return None
        since, ends = known
        if self._now() < ends:
            return since
        del self._known[queue]
        return None

    def note(self, queue: str, step: Step) -> None:
        """What a look from the beginning at one lane found. With another lane, or jobs at lower priorities that wait for
        longer, every claim looks from the beginning."""
        if step.spent > SLOW and step.leases is not None and not step.lower:
            self._known[queue] = min(step.leases.run_at) - MARGIN, self._now() + HOLDS
