"""FAULTS.md sections 10 and 11: limits, cancellation, and claiming more than can start."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest

from tenure.core.job_filter import JobFilter
from tenure.core.kind import Kind
from tenure.core.states import State
from tenure.core.transitions import has_expired
from tenure.engine.attempts.run import Run
from tenure.engine.upkeep.promoter import Promoter
from tenure.engine.upkeep.reaper import Reaper
from tenure.operations.cancel import Happened
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, failed, new, released, snoozed
from tests.conftest import STORES
from tests.engine.troubled import Troubled
from tests.engine.workshop import WAIT, Desk, Stuck, handler, succeeding
from tests.faults.in_process.conftest import OpenWorkshop


def limit(ask: Ask, concurrency: int) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name="k", concurrency=concurrency)], replace=True))


def valid_leases(ask: Ask, clock: FakeClock) -> int:
    running = ask.run(ask.verbs.list_jobs(JobFilter(states=(State.RUNNING,)), None, 1000))
    return sum(not has_expired(job, clock()) for job in running)


def test_the_death_of_a_worker_frees_its_limit_with_its_lease(ask: Ask, store: Troubled, clock: FakeClock) -> None:
    """B65 · Slot kept in a counter that nobody gives back."""
    limit(ask, 1)
    dead, alive = Desk(store, worker="dead"), Desk(store, worker="alive")
    first = ask.enqueued(run_at=clock())
    assert len(dead.claim()) == 1
    ids = [ask.enqueued() for _ in range(5)]
    clock.advance(59)
    assert alive.claim() == []
    clock.advance(1)
    assert len(alive.claim()) == 1
    Reaper(store, 5.0).tick()
    for _ in range(10):
        for run in alive.roster.runs():
            alive.say(run)
        alive.claim()
        assert valid_leases(ask, clock) <= 1
    assert {ask.job(job_id).state for job_id in (first, *ids)} == {State.SUCCEEDED}


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_a_stale_end_gives_back_no_place_under_the_limit(ask: Ask, store: Troubled, clock: FakeClock) -> None:
    """B67 · Double release: 11 copies of a limit-1 job."""
    limit(ask, 1)
    first, second = Desk(store, worker="w1"), Desk(store, worker="w2")
    ends: tuple[Callable[[Run], None], ...] = (
        lambda run: first.say(run),
        lambda run: first.say(run, failed(run.lease, wait=0.0)),
        lambda run: first.say(run, released(run.lease, begun=True)),
        lambda run: first.say(run, snoozed(run.lease, 0.0)),
    )
    first.dispatcher.claiming = True
    for round_ in range(20):
        job_id = ask.enqueued()
        (lost,) = first.claim()
        clock.advance(61)
        Reaper(store, 5.0).tick()
        (kept,) = second.claim()
        ends[round_ % len(ends)](lost)
        first.claim()
        assert valid_leases(ask, clock) == 1
        second.say(kept)
        second.dispatcher.stop_claiming()
        second.dispatcher.tick()
        second.dispatcher.claiming = True
        assert ask.job(job_id).state is State.SUCCEEDED
    ask.enqueue(*(new() for _ in range(20)))
    assert len(first.claim()) + len(second.claim()) == 1
    assert valid_leases(ask, clock) == 1


# B74


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_a_job_that_was_cancelled_while_no_worker_ran_never_starts(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock, store: Troubled
) -> None:
    """B74 · Cancel sent as a message, not written as state: (a) no worker, (d) due in an hour."""
    ready, later = ask.enqueued(), ask.enqueued(delay=3600.0)
    assert [ask.cancel(job_id).happened for job_id in (ready, later)] == [Happened.CANCELLED] * 2
    clock.advance(7200)
    Promoter(store).tick()
    assert workshop(succeeding()).work_off() == []
    assert {(ask.job(job_id).state, ask.job(job_id).attempt) for job_id in (ready, later)} == {(State.CANCELLED, 0)}


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_a_job_that_was_cancelled_while_it_waits_for_its_retry_never_starts_again(
    ask: Ask, workshop: OpenWorkshop, clock: FakeClock, store: Troubled
) -> None:
    """B74 · (c) before a retry wait ends."""
    job_id = ask.enqueued()
    ask.report(failed(ask.lease(), wait=60.0))
    assert ask.cancel(job_id).happened is Happened.CANCELLED
    clock.advance(120)
    Promoter(store).tick()
    assert workshop(succeeding()).work_off() == []
    assert (ask.job(job_id).state, ask.job(job_id).attempt) == (State.CANCELLED, 1)


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_a_job_that_was_cancelled_between_claim_and_start_hears_of_it_at_once(
    ask: Ask, workshop: OpenWorkshop, store: Troubled
) -> None:
    """B74 · (b) between claim and start: the answer tells which."""
    seen: list[bool] = []

    def call(run: Run) -> None:
        assert run.wait_stop(20.0)
        seen.append(run.cancel_requested)

    shop = workshop(handler("k", call))
    job_id = ask.enqueued()
    answers: list[Happened] = []
    start = shop.dispatcher._start

    def cancelled_first(runs: list[Run]) -> None:
        answers.append(ask.cancel(job_id).happened)
        start(runs)

    shop.dispatcher._start = cancelled_first  # type: ignore[assignment]
    shop.claim()
    shop.heart.tick()
    shop.wait_back()
    assert answers == [Happened.REQUESTED]
    assert seen == [True]


# B75


class Second:
    """A handler that takes until the test says that its second is over."""

    def __init__(self) -> None:
        self._began, self._over = threading.Semaphore(0), threading.Semaphore(0)

    def __call__(self, run: Run) -> str:
        self._began.release()
        assert self._over.acquire(timeout=WAIT)
        return '"short"'

    def entered(self, count: int) -> None:
        """Waits until so many more have begun."""
        for _ in range(count):
            assert self._began.acquire(timeout=WAIT)

    def over(self, count: int) -> None:
        self._over.release(count)


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_a_busy_worker_leaves_to_the_idle_ones_what_it_cannot_start(
    ask: Ask, workshop: OpenWorkshop, store: Troubled, clock: FakeClock
) -> None:
    """B75 · Claiming more than can start now."""
    long, short = Stuck(), Second()
    shops = [workshop(handler("long", long), handler("k", short), worker=f"w{n}", slots=1) for n in range(4)]
    busy, *idle = shops
    long_id = ask.enqueued("long")
    busy.claim()
    long.wait()
    short_ids = [ask.enqueued() for _ in range(5)]
    began, done = clock(), 0
    while done < len(short_ids):
        assert busy.claim() == []
        for shop in idle:
            shop.claim()
        under_way = sum(len(shop.started) for shop in idle) - done
        short.entered(under_way)
        assert (
            valid_leases(ask, clock) == sum(run.begun for shop in shops for run in shop.roster.runs()) == under_way + 1
        )
        clock.advance(1)
        short.over(under_way)
        done += under_way
        for shop in idle:
            shop.wait_back()
            shop.dispatcher.stop_claiming()
            shop.dispatcher.tick()
            shop.dispatcher.claiming = True
    ended = [ask.history(job_id)[0].ended_at for job_id in short_ids]
    assert max(ended) - began <= timedelta(seconds=3)
    clock.to(began + timedelta(seconds=60))
    long.go.set()
    busy.wait_back()
    busy.dispatcher.tick()
    assert {(ask.job(one).state, ask.job(one).attempt) for one in (long_id, *short_ids)} == {(State.SUCCEEDED, 1)}


@pytest.mark.parametrize("store", STORES, indirect=True)
def test_leases_that_have_not_started_are_released_at_once_when_the_worker_stops(
    ask: Ask, store: Troubled, clock: FakeClock
) -> None:
    """B75 · Stopping it returned only some."""
    desk = Desk(store, slots=3)
    ids = [ask.enqueued() for _ in range(3)]
    store.meanwhile("claim", desk.dispatcher.stop_claiming)
    assert desk.claim() == []
    desk.dispatcher.tick()
    assert {ask.job(job_id).state for job_id in ids} == {State.READY}
    assert valid_leases(ask, clock) == 0
