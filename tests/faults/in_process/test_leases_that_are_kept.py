"""FAULTS.md section 2: the same job twice, for its age, its heartbeats or the time it waits."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from tenure.core.attempt import Outcome
from tenure.core.errors import StoreUnavailable
from tenure.core.states import State
from tenure.engine.attempts.run import Run, StopReason
from tenure.engine.upkeep.promoter import Promoter
from tenure.engine.upkeep.reaper import Reaper
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, new
from tests.conftest import STORES
from tests.engine.troubled import Troubled
from tests.engine.workshop import WAIT, OpenWorkshop, Stuck, Workshop, handler, pass_time, succeeding

pytestmark = pytest.mark.parametrize("store", STORES, indirect=True)

SWEEP = 5.0
HOUR = timedelta(hours=1)


TICK = timedelta(seconds=10)


def polls(store: Troubled, workers: Sequence[Workshop]) -> Callable[[], None]:
    """One round: the due are promoted, lost leases swept, and every worker polls and works."""
    promoter, reaper = Promoter(store), Reaper(store, SWEEP)

    def round_() -> None:
        promoter.tick()
        reaper.tick()
        for worker in workers:
            worker.claim()
            worker.heart.tick()
            worker.wait_back()
            worker.dispatcher.tick()

    return round_


def instants(begin: datetime, end: datetime, step: timedelta) -> Iterator[datetime]:
    """From `begin` to `end`, both included."""
    yield from (begin + n * step for n in range((end - begin) // step + 1))


@pytest.mark.parametrize("step", [6 * TICK, pytest.param(TICK, marks=pytest.mark.slow)], ids=str)
def test_a_job_due_in_six_hours_waits_in_the_database_and_runs_once(
    ask: Ask, store: Troubled, workshop: OpenWorkshop, clock: FakeClock, step: timedelta
) -> None:
    """B12 · Waiting work held under a claim that can expire."""
    workers = [workshop(succeeding(), worker=f"w{n}", lease=30.0) for n in range(4)]
    begin = clock()
    due = begin + 6 * HOUR
    job_id = ask.enqueued(run_at=due)
    poll = polls(store, workers)
    for instant in (*instants(begin, due - step, step), due - timedelta(microseconds=1)):
        clock.to(instant)
        poll()
    assert (ask.job(job_id).state, ask.job(job_id).attempt) == (State.SCHEDULED, 0)
    assert [worker.started for worker in workers] == [[]] * 4
    for instant in (*instants(due, due + HOUR / 6, TICK), *instants(due + HOUR / 6 + step, due + HOUR, step)):
        clock.to(instant)
        poll()
    (attempt,) = ask.history(job_id)
    assert (ask.job(job_id).state, attempt.outcome) == (State.SUCCEEDED, Outcome.SUCCEEDED)
    assert due <= attempt.started_at < due + TICK
    assert sum(len(worker.started) for worker in workers) == 1


def test_a_long_job_that_beats_is_never_taken_for_its_age(
    ask: Ask, store: Troubled, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    """B13 · Rescue by age instead of by lost lease."""
    stuck = Stuck()
    first = workshop(handler("k", stuck), lease=10.0)
    second = workshop(handler("k", stuck), lease=10.0, worker="w2")
    job_id = ask.enqueued()
    first.claim()
    stuck.wait()
    pass_time(clock, 300, first.heart.tick, first.watch.tick, Reaper(store, SWEEP).tick, second.dispatcher.tick)
    assert second.started == []
    stuck.go.set()
    first.wait_back()
    first.dispatcher.tick()
    assert [attempt.outcome for attempt in ask.history(job_id)] == [Outcome.SUCCEEDED]
    assert (ask.job(job_id).state, ask.job(job_id).attempt) == (State.SUCCEEDED, 1)


def test_only_a_missed_heartbeat_loses_the_lease(
    ask: Ask, store: Troubled, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    """B13 · After 300 s of heartbeats none comes any more: taken one lease after the last, by the next sweep."""
    stuck = Stuck()
    dies = workshop(handler("k", stuck), lease=10.0)
    job_id = ask.enqueued()
    dies.claim()
    stuck.wait()
    sweep = Reaper(store, SWEEP).tick
    pass_time(clock, 300, dies.heart.tick, sweep)
    expires = ask.job(job_id).lease_expires_at
    assert expires is not None
    pass_time(clock, (expires - clock()).total_seconds() - 0.001, sweep)
    assert ask.job(job_id).state is State.RUNNING
    pass_time(clock, SWEEP * 1.1 + 0.001, sweep)
    (lost,) = ask.history(job_id)
    assert (lost.outcome, lost.error_code) == (Outcome.LEASE_EXPIRED, "worker_lost")
    assert expires <= lost.ended_at <= expires + timedelta(seconds=SWEEP * 1.1)


def test_a_run_time_limit_is_a_reason_of_its_own(
    ask: Ask, store: Troubled, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    """B13 · A separate run-time limit is explicit and recorded as its own reason."""
    stuck = Stuck()
    shop = workshop(handler("k", stuck), lease=10.0)
    job_id = ask.enqueued(run_time_limit=60.0)
    shop.claim()
    stuck.wait()
    pass_time(clock, 70, shop.heart.tick, shop.watch.tick, Reaper(store, SWEEP).tick)
    stuck.go.set()
    shop.dispatcher.stop_claiming()
    shop.dispatcher.tick()
    (attempt,) = ask.history(job_id)
    assert (attempt.outcome, attempt.error_code) == (Outcome.TIMED_OUT, "timed_out")


class Held:
    """Async handlers that wait until all are let go. stopped: when each was cancelled."""

    def __init__(self, clock: FakeClock) -> None:
        self.go = asyncio.Event()
        self.stopped: list[datetime] = []
        self._clock = clock

    async def __call__(self, run: Run) -> None:
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.stopped.append(self._clock())
            raise


def two_hundred(ask: Ask) -> list[str]:
    return [job.id for job in ask.enqueue(*(new() for _ in range(200)))]


def test_slow_heartbeats_of_two_hundred_jobs_keep_every_lease(
    ask: Ask, store: Troubled, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    """B14 · Heartbeat delivery slower than the lease margin."""
    held = Held(clock)
    shop = workshop(handler("k", held, "loop"), lease=30.0, slots=250)
    ids = two_hundred(ask)
    assert len(shop.claim()) == 200
    left = [clock()]
    reaper = Reaper(store, SWEEP)

    def delayed() -> None:
        left.append(clock())
        for _ in range(8):
            clock.advance(1)
            reaper.tick()
            shop.watch.tick()
            shop.claim()

    store.always("heartbeat", delayed)
    pass_time(clock, 120, shop.heart.tick, reaper.tick, shop.watch.tick, shop.dispatcher.tick)
    assert (shop.ended, len(shop.started)) == ([], 200)
    assert {ask.job(job_id).state for job_id in ids} == {State.RUNNING}
    assert len(left) > 12
    assert all(later - earlier <= TICK for earlier, later in pairwise(left))
    shop.loop.loop.call_soon_threadsafe(held.go.set)
    shop.wait_back()
    shop.dispatcher.tick()
    assert {(ask.job(job_id).state, ask.job(job_id).attempt) for job_id in ids} == {(State.SUCCEEDED, 1)}
    assert {len(ask.history(job_id)) for job_id in ids} == {1}


def turns(shop: Workshop) -> None:
    """Waits until the event loop has done what it was asked: a cancellation is asked, then thrown."""
    for _ in range(2):
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0), shop.loop.loop).result(WAIT)


@pytest.mark.parametrize("trouble", ["fails", "hangs"])
def test_a_worker_whose_beats_do_not_land_stops_before_anybody_else_may_start(
    ask: Ask, store: Troubled, workshop: OpenWorkshop, clock: FakeClock, trouble: str
) -> None:
    """B14 · A worker whose renewal did not land stops the attempt itself before the lease ends."""
    held, again = Held(clock), Held(clock)
    shop = workshop(handler("k", held, "loop"), lease=30.0, slots=200)
    other = workshop(handler("k", again, "loop"), lease=30.0, slots=200, worker="w2")
    ids = two_hundred(ask)
    runs = shop.claim()
    expires = {ask.job(job_id).lease_expires_at for job_id in ids}
    reaper = Reaper(store, SWEEP)
    taken: list[datetime] = []

    def meanwhile() -> float:
        shop.watch.tick()
        turns(shop)
        reaper.tick()
        if other.claim():
            taken.append(clock())
        return 0.5

    def hangs() -> None:
        for _ in range(80):
            clock.advance(0.5)
            meanwhile()

    if trouble == "hangs":
        store.meanwhile("heartbeat", hangs)
    store.fail("heartbeat", StoreUnavailable("slow"), times=1000)
    pass_time(clock, 45, shop.heart.tick, meanwhile)
    assert {run.stop_reason for run in runs} == {StopReason.LEASE_LOST}
    assert len(held.stopped) == len(shop.started) == len(other.started) == 200
    assert max(held.stopped) < min(at for at in expires if at is not None) <= min(taken)
    assert {tuple(attempt.outcome for attempt in ask.history(job_id)) for job_id in ids} == {(Outcome.LEASE_EXPIRED,)}


@pytest.mark.parametrize("after", [1, 2])
def test_a_lease_is_not_taken_twice_by_its_own_worker(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock, after: int
) -> None:
    """B14 · The same worker took its own running job again."""
    stuck = Stuck()
    shop = workshop(handler("k", stuck), slots=4)
    job_id = ask.enqueued()
    shop.claim()
    stuck.wait()
    for _ in range(after):
        clock.advance(20)
        shop.heart.tick()
        shop.claim()
    assert len(shop.started) == 1
    stuck.go.set()
    shop.wait_back()
    shop.dispatcher.tick()
    assert ask.job(job_id).attempt == 1
