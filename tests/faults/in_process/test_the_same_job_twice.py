"""FAULTS.md section 2: the same job twice."""

import asyncio
from datetime import timedelta

import pytest

from tenure.core.attempt import EndedBy, Outcome
from tenure.core.errors import StoreUnavailable
from tenure.core.states import State
from tenure.engine import exit_codes
from tenure.engine.promoter import Promoter
from tenure.engine.reaper import Reaper
from tenure.engine.run import Run, StopReason
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, new
from tests.conftest import STORES
from tests.engine.living import living, until
from tests.engine.troubled import Troubled
from tests.engine.workshop import Stuck, handler, pass_time, succeeding
from tests.faults.in_process.conftest import OpenWorkshop


def test_a_job_due_in_six_hours_waits_in_the_database_and_runs_once(
    ask: Ask, store: Troubled, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    """B12 · Waiting work held under a claim that can expire."""
    workers = [workshop(succeeding(), worker=f"w{n}", lease=30.0) for n in range(4)]
    due = clock() + timedelta(hours=6)
    job_id = ask.enqueued(run_at=due)
    promoter, reaper = Promoter(store), Reaper(store, 5.0)
    steps = [600.0] * 35 + [10.0] * 120 + [600.0] * 5
    for step in steps:
        clock.advance(step)
        promoter.tick()
        reaper.tick()
        for worker in workers:
            worker.claim()
        if clock() < due:
            assert ask.job(job_id).attempt == 0
        for worker in workers:
            worker.wait_back()
            worker.dispatcher.tick()
    job = ask.job(job_id)
    assert (job.state, job.attempt) == (State.SUCCEEDED, 1)
    assert ask.history(job_id)[0].started_at - due < timedelta(seconds=10)


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
    pass_time(clock, 300, first.heart.tick, first.watch.tick, Reaper(store, 5.0).tick, second.dispatcher.tick)
    assert second.started == []
    stuck.go.set()
    first.wait_back()
    first.dispatcher.tick()
    assert [attempt.outcome for attempt in ask.history(job_id)] == [Outcome.SUCCEEDED]


def test_a_run_time_limit_is_a_reason_of_its_own(
    ask: Ask, store: Troubled, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    """B13 · A separate run-time limit is explicit and recorded as its own reason."""
    stuck = Stuck()
    shop = workshop(handler("k", stuck), lease=10.0)
    job_id = ask.enqueued(run_time_limit=60.0)
    shop.claim()
    stuck.wait()
    pass_time(clock, 70, shop.heart.tick, shop.watch.tick, Reaper(store, 5.0).tick)
    stuck.go.set()
    shop.dispatcher.stop_claiming()
    shop.dispatcher.tick()
    (attempt,) = ask.history(job_id)
    assert (attempt.outcome, attempt.error_code) == (Outcome.TIMED_OUT, "timed_out")


class Held:
    """Async handlers that wait until all are let go."""

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def __call__(self, run: Run) -> None:
        await self.go.wait()


def test_slow_heartbeats_of_two_hundred_jobs_keep_every_lease(
    ask: Ask, store: Troubled, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    """B14 · Heartbeat delivery slower than the lease margin."""
    held = Held()
    shop = workshop(handler("k", held, "loop"), lease=30.0, slots=200)
    ids = [job.id for job in ask.enqueue(*(new() for _ in range(200)))]
    runs = shop.claim()
    reaper = Reaper(store, 5.0)
    store.always("heartbeat", lambda: (clock.advance(8), reaper.tick(), shop.watch.tick()))
    pass_time(clock, 120, shop.heart.tick, reaper.tick, shop.watch.tick)
    assert shop.ended == []
    shop.loop.loop.call_soon_threadsafe(held.go.set)
    shop.wait_back()
    shop.dispatcher.tick()
    assert len(runs) == 200
    assert {(ask.job(job_id).state, ask.job(job_id).attempt) for job_id in ids} == {(State.SUCCEEDED, 1)}


def test_a_worker_whose_beats_do_not_land_stops_before_anybody_else_may_start(
    ask: Ask, store: Troubled, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    """B14 · A worker whose renewal did not land stops the attempt itself before the lease ends."""
    shop = workshop(handler("k", Held(), "loop"), lease=30.0)
    job_id = ask.enqueued()
    (run,) = shop.claim()
    expires = ask.job(job_id).lease_expires_at
    assert expires is not None
    stopped_at = []

    def look() -> float:
        wait = shop.watch.tick()
        if run.stop_reason is not None and not stopped_at:
            stopped_at.append(clock())
        return wait

    store.fail("heartbeat", StoreUnavailable("slow"), times=1000)
    pass_time(clock, 30, shop.heart.tick, look)
    assert run.stop_reason is StopReason.LEASE_LOST
    assert stopped_at[0] < expires


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_the_first_copy_of_a_timed_out_job_can_no_longer_say_how_it_ended(
    ask: Ask, store: Troubled, workshop: OpenWorkshop, clock: FakeClock
) -> None:
    """B18 · A timeout frees the job but not the old attempt's right to report."""
    stuck = Stuck()

    def call(run: Run) -> str:
        return stuck(run) if run.lease.attempt == 1 else '"from the second"'

    shop = workshop(handler("k", call), slots=2)
    job_id = ask.enqueued(run_time_limit=2.0, max_attempts=2)
    shop.claim()
    stuck.wait()
    pass_time(clock, 2, shop.watch.tick)
    shop.dispatcher.tick()
    clock.advance(2)
    Promoter(store).tick()
    shop.claim()
    shop.wait_back()
    shop.dispatcher.tick()
    assert ask.job(job_id).state is State.SUCCEEDED
    stuck.go.set()
    shop.wait_said(3)
    shop.dispatcher.tick()
    assert (ask.job(job_id).state, ask.job(job_id).result) == (State.SUCCEEDED, '"from the second"')
    first, second = ask.history(job_id)
    assert first.late_report is not None
    assert (first.late_report.verb, second.late_report) == (EndedBy.COMPLETE, None)


def test_a_draining_worker_claims_nothing_more_and_its_successor_does_the_work(live: Ask, live_store: Troubled) -> None:
    """B20 · Draining workers still claim; recovery happens once."""
    stuck = Stuck()
    old_store = Troubled(live_store)
    with living(old_store, [handler("slow", stuck), succeeding()], name="old") as old:
        slow = live.enqueued("slow")
        stuck.wait()
        old.stop()
        until(lambda: not old.worker._dispatcher.claiming and old.worker._dispatcher.wait_round(0.1))
        old_store.calls.clear()
        ids = [job.id for job in live.enqueue(*(new() for _ in range(20)))]
        live_store.announce(["default"])
        with living(live_store, [succeeding()], name="new"):
            until(lambda: all(live.job(job_id).state is State.SUCCEEDED for job_id in ids))
        stuck.go.set()
        assert old.left() == exit_codes.OK
    assert {"claim", "complete_and_claim"}.isdisjoint(old_store.calls)
    assert all(attempt.worker.startswith("new-") for job_id in ids for attempt in live.history(job_id))
    assert live.job(slow).state is State.SUCCEEDED


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
