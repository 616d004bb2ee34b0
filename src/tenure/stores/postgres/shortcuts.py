"""Where a claim from one lane begins to look: past the index entries of jobs that are gone.

Until a vacuum each claim steps over the entries of all that were taken before, and while a snapshot stays open each of
them costs a look at its row (FAULTS B78). So a claim that has filled its slots says how far it came, and the next ones
begin there for a short while, which is twenty times as long as the last look from the beginning took: no more than a
twentieth of the time goes into such looks. What becomes ready behind that place, as a job that was given back, waits as
long; a claim that does not fill its slots looks from the beginning itself.

A look that was slow is not made again within ten times as long as it took, a second at least, whatever claims find; and
then by one claim, while the others go on where they were.
"""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Final, NamedTuple

from msgspec.structs import replace

from tenure.stores.postgres.claim_wire import LeaseColumns, Past, Step

TIMES: Final = 20
HOLDS: Final = 1.0
"""Seconds at most; after a slow look, at least."""

SLOW_TIMES: Final = 10
HOLDS_SLOW: Final = 10.0
"""Seconds at most after a slow look."""

SLOW: Final = 0.05
"""Seconds of a claim, completions that travel with it included; as a rule it takes a tenth of that."""

MARGIN: Final = timedelta(seconds=2)
"""After a slow look, for jobs whose transaction commits late."""


class Shortcut(NamedTuple):
    """ends: an instant of the monotonic clock. is_slow: a look from the beginning took long."""

    past: Past
    ends: float
    is_slow: bool


class Shortcuts:
    """Of one store, by queue. Safe from any thread. now: seconds of the monotonic clock."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._known: dict[str, Shortcut] = {}

    def of(self, queue: str) -> Shortcut | None:
        """Where the next claim begins; None: at the beginning."""
        known = self._known.get(queue)
        if known is None:
            return None
        now = self._now()
        if now < known.ends:
            return known
        if known.is_slow:
            self._known[queue] = known._replace(ends=now + HOLDS)  # For those who ask while this one looks.
        else:
            self._known.pop(queue, None)
        return None

    def note(self, queue: str, step: Step, *, is_full: bool) -> None:
        """What a claim found that was told no place. is_full: it has filled its slots."""
        self._known.pop(queue, None)
        if step.past is None:
            return
        if step.spent > SLOW and step.leases is not None:
            past = _before(step.past, step.leases)
            holds = min(HOLDS_SLOW, max(HOLDS, SLOW_TIMES * step.spent))
            self._known[queue] = Shortcut(past, self._now() + holds, is_slow=True)
        elif is_full and step.spent:
            self._known[queue] = Shortcut(step.past, self._now() + min(HOLDS, TIMES * step.spent), is_slow=False)

    def go_on(self, queue: str, shortcut: Shortcut, step: Step, *, is_full: bool) -> None:
        """What a claim found that began at that place."""
        if shortcut.is_slow:
            known = self._known.get(queue)
            if known is not None and known.ends == shortcut.ends and step.past is not None and step.leases is not None:
                self._known[queue] = known._replace(past=_later(known.past, _before(step.past, step.leases)))
            return
        if is_full and step.past is not None:
            self._known[queue] = shortcut._replace(past=step.past)
        else:
            self._known.pop(queue, None)


def _before(past: Past, leases: LeaseColumns) -> Past:
    """Where jobs would stand that are late by the margin."""
    return replace(past, run_at=min(leases.run_at) - MARGIN, seq=0)


def _later(past: Past, other: Past) -> Past:
    """Of two places in a lane the one further on; of another lane, none is."""
    return other if replace(other, run_at=past.run_at, seq=past.seq) == past and other.run_at > past.run_at else past
