"""Five schedulers that are stopped, continued and killed at random around each minute: every slot once (FAULTS B43)."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from tenure.core.job_filter import EVERY_JOB
from tenure.core.scheduling.schedule import Schedule
from tenure.stores.protocol import Store
from tests.conformance.asking import Ask
from tests.conformance.scheduling import Scheduled, minutes
from tests.crash.harness import ROOT
from tests.crash.scheduling import SharedClock, store_on
from tests.databases import EITHER, fresh

SCHEDULERS = 5
PATIENCE = 60.0
START = datetime(2026, 1, 5, 9, 0, 30, tzinfo=UTC)
AROUND = (28.0, 1.9, 0.2, 0.3, 1.6, 28.0)
"""Seconds between the looks at the schedulers in a minute: most of them stand close to its slot."""
BREATH = 0.01


class Storm:
    """The schedulers, and what befalls them."""

    def __init__(self, url: str, clock: Path, seed: int) -> None:
        self._command = [sys.executable, "-m", "tests.crash.scheduling", url, str(clock)]
        self._dice = Random(seed)
        self.kills = self.stops = 0
        self._running = [self._started() for _ in range(SCHEDULERS)]
        self._stopped: set[int] = set()

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._command, cwd=ROOT)

    def strike(self) -> None:
        place = self._dice.randrange(SCHEDULERS)
        act = self._dice.choice((self._stop, self._stop, self._continue, self._continue, self._continue, self._kill))
        act(place)

    def _stop(self, place: int) -> None:
        if len(self._stopped) < SCHEDULERS - 1 and place not in self._stopped:
            self._running[place].send_signal(signal.SIGSTOP)
            self._stopped.add(place)
            self.stops += 1

    def _continue(self, place: int) -> None:
        if place in self._stopped:
            self._running[place].send_signal(signal.SIGCONT)
            self._stopped.discard(place)

    def _kill(self, place: int) -> None:
        if self._dice.random() < 0.5:
            self._end(self._running[place])
            self._stopped.discard(place)
            self._running[place] = self._started()
            self.kills += 1

    def calm(self) -> None:
        for place in list(self._stopped):
            self._continue(place)

    def end(self) -> None:
        for process in self._running:
            self._end(process)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait(PATIENCE)


@pytest.fixture(params=EITHER)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return fresh(request.param, tmp_path)


@pytest.fixture
def clock(tmp_path: Path) -> SharedClock:
    clock = SharedClock(tmp_path / "clock")
    clock.to(START)
    return clock


@pytest.fixture
def store(url: str, clock: SharedClock) -> Iterator[Store]:
    store = store_on(url, clock)
    store.open()
    yield store
    store.close()


def made_up(scheduled: Scheduled, clock: SharedClock) -> Schedule:
    """The schedule, once somebody has decided on every slot that has passed."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        row = scheduled.row
        if row.next_at is not None and row.next_at > clock():
            return row
        time.sleep(BREATH)
    raise AssertionError("nobody looks at the schedule any more")


def weather(store: Store, url: str, clock: SharedClock, folder: Path, length: int) -> Storm:
    scheduled = Scheduled(Ask(store, clock), cron="* * * * *", misfire="all", misfire_cap=1000)  # type: ignore[arg-type]
    first = scheduled.made.schedule.next_at
    assert first is not None
    storm = Storm(url, folder / "clock", seed=length)
    try:
        for _ in range(length):
            for seconds in AROUND:
                clock.to(clock() + timedelta(seconds=seconds))
                storm.strike()
                time.sleep(BREATH)
        storm.calm()
        made_up(scheduled, clock)
    finally:
        storm.end()
    jobs = store.run(store.verbs.list_jobs(EVERY_JOB, None, 100_000))
    assert [job.run_at for job in reversed(jobs)] == minutes(first, length)
    assert scheduled.skipped() == []
    assert {row.job_id for row in scheduled.occurrences()} == {job.id for job in jobs}
    return storm


def test_every_slot_of_twenty_minutes_is_one_job_whatever_befalls_the_schedulers(
    store: Store, url: str, clock: SharedClock, tmp_path: Path
) -> None:
    """B43"""
    storm = weather(store, url, clock, tmp_path, 20)
    assert storm.kills > 3
    assert storm.stops > 10


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_slot_of_ten_hours_is_one_job_whatever_befalls_the_schedulers(
    store: Store, url: str, clock: SharedClock, tmp_path: Path
) -> None:
    """B43"""
    storm = weather(store, url, clock, tmp_path, 600)
    assert storm.kills > 100
