"""Two rounds of one dispatcher under way: while the first lane's statement has no answer yet, the second goes on."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tenure.core.attempt import ErrorClass, Outcome
from tenure.core.errors import StoreUnavailable
from tenure.core.reports import Completion
from tenure.core.states import State
from tenure.engine import exit_codes
from tenure.engine.attempts.run import Run
from tenure.stores.memory import MemoryStore
from tests.conformance.asking import Ask, failed, new
from tests.engine.living import living, until
from tests.engine.troubled import WAIT, Hold, Troubled
from tests.engine.workshop import Desk, handler

GONE = StoreUnavailable("the answer was lost")


class Going:
    """A round in a thread of its own. `left()` waits for its end; what it raised."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self._act = act
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._act()
        except BaseException as error:
            self._error = error

    def is_under_way(self) -> bool:
        return self._thread.is_alive()

    def left(self) -> BaseException | None:
        self._thread.join(WAIT)
        assert not self._thread.is_alive(), "the round does not end"
        return self._error


def enqueue(ask: Ask, count: int) -> list[str]:
    return [ask.enqueued() for _ in range(count)]


def running(ask: Ask, ids: Sequence[str]) -> int:
    return sum(ask.job(job_id).state is State.RUNNING for job_id in ids)


def say(desk: Desk, runs: Sequence[Run]) -> None:
    for run in runs:
        desk.say(run)


def both_under_way(desk: Desk, store: Troubled, runs: Sequence[Run]) -> tuple[list[Going], list[Hold]]:
    """Each lane writes half of the completions of `runs` and claims as many, once its statement is let go."""
    half = len(runs) // 2
    going: list[Going] = []
    holds: list[Hold] = []
    for said, act in ((runs[:half], desk.dispatcher.tick), (runs[half:], desk.dispatcher.help)):
        say(desk, said)
        holds.append(store.hold("complete_and_claim"))
        going.append(Going(act))
        assert holds[-1].entered.wait(WAIT)
    return going, holds


def test_the_second_lane_writes_and_claims_while_the_first_has_no_answer(ask: Ask, desk: Desk, store: Troubled) -> None:
    ids = enqueue(ask, 10)
    runs = desk.claim()
    say(desk, runs[:2])
    hold = store.hold("complete_and_claim")
    first = Going(desk.dispatcher.tick)
    assert hold.entered.wait(WAIT)
    say(desk, runs[2:])
    desk.dispatcher.help()
    assert [run.lease.job_id for run in desk.started] == ids[:6]
    assert running(ask, ids) == 4
    hold.go.set()
    assert first.left() is None
    assert running(ask, ids) == len(desk.roster) == 4
    assert desk.roster.free == 0
    assert desk.dispatcher.done == 4


def test_slots_that_a_claim_on_its_way_asks_for_are_not_asked_for_twice(ask: Ask, desk: Desk, store: Troubled) -> None:
    ids = enqueue(ask, 1)
    (run,) = desk.claim()
    ids += enqueue(ask, 10)
    hold = store.hold("claim")
    first = Going(desk.claim)
    assert hold.entered.wait(WAIT)
    desk.say(run)
    assert desk.dispatcher.help()
    assert [run.lease.job_id for run in desk.started] == ids[:2]
    hold.go.set()
    first.left()
    assert running(ask, ids) == len(desk.roster) == 4


def test_slots_of_a_claim_that_brought_less_are_free_again(ask: Ask, desk: Desk) -> None:
    enqueue(ask, 1)
    desk.claim()
    assert desk.roster.free == 3


@pytest.mark.parametrize("is_done", [True, False], ids=["done", "not done"])
def test_slots_of_a_claim_without_an_answer_stay_booked_until_it_is_repeated(
    ask: Ask, desk: Desk, store: Troubled, is_done: bool
) -> None:
    ids = enqueue(ask, 12)
    runs = desk.claim()
    say(desk, runs[:2])
    if is_done:
        store.lose_answer("complete_and_claim", GONE)
    else:
        store.fail("complete_and_claim", GONE)
    store.fail("report", GONE)
    assert Going(desk.dispatcher.tick).left() is GONE
    say(desk, runs[2:])
    store.calls.clear()
    store.fail("report", GONE)
    assert Going(desk.dispatcher.help).left() is GONE
    assert running(ask, ids) == 4
    desk.dispatcher.tick()
    assert running(ask, ids) == len(desk.roster) <= 4
    desk.claim()
    assert running(ask, ids) == len(desk.roster) == 4
    assert [ask.job(job_id).attempt for job_id in ids[:4]] == [1] * 4


def test_no_report_is_lost_when_the_statements_of_both_lanes_fail(ask: Ask, desk: Desk, store: Troubled) -> None:
    ids = enqueue(ask, 4)
    store.fail("report", GONE, times=2)
    going, holds = both_under_way(desk, store, desk.claim())
    store.lose_answer("complete_and_claim", GONE)
    store.lose_answer("complete_and_claim", GONE)
    for hold in holds:
        hold.go.set()
    assert [one.left() for one in going] == [GONE, GONE]
    assert len(desk.outbox) == 4
    while desk.dispatcher.tick() <= 0:
        pass
    assert len(desk.roster) == 0
    assert desk.roster.free == 4
    assert desk.dispatcher.done == 4
    for job_id in ids:
        (attempt,) = ask.history(job_id)
        assert (ask.job(job_id).state, attempt.outcome) == (State.SUCCEEDED, Outcome.SUCCEEDED)
        assert attempt.late_report is None


def test_the_reports_of_the_other_lane_go_in_when_one_lane_fails(ask: Ask, desk: Desk, store: Troubled) -> None:
    ids = enqueue(ask, 4)
    store.fail("report", GONE)
    going, holds = both_under_way(desk, store, desk.claim())
    store.lose_answer("complete_and_claim", GONE)
    holds[0].go.set()
    assert going[0].left() is GONE
    holds[1].go.set()
    assert going[1].left() is None
    assert [run.lease.job_id for run in desk.roster.runs()] == ids[:2]
    while desk.dispatcher.tick() <= 0:
        pass
    assert len(desk.roster) == 0
    assert [len(ask.history(job_id)) for job_id in ids] == [1] * 4


def test_the_second_lane_leaves_what_an_attempt_says_after_the_report_that_is_on_its_way(
    ask: Ask, desk: Desk, store: Troubled
) -> None:
    ask.enqueued()
    (run,) = desk.claim()
    desk.say(run, failed(run.lease, ErrorClass.TERMINAL))
    hold = store.hold("report")
    first = Going(desk.dispatcher.tick)
    assert hold.entered.wait(WAIT)
    desk.say(run)
    assert not desk.dispatcher.help()
    assert len(desk.outbox) == 1
    hold.go.set()
    first.left()
    desk.dispatcher.tick()
    assert ask.job(run.lease.job_id).state is State.FAILED
    assert ask.history(run.lease.job_id)[0].late_report is not None


def test_the_first_lane_waits_for_what_an_attempt_said_before(ask: Ask, desk: Desk, store: Troubled) -> None:
    ask.enqueued()
    (run,) = desk.claim()
    desk.say(run, failed(run.lease, ErrorClass.TERMINAL))
    hold = store.hold("report")
    second = Going(desk.dispatcher.help)
    assert hold.entered.wait(WAIT)
    desk.say(run)
    first = Going(desk.dispatcher.tick)
    until(lambda: not len(desk.outbox))
    assert first.is_under_way()
    hold.go.set()
    assert (second.left(), first.left()) == (None, None)
    assert ask.job(run.lease.job_id).state is State.FAILED


def test_help_is_needed_only_when_enough_waits_behind_a_round(ask: Ask, desk: Desk, store: Troubled) -> None:
    enqueue(ask, 4)
    runs = desk.claim()
    say(desk, runs[:1])
    hold = store.hold("complete_and_claim")
    first = Going(desk.dispatcher.tick)
    assert hold.entered.wait(WAIT)
    say(desk, runs[1:2])
    assert not desk.dispatcher.needs_help()
    say(desk, runs[2:3])
    assert desk.dispatcher.needs_help()
    hold.go.set()
    first.left()
    assert not desk.dispatcher.needs_help()


def test_a_hint_is_not_forgotten_for_the_short_answer_of_a_claim_that_was_on_its_way(
    desk: Desk, store: Troubled
) -> None:
    store.meanwhile("claim", desk.claimer.hint)
    desk.claim()
    assert desk.claimer.is_hungry()
    desk.dispatcher.tick()
    assert not desk.claimer.is_hungry()


def test_a_shutdown_with_both_lanes_under_way_loses_and_doubles_nothing(ask: Ask, desk: Desk, store: Troubled) -> None:
    ids = enqueue(ask, 8)
    going, holds = both_under_way(desk, store, desk.claim())
    desk.dispatcher.stop_claiming()
    for hold, one in zip(holds, going, strict=True):
        assert not desk.dispatcher.wait_round(0)
        hold.go.set()
        one.left()
    assert desk.dispatcher.wait_round(0)
    desk.dispatcher.tick()
    assert desk.dispatcher.release_unsettled() == 0
    assert len(desk.roster) == 0
    assert Counter(ask.job(job_id).state for job_id in ids) == {State.SUCCEEDED: 4, State.READY: 4}
    assert [attempt.begun for job_id in ids[4:] for attempt in ask.history(job_id)] == [False] * 4


def test_the_leases_of_two_unanswered_claims_are_given_back_at_shutdown(ask: Ask, desk: Desk, store: Troubled) -> None:
    ids = enqueue(ask, 8)
    going, holds = both_under_way(desk, store, desk.claim())
    store.lose_answer("complete_and_claim", GONE)
    store.lose_answer("complete_and_claim", GONE)
    for hold, one in zip(holds, going, strict=True):
        hold.go.set()
        assert one.left() is GONE
    desk.dispatcher.stop_claiming()
    desk.dispatcher.tick()
    assert running(ask, ids) == 4
    assert desk.dispatcher.release_unsettled() == 4
    assert Counter(ask.job(job_id).state for job_id in ids) == {State.SUCCEEDED: 4, State.READY: 4}


def test_a_busy_worker_with_two_lanes_never_holds_more_leases_than_slots_and_runs_each_job_once() -> None:
    store = Troubled(MemoryStore())
    store.claim_lanes = 2
    ask = Ask(store, None)  # type: ignore[arg-type]
    ask.enqueue(*(new() for _ in range(600)))
    lanes, most, slots, calls = set(), 0, 8, Counter[str]()

    def look() -> None:
        nonlocal most
        lanes.add(threading.current_thread().name)
        most = max(most, sum(count.jobs for count in ask.run(store.verbs.counts()) if count.state is State.RUNNING))
        threading.Event().wait(0.002)

    async def noting(run: Run) -> None:
        calls[run.lease.job_id] += 1
        await asyncio.sleep(len(calls) % 3 * 0.001)

    store.always("complete_and_claim", look)
    with living(store, [handler("k", noting, "loop")], slots=slots) as one:
        until(lambda: one.worker.health().done == 600)
    assert one.code == exit_codes.OK
    assert lanes == {"tenure-claim", "tenure-claim-2"}
    assert 0 < most <= slots
    assert set(calls.values()) == {1}
    assert len(calls) == 600


def test_a_worker_that_is_stopped_in_the_middle_of_two_lanes_leaves_each_job_done_once_or_ready() -> None:
    store = Troubled(MemoryStore())
    store.claim_lanes = 2
    ask = Ask(store, None)  # type: ignore[arg-type]
    ids = [job.id for job in (new() for _ in range(2000)) if ask.enqueue(job)]
    calls = Counter[str]()

    async def noting(run: Run) -> None:
        calls[run.lease.job_id] += 1

    with living(store, [handler("k", noting, "loop")], slots=8) as one:
        until(lambda: one.worker.health().done >= 100)
        one.stop()
        assert one.left() == exit_codes.OK
    states = Counter(ask.job(job_id).state for job_id in ids)
    assert set(states) <= {State.SUCCEEDED, State.READY}
    assert set(calls.values()) == {1}
    assert states[State.SUCCEEDED] == len(calls)


def test_where_the_store_has_one_lane_nobody_helps() -> None:
    store = Troubled(MemoryStore())
    with living(store, [handler("k", lambda _run: None)]):
        assert "tenure-claim-2" not in {thread.name for thread in threading.enumerate()}
    assert store.claim_lanes == 1


def test_a_completion_in_a_hand_that_is_let_go_is_not_written_twice(ask: Ask, desk: Desk, store: Troubled) -> None:
    ids = enqueue(ask, 4)
    runs = desk.claim()
    say(desk, runs)
    desk.dispatcher.stop_claiming()
    desk.dispatcher.help()
    store.calls.clear()
    desk.dispatcher.tick()
    assert store.calls == []
    assert [len(ask.history(job_id)) for job_id in ids] == [1] * 4
    assert ask.report(Completion(ids[0], runs[0].lease.token))[0].standing == "repeated"
