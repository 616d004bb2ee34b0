"""Whose turn it is, how much is asked for, and when."""

from typing import Any

import pytest

from tenure.core.flow.place import Place
from tenure.core.flow.relief import Relief, Reserve
from tenure.core.job import NewJob
from tenure.operations.pause import pause, resume
from tenure.operations.set_limit import set_limit
from tenure.operations.set_relief import set_relief
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, new
from tests.engine.troubled import Troubled
from tests.engine.workshop import Desk


def jobs(queue: str, count: int, **said: Any) -> list[NewJob]:
    return [new(queue=queue, **said) for _ in range(count)]


def test_queues_take_turns(ask: Ask, store: Troubled) -> None:
    desk = Desk(store, slots=2, queues=("a", "b"))
    ask.enqueue(*jobs("a", 6), *jobs("b", 6))
    seen = []
    for _ in range(4):
        fresh = desk.claim()
        seen.append({run.lease.queue for run in fresh})
        for run in fresh:
            desk.roster.remove(run)
    assert seen == [{"a"}, {"b"}, {"a"}, {"b"}]


def test_an_empty_queue_does_not_hold_up_the_others(ask: Ask, store: Troubled) -> None:
    desk = Desk(store, slots=2, queues=("empty", "full"))
    ask.enqueue(*jobs("full", 2))
    desk.dispatcher.tick()
    assert desk.claimer.is_hungry()
    desk.dispatcher.tick()
    assert [run.lease.queue for run in desk.started] == ["full", "full"]


def test_no_queue_but_its_own_is_asked(ask: Ask, store: Troubled) -> None:
    desk = Desk(store, queues=("a",))
    ask.enqueue(*jobs("b", 1))
    assert desk.claim() == []


def test_tenants_take_turns_over_claims(ask: Ask, store: Troubled) -> None:
    desk = Desk(store, slots=1)
    ask.enqueue(*jobs("default", 3, tenant="many"), *jobs("default", 1, tenant="one"))
    served = []
    for _ in range(2):
        (run,) = desk.claim()
        served.append(run.lease.tenant)
        desk.roster.remove(run)
    assert sorted(served) == ["many", "one"]


def test_a_claim_that_was_not_filled_ends_the_hunger_until_a_hint_or_the_poll(
    ask: Ask, store: Troubled, clock: FakeClock
) -> None:
    desk = Desk(store, poll=1.0)
    desk.dispatcher.tick()
    assert not desk.claimer.is_hungry()
    desk.claimer.hint()
    assert desk.claimer.is_hungry()
    desk.dispatcher.tick()
    clock.advance(0.4)
    assert desk.claimer.seconds_to_poll() == pytest.approx(0.6)
    clock.advance(0.6)
    assert desk.claimer.is_hungry()


def test_a_paused_queue_is_asked_no_more_than_an_empty_one(ask: Ask, store: Troubled) -> None:
    desk = Desk(store, poll=1.0)
    ask.enqueue(*jobs("default", 3))
    ask.run(pause(ask.verbs, "queue", "default", who="op"))
    desk.dispatcher.tick()
    assert (desk.started, desk.claimer.is_hungry()) == ([], False)
    ask.run(resume(ask.verbs, "queue", "default", who="op"))
    desk.claimer.hint()
    desk.dispatcher.tick()
    assert len(desk.started) == 3


def test_a_filled_claim_leaves_it_hungry(ask: Ask, store: Troubled) -> None:
    desk = Desk(store, slots=1)
    ask.enqueue(new(), new())
    desk.claim()
    assert desk.claimer.is_hungry()


def test_every_claim_has_its_own_id_and_a_secret_for_each_slot(store: Troubled) -> None:
    desk = Desk(store, slots=3)
    first = desk.claimer.request(3)
    second = desk.claimer.request(3)
    assert first.claim_id != second.claim_id
    assert len({*first.tokens, *second.tokens}) == 6


def test_only_kinds_and_versions_that_the_worker_can_run_are_asked_for(ask: Ask, desk: Desk) -> None:
    ask.enqueue(new("other"), new("k", version=2))
    assert desk.claim() == []


UNOPENED = "sealed:gone:AAAA"


def test_a_queue_is_asked_again_at_once_when_a_claim_brought_work_beside_what_does_not_open(
    ask: Ask, store: Troubled
) -> None:
    desk = Desk(store, slots=2)
    ask.enqueue(new(payload=UNOPENED, priority=9), *jobs("default", 2))
    assert len(desk.claim()) == 1
    assert desk.claimer.is_hungry()


def test_a_queue_in_which_nothing_opens_rests_longer_each_time_so_that_its_jobs_are_left_to_others(
    ask: Ask, store: Troubled, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk(store, slots=2)
    first, *_ = ask.enqueue(*[new(payload=UNOPENED) for _ in range(40)])
    rests = []
    for _ in range(7):
        assert desk.claim() == []
        desk.claimer.hint()
        assert not desk.claimer.is_hungry()
        rests.append(round(desk.claimer.seconds_to_poll(), 3))
        clock.advance(rests[-1])
        assert desk.claimer.is_hungry()
    assert rests == [1.0, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    said = caplog.messages[0]
    assert said == (
        "sealed_key_missing: 2 jobs of queue default need key 'gone', which this process lacks: 2 sent back, 0 failed, "
        f"job {first.id} first. Give this process the key in TENURE_ENCRYPTION_KEYS."
    )


def test_a_queue_that_rests_is_told_as_a_trouble_and_holds_up_no_other(ask: Ask, store: Troubled) -> None:
    desk = Desk(store, slots=1, queues=("sealed", "open"))
    ask.enqueue(*jobs("sealed", 1, payload=UNOPENED), *jobs("open", 2))
    assert (desk.claim(), list(desk.claimer.troubles())) == ([], ["sealed_key_missing"])
    assert [run.lease.queue for run in desk.claim()] == ["open"]
    desk.claimer.hint()
    assert desk.claimer.is_hungry()


def test_what_a_limit_held_back_is_asked_for_as_soon_as_an_attempt_ends(ask: Ask, store: Troubled) -> None:
    ask.run(set_limit(ask.verbs, Place(kind="k"), 1, None, who="op"))
    desk = Desk(store, slots=5, poll=60.0)
    ask.enqueue(*jobs("default", 3))
    for done in range(3):
        desk.dispatcher.tick()
        assert (len(desk.started), desk.claimer.is_hungry()) == (done + 1, False)
        desk.say(desk.started[-1])
    desk.dispatcher.tick()
    assert desk.dispatcher.done == 3


def test_a_worker_of_one_slot_keeps_the_share_of_low_jobs_over_its_claims(ask: Ask, store: Troubled) -> None:
    ask.run(set_relief(ask.verbs, "default", Relief(reserve=Reserve(25, 0)), who="op"))
    desk = Desk(store, slots=1)
    ask.enqueue(*jobs("default", 40, priority=20), *jobs("default", 40, priority=0))
    started = []
    for _ in range(40):
        (run,) = desk.claim()
        started.append(run.lease.priority)
        desk.roster.remove(run)
    assert abs(started.count(0) - 10) <= 1
