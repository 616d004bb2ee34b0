"""A worker that is gone before the effect of its job, after it, and after the commit of its success.

A crash is a worker by hand that nobody asks any more; its effect is a line in a list.
"""

from collections.abc import Callable

from tenure.core.attempt import Outcome
from tenure.core.states import State
from tenure.engine.attempts.handler import Handler
from tenure.engine.attempts.run import Run
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, done
from tests.engine.workshop import Desk, OpenWorkshop, handler

LEASE = 60.0


def effecting(effects: list[int]) -> Handler:
    """A handler whose effect is the number of its attempt."""

    def call(run: Run) -> str:
        effects.append(run.lease.attempt)
        return '"done"'

    return handler("k", call)


def test_a_crash_before_the_effect_leaves_one_effect_by_the_next_attempt(
    ask: Ask, shop: OpenWorkshop, clock: FakeClock, sweep: Callable[[], object]
) -> None:
    effects: list[int] = []
    job = ask.enqueued()
    Desk(ask.store).claim()  # it never calls a handler
    clock.advance(LEASE + 1)
    sweep()
    shop(effecting(effects), worker="w2").work_off()
    assert effects == [2]
    assert [attempt.outcome for attempt in ask.history(job)] == [Outcome.LEASE_EXPIRED, Outcome.SUCCEEDED]


def test_a_crash_after_the_effect_runs_it_again_and_history_tells_both(
    ask: Ask, shop: OpenWorkshop, clock: FakeClock, sweep: Callable[[], object]
) -> None:
    effects: list[int] = []
    job = ask.enqueued()
    crashed = shop(effecting(effects), worker="w1")
    crashed.claim()
    crashed.wait_back()  # the handler has returned; its report is never written
    clock.advance(LEASE + 1)
    sweep()
    shop(effecting(effects), worker="w2").work_off()
    assert effects == [1, 2]
    lost, won = ask.history(job)
    assert (lost.outcome, won.outcome) == (Outcome.LEASE_EXPIRED, Outcome.SUCCEEDED)
    assert lost.fencing_token < won.fencing_token


def test_a_crash_after_the_commit_of_the_success_runs_nothing_again(
    ask: Ask, shop: OpenWorkshop, clock: FakeClock, sweep: Callable[[], object]
) -> None:
    effects: list[int] = []
    job = ask.enqueued()
    crashed = shop(effecting(effects), worker="w1")
    crashed.claim()
    crashed.wait_back()
    crashed.dispatcher.tick()
    clock.advance(LEASE + 1)
    sweep()
    assert shop(effecting(effects), worker="w2").work_off() == []
    assert effects == [1]
    assert ask.job(job).state is State.SUCCEEDED


def test_a_completion_after_recovery_is_stale_and_noted_and_changes_nothing(
    ask: Ask, shop: OpenWorkshop, clock: FakeClock, sweep: Callable[[], object]
) -> None:
    effects: list[int] = []
    job = ask.enqueued()
    slow = shop(effecting(effects), worker="w1")
    slow.claim()
    slow.wait_back()
    clock.advance(LEASE + 1)
    sweep()
    running = ask.lease()
    slow.dispatcher.tick()
    row = ask.job(job)
    assert (row.state, row.lease_token, row.result) == (State.RUNNING, running.token, None)
    assert ask.answer(done(running, '"second"')).standing == "done"
    assert ask.job(job).result == '"second"'
    late = ask.history(job)[0].late_report
    assert late is not None
    assert late.verb == "complete"


def test_the_same_completion_twice_is_answered_as_a_repeat(ask: Ask) -> None:
    ask.enqueued()
    lease = ask.lease()
    assert [ask.answer(done(lease)).standing for _ in range(2)] == ["done", "repeated"]
