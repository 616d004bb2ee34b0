"""Reaper, promoter and pruner: one tick at a time, and what they do with rows that break a batch."""

from datetime import timedelta

import pytest

from tenure.core.attempt import Outcome
from tenure.core.errors import StoreBusy, StoreError, StoreUnavailable
from tenure.core.retention import Retention
from tenure.core.states import State
from tenure.engine.claiming.one_by_one import Aside
from tenure.engine.upkeep import promoter as promoting
from tenure.engine.upkeep import pruner as pruning
from tenure.engine.upkeep.promoter import Promoter
from tenure.engine.upkeep.pruner import Pruner
from tenure.engine.upkeep.reaper import Reaper
from tenure.stores.protocol import Promoted
from tenure.stores.script import Script
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, done, new
from tests.engine.troubled import Troubled


def waiting(ask: Ask, count: int, delay: float = 10.0) -> list[str]:
    return [ask.enqueued(delay=delay) for _ in range(count)]


def states(ask: Ask, ids: list[str]) -> list[State]:
    return [ask.job(job_id).state for job_id in ids]


# Reaper


def test_a_sweep_ends_lost_leases_and_passed_deadlines(ask: Ask, store: Troubled, clock: FakeClock) -> None:
    lost, late = ask.enqueued(), ask.enqueued("other", deadline=clock() + timedelta(seconds=30))
    ask.lease()
    clock.advance(61)
    wait = Reaper(store, 5.0).tick()
    assert ask.history(lost)[0].outcome is Outcome.LEASE_EXPIRED
    assert ask.job(late).end_code == "deadline_exceeded"
    assert 4.5 <= wait <= 5.5


def test_a_sweep_announces_what_is_ready_again(ask: Ask, store: Troubled, clock: FakeClock) -> None:
    ask.enqueued(queue="q")
    ask.lease(queue="q")
    clock.advance(61)
    listener = store.listen(["q"])
    Reaper(store, 5.0).tick()
    assert listener.wait(0)


def test_a_full_sweep_goes_on_at_once(ask: Ask, store: Troubled, clock: FakeClock) -> None:
    ask.enqueue(*(new() for _ in range(100)))
    ask.leases(100)
    clock.advance(61)
    reaper = Reaper(store, 5.0)
    assert reaper.tick() == 0.0
    assert reaper.tick() > 0.0


def test_the_next_sweep_finishes_what_an_absent_database_interrupted(
    ask: Ask, store: Troubled, clock: FakeClock
) -> None:
    ids = [ask.enqueued() for _ in range(5)]
    ask.leases(5)
    clock.advance(61)
    reaper = Reaper(store, 5.0)
    store.fail("expire_leases", StoreUnavailable("gone"))
    with pytest.raises(StoreUnavailable):
        reaper.tick()
    reaper.tick()
    assert set(states(ask, ids)) == {State.READY}


def test_a_sweep_that_is_refused_whole_is_made_row_by_row(ask: Ask, store: Troubled, clock: FakeClock) -> None:
    ids = [ask.enqueued() for _ in range(3)]
    ask.leases(3)
    clock.advance(61)
    store.fail("expire_leases", StoreError("a bad row"), times=2)
    Reaper(store, 5.0).tick()
    assert states(ask, ids) == [State.RUNNING, State.READY, State.READY]
    Reaper(store, 5.0).tick()
    assert set(states(ask, ids)) == {State.READY}


def test_an_absence_in_the_middle_of_a_sweep_by_rows_loses_nothing(ask: Ask, store: Troubled, clock: FakeClock) -> None:
    ids = [ask.enqueued() for _ in range(3)]
    ask.leases(3)
    clock.advance(61)
    reaper = Reaper(store, 5.0)
    store.fail("expire_leases", StoreError("a bad row"))
    store.fail("expire_leases", StoreUnavailable("gone"))
    with pytest.raises(StoreUnavailable):
        reaper.tick()
    reaper.tick()
    assert set(states(ask, ids)) == {State.READY}


# Promoter


def test_what_is_due_becomes_ready_and_the_wait_is_until_the_next(ask: Ask, store: Troubled, clock: FakeClock) -> None:
    due, later = ask.enqueued(delay=10.0), ask.enqueued(delay=10.4)
    clock.advance(10)
    listener = store.listen(["default"])
    assert Promoter(store).tick() == pytest.approx(0.4)
    assert states(ask, [due, later]) == [State.READY, State.SCHEDULED]
    assert listener.wait(0)


def test_with_nothing_near_it_looks_again_after_a_second(ask: Ask, store: Troubled) -> None:
    promoter = Promoter(store)
    assert promoter.tick() == 1.0
    ask.enqueued(delay=3600.0)
    assert promoter.tick() == 1.0


def test_a_full_batch_goes_on_at_once(
    ask: Ask, store: Troubled, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(promoting, "BATCH", 2)
    ids = waiting(ask, 3)
    clock.advance(10)
    promoter = Promoter(store)
    assert promoter.tick() == 0.0
    assert promoter.tick() == 1.0
    assert set(states(ask, ids)) == {State.READY}


def test_a_due_row_that_somebody_holds_is_not_asked_for_without_pause(
    store: Troubled, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def holding(limit: int) -> Script[Promoted]:
        yield from ()
        return Promoted(clock(), 0, frozenset(), clock())

    monkeypatch.setattr(store.verbs, "promote", holding)
    assert Promoter(store).tick() >= 0.1


def test_a_row_that_breaks_the_batch_is_set_aside_and_the_others_are_promoted(
    ask: Ask, store: Troubled, clock: FakeClock
) -> None:
    ids = waiting(ask, 4)
    clock.advance(10)
    store.fail("promote", StoreError("refused"))
    store.fail("promote_one", StoreError("this row is bad"))
    assert Promoter(store).tick() == 1.0
    assert states(ask, ids) == [State.FAILED, State.READY, State.READY, State.READY]
    bad = ask.job(ids[0])
    assert bad.end_code == "set_aside"
    assert "this row is bad" in (bad.error or "")


@pytest.mark.parametrize("name", ["promote", "promote_one"])
def test_a_busy_database_sets_no_row_aside(ask: Ask, store: Troubled, clock: FakeClock, name: str) -> None:
    ids = waiting(ask, 3)
    clock.advance(10)
    promoter = Promoter(store)
    if name == "promote_one":
        store.fail("promote", StoreError("refused"))
    store.fail(name, StoreBusy("locked"))
    with pytest.raises(StoreBusy):
        promoter.tick()
    promoter.tick()
    assert set(states(ask, ids)) == {State.READY}


def test_a_row_that_cannot_even_be_set_aside_rests_and_is_tried_again_later(
    ask: Ask, store: Troubled, clock: FakeClock
) -> None:
    (job_id,) = waiting(ask, 1)
    clock.advance(10)
    aside = Aside(store, rest=2)
    store.fail("set_aside", StoreError("no"))
    aside.put(job_id, StoreError("bad"))
    assert list(aside.without_resting([job_id])) == []
    assert list(aside.without_resting([job_id])) == []
    assert list(aside.without_resting([job_id])) == [job_id]
    assert ask.job(job_id).state is State.SCHEDULED


# Pruner


def test_a_short_batch_ends_the_pruning_for_an_interval_and_a_full_one_does_not(
    ask: Ask, store: Troubled, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "BATCH", 2)
    ask.enqueue(*(new() for _ in range(3)))
    ask.report(*(done(lease) for lease in ask.leases(3)))
    running = ask.enqueued("other")
    clock.advance(8 * 86_400)
    pruner = Pruner(store, Retention(), 60.0)
    assert pruner.tick() < 1.0
    assert pruner.tick() == 60.0
    assert [count.jobs for count in ask.run(store.verbs.counts())] == [1]
    assert ask.job(running).state is State.READY
