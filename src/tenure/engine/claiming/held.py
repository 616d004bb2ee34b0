"""Reports whose rows somebody's transaction holds: nobody else waits for that lock."""

import threading
import time
from collections.abc import Collection
from typing import Final

from tenure.core.lease import Beat
from tenure.core.reports import Report
from tenure.engine.attempts.run import Run
from tenure.engine.claiming.desk import Desk

LOOK_AGAIN: Final = 0.5
"""Seconds between two looks at rows that were held."""

Item = tuple[Run, Report]


class Held:
    """Reports that stand apart until their rows are free. Their attempts keep slot and heartbeat meanwhile: such a row
    is skipped, not lost."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._items: list[Item] = []
        self._looking = threading.Lock()
        self._looked = 0.0

    def __len__(self) -> int:
        return len(self._items)

    def set_apart(self, items: Collection[Item]) -> list[Item]:
        """Keeps the reports whose rows are held now; the others."""
        with self._looking:
            held, others = self._parted(items)
            self._items += held
            return others

    def freed(self) -> list[Item]:
        """The reports whose rows are free by now; nothing before it is time for another look."""
        if not self._items or time.monotonic() - self._looked < LOOK_AGAIN:
            return []
        with self._looking:
            self._items, free = self._parted(self._items)
            return free

    def _parted(self, items: Collection[Item]) -> tuple[list[Item], list[Item]]:
        """Those whose rows are held, and the others, as a heartbeat tells, which waits for no lock."""
        self._looked = time.monotonic()
        beats = [Beat(run.lease.job_id, run.lease.token) for run, _said in items]
        answers = self._desk.heartbeat(beats, "claim")
        held: list[Item] = []
        others: list[Item] = []
        for item, answer in zip(items, answers, strict=True):
            (held if answer.held and answer.expires_at is None else others).append(item)
        return held, others
