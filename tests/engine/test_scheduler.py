"""The scheduler, tick by tick, and what stands in its way."""

import logging

import pytest

from tenure.core.errors import StoreUnavailable
from tenure.engine.claiming.one_by_one import REST
from tenure.engine.upkeep.scheduler import Scheduler
from tests.conformance.asking import Ask
from tests.conformance.scheduling import Scheduled
from tests.engine.troubled import Troubled


def test_an_absent_database_ends_the_tick_and_the_next_one_goes_on(ask: Ask, store: Troubled) -> None:
    scheduled, scheduler = Scheduled(ask, cron="* * * * *"), Scheduler(store)
    ask.clock.advance(60)
    store.fail("advance_schedule", StoreUnavailable("gone"))
    with pytest.raises(StoreUnavailable):
        scheduler.tick()
    scheduler.tick()
    assert len(scheduled.jobs()) == 1


def test_a_lost_answer_makes_no_second_job(ask: Ask, store: Troubled) -> None:
    scheduled, scheduler = Scheduled(ask, cron="* * * * *"), Scheduler(store)
    ask.clock.advance(60)
    store.lose_answer("advance_schedule", StoreUnavailable("no answer"))
    with pytest.raises(StoreUnavailable):
        scheduler.tick()
    scheduler.tick()
    assert len(scheduled.jobs()) == 1


def test_a_schedule_whose_step_fails_is_told_and_rests_for_a_while(
    ask: Ask, store: Troubled, caplog: pytest.LogCaptureFixture
) -> None:
    scheduled, scheduler = Scheduled(ask, cron="* * * * *"), Scheduler(store)
    ask.clock.advance(60)
    store.fail("advance_schedule", LookupError("a row that nobody can read"))
    with caplog.at_level(logging.ERROR):
        scheduler.tick()
    assert "schedule nightly of tenant default: its step failed" in caplog.text
    for _ in range(REST):
        scheduler.tick()
    assert scheduled.jobs() == []
    scheduler.tick()
    assert len(scheduled.jobs()) == 1


def test_a_new_flag_is_told_once(ask: Ask, store: Troubled, caplog: pytest.LogCaptureFixture) -> None:
    Scheduled(ask, has_kind=False, cron="* * * * *")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            ask.clock.advance(60)
            Scheduler(store).tick()
    assert caplog.text.count("makes no jobs: unknown_kind") == 1


def test_what_is_made_is_announced(ask: Ask, store: Troubled) -> None:
    Scheduled(ask, cron="* * * * *")
    listener = store.listen(["default"])
    ask.clock.advance(60)
    Scheduler(store).tick()
    assert listener.wait(0)
