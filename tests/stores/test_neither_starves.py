"""Simulated hours of a queue that is flooded: low jobs get on, and urgent ones keep their part.

The claims are those of `stores.relieving`; in the place of a database stand the waiting jobs of each priority.
"""

from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from tenure.core.flow import relief as rules
from tenure.core.flow.relief import Level, Relief, Reserve
from tenure.stores.relieving import relieved
from tenure.stores.script import alone, immediate

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
HOUR = 3600
LOW, MEDIUM, CRITICAL = 0, 10, 30
AGING = 60.0


class Flood:
    """A queue from which `workers` claim one job each in turn, one every second over all of them."""

    def __init__(self, said: Relief, workers: int = 1) -> None:
        self._said, self._credits = said, [rules.begun(Random(n).random()) for n in range(workers)]
        self.waiting: dict[int, deque[float]] = {}
        self.waits: dict[int, list[float]] = {}
        self.now = 0.0
        self.free = 0
        self.leases: list[Any] = []

    def run(self, seconds: int, arrivals: dict[int, Iterator[float]], slots: int = 1) -> None:
        """arrivals: seconds at which jobs of a priority become ready, rising. slots: that are free each second."""
        coming = {priority: next(times, None) for priority, times in arrivals.items()}
        for second in range(int(self.now), int(self.now) + seconds):
            self.now = float(second)
            for priority, times in arrivals.items():
                while (at := coming[priority]) is not None and at <= self.now:
                    self.waiting.setdefault(priority, deque()).append(at)
                    coming[priority] = next(times, None)
            self._claim(second % len(self._credits), slots)

    def _claim(self, worker: int, slots: int) -> None:
        self.free, self.leases = slots, []
        given = alone(relieved(self, self._said, self._credits[worker]))
        self._credits[worker] = rules.after(self._credits[worker], given)

    @immediate
    def level(self, most: int, tenants: int) -> Level | None:
        found = max((one for one, jobs in self.waiting.items() if jobs and one <= most), default=None)
        if found is None:
            return None
        return Level(found, START + timedelta(seconds=self.waiting[found][0]), START + timedelta(seconds=self.now))

    @immediate
    def take(self, slots: int, most: int, least: int) -> int:
        filled = 0
        for priority in sorted((one for one in self.waiting if least <= one <= most), reverse=True):
            while self.waiting[priority] and filled < slots:
                self.waits.setdefault(priority, []).append(self.now - self.waiting[priority].popleft())
                self.leases.append(SimpleNamespace(priority=priority))
                filled += 1
        self.free -= filled
        return filled

    def share(self, priority: int) -> float:
        return len(self.waits.get(priority, ())) / sum(map(len, self.waits.values()))


def every(seconds: float, first: float = 0.0) -> Iterator[float]:
    return (first + number * seconds for number in count())


def at_once(jobs: int) -> Iterator[float]:
    return iter([0.0] * jobs)


def test_without_a_relief_a_flood_keeps_every_low_job_waiting() -> None:
    flood = Flood(Relief())
    flood.run(6 * HOUR, {CRITICAL: every(0.5), LOW: every(60)})
    assert LOW not in flood.waits


@pytest.mark.parametrize("workers", [1, 4])
def test_with_aging_a_low_job_starts_when_its_time_has_come_whatever_urgent_work_waits(workers: int) -> None:
    flood = Flood(Relief(aging=AGING), workers)
    flood.run(6 * HOUR, {CRITICAL: every(0.5), LOW: every(300)})
    waits, steps = flood.waits[LOW], (CRITICAL - LOW) / rules.STEP
    assert len(waits) >= 6 * HOUR / 300 - 1
    assert max(waits) <= steps * AGING + 2 * workers


def test_with_aging_a_mass_of_old_low_jobs_doubles_the_wait_of_urgent_ones_at_most() -> None:
    flood = Flood(Relief(aging=AGING))
    flood.run(HOUR, {LOW: at_once(100_000)})
    flood.run(6 * HOUR, {CRITICAL: every(2, HOUR)})
    assert max(flood.waits[CRITICAL]) <= 1
    assert flood.share(LOW) > 0.5


def test_with_aging_urgent_work_above_capacity_still_gets_every_second_start() -> None:
    flood = Flood(Relief(aging=AGING))
    flood.run(6 * HOUR, {CRITICAL: every(0.5), LOW: at_once(100_000)})
    assert flood.share(CRITICAL) == pytest.approx(0.5, abs=0.01)
    assert flood.share(LOW) == pytest.approx(0.5, abs=0.01)


def test_with_aging_no_level_between_waits_for_the_mass_below_it() -> None:
    flood = Flood(Relief(aging=AGING))
    flood.run(6 * HOUR, {CRITICAL: every(0.5), MEDIUM: every(600), LOW: at_once(100_000)})
    assert max(flood.waits[MEDIUM]) <= (CRITICAL - MEDIUM) / rules.STEP * AGING + 4


@pytest.mark.parametrize("slots", [1, 3, 10])
@pytest.mark.parametrize("workers", [1, 7])
def test_with_a_reserve_the_low_jobs_get_their_share_and_urgent_ones_the_rest(workers: int, slots: int) -> None:
    flood = Flood(Relief(reserve=Reserve(10, LOW)), workers)
    flood.run(HOUR, {CRITICAL: at_once(100_000), LOW: at_once(100_000)}, slots)
    started = sum(map(len, flood.waits.values()))
    assert abs(len(flood.waits[LOW]) - started / 10) <= workers
    assert started == HOUR * slots


def test_with_a_reserve_urgent_jobs_below_their_part_never_wait_longer_than_a_start() -> None:
    flood = Flood(Relief(reserve=Reserve(10, LOW)))
    flood.run(HOUR, {LOW: at_once(100_000)})
    flood.run(6 * HOUR, {CRITICAL: every(1.2, HOUR)})
    assert max(flood.waits[CRITICAL]) <= 1


def test_with_both_each_of_three_levels_gets_on() -> None:
    flood = Flood(Relief(aging=AGING, reserve=Reserve(20, LOW)))
    flood.run(6 * HOUR, {CRITICAL: every(0.5), MEDIUM: every(1), LOW: at_once(100_000)})
    assert flood.share(CRITICAL) >= 0.4 - 0.01
    assert flood.share(MEDIUM) >= 0.2 - 0.01
    assert flood.share(LOW) >= 0.2 - 0.01
