"""Jobs that take several slots of their worker: what is kept for them, and for how long."""

import pytest

from tenure.core.hints import Woken
from tenure.core.kind import Kind
from tenure.core.states import State
from tenure.engine.claiming.waking import Waking
from tenure.operations.cancel import cancel
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, new
from tests.engine.troubled import Troubled
from tests.engine.workshop import Desk, handler, succeeding


@pytest.fixture
def desk(ask: Ask, store: Troubled) -> Desk:
    ask.run(ask.verbs.put_kinds([Kind(name="heavy", slots=3)], replace=True))
    return Desk(store, [succeeding("heavy"), succeeding("light")], slots=4, poll=60.0, queues=("default", "other"))


def kinds(desk: Desk) -> list[str]:
    return [run.lease.kind for run in desk.started]


def test_an_attempt_keeps_as_many_slots_as_its_kind_takes(ask: Ask, desk: Desk) -> None:
    ask.enqueue(new("heavy"), new("light"))
    desk.dispatcher.tick()
    assert (kinds(desk), desk.roster.free) == (["heavy", "light"], 0)
    desk.say(desk.started[0])
    desk.dispatcher.tick()
    assert desk.roster.free == 3


def test_freed_slots_are_kept_until_the_job_whose_turn_it_is_can_start(ask: Ask, desk: Desk) -> None:
    ask.enqueue(*[new("light") for _ in range(3)], new("heavy"), *[new("light") for _ in range(9)])
    ask.enqueue(*[new("light", queue="other") for _ in range(9)])
    desk.dispatcher.tick()
    assert (kinds(desk), desk.roster.free) == (["light"] * 3, 1)
    for number, ended in enumerate(desk.started[:2], 2):
        assert desk.dispatcher.wait() > 0
        desk.dispatcher.tick()
        assert len(desk.started) == 3, "nothing else takes the slots that are kept"
        desk.say(ended)
        desk.dispatcher.tick()
        assert desk.roster.free == (number if number < 3 else 0)
    assert kinds(desk) == ["light"] * 3 + ["heavy"]


def test_what_was_kept_for_a_job_that_is_gone_is_claimed_at_the_next_poll(
    ask: Ask, desk: Desk, clock: FakeClock
) -> None:
    ask.enqueue(*[new("light") for _ in range(3)])
    heavy = ask.enqueued("heavy")
    ask.enqueue(new("light"))
    desk.dispatcher.tick()
    assert desk.claimer.keeps(desk.roster.free)
    ask.run(cancel(ask.verbs, heavy, who="op"))
    clock.advance(60.0)
    assert not desk.claimer.keeps(desk.roster.free)
    desk.dispatcher.tick()
    assert kinds(desk) == ["light"] * 4


def test_a_worker_with_too_few_slots_takes_what_comes_after(ask: Ask, store: Troubled) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name="heavy", slots=5)], replace=True))
    small = Desk(store, [succeeding("heavy"), succeeding("light")], slots=4)
    ask.enqueue(new("heavy"), new("light"))
    small.dispatcher.tick()
    assert (kinds(small), small.claimer.keeps(small.roster.free)) == (["light"], False)


def test_a_hint_starts_a_heavy_job_only_where_its_slots_are_free(ask: Ask, store: Troubled) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name="heavy", slots=3)], replace=True))
    desk = Desk(store, [handler("heavy", lambda _run: None, slots=3)], slots=4)
    waking = Waking(store, desk.dispatcher, desk.handlers, ("default",), lambda: None)
    first, second = ask.enqueued("heavy"), ask.enqueued("heavy")
    assert (waking.wake(first), desk.roster.free) == (Woken.CLAIMED, 1)
    assert waking.wake(second) is Woken.BUSY
    assert ask.job(second).state is State.READY
