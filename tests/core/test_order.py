"""The lines of order keys: who is next, who stays, who leaves."""

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.core import transitions
from tenure.core.attempt import ErrorClass
from tenure.core.flow import order
from tenure.core.flow.order import HEAD, OnFailure
from tenure.core.job import Job
from tenure.core.reports import Completion
from tenure.core.states import TERMINAL, State
from tenure.core.transitions import IllegalTransition, Transition
from tests.core.making import GRANT, NOW, at, failure, job_in

CHOICES = st.sampled_from(OnFailure)


def standing(state: State, place: int | None, on_failure: OnFailure = OnFailure.STOP) -> Job:
    return msgspec.structs.replace(job_in(state), order_key="x", order_place=place, on_failure=on_failure)


@pytest.mark.parametrize("on_failure", OnFailure)
@pytest.mark.parametrize("state", State)
def test_only_a_failed_job_that_stops_its_key_keeps_its_place_when_it_has_ended(
    state: State, on_failure: OnFailure
) -> None:
    place = order.place_after(standing(State.RUNNING, HEAD, on_failure), state)
    stays = state not in TERMINAL or (state is State.FAILED and on_failure is OnFailure.STOP)
    assert place == (HEAD if stays else None)


def test_whoever_stands_first_is_next_unless_it_has_failed_or_is_the_head_already() -> None:
    waiting = [standing(State.BLOCKED, place) for place in (9, 4, 7)]
    assert order.next_head(waiting) is waiting[1]
    assert order.next_head([*waiting, standing(State.SCHEDULED, HEAD)]) is None
    assert order.next_head([*waiting, standing(State.FAILED, 3)]) is None
    assert order.next_head([*waiting, standing(State.FAILED, 5)]) is waiting[1]
    assert order.next_head([*waiting, standing(State.SUCCEEDED, None)]) is waiting[1]
    assert order.next_head([]) is None


def test_a_head_is_scheduled_until_it_is_due() -> None:
    early = msgspec.structs.replace(standing(State.BLOCKED, 4), run_at=at(100))
    states = [
        move and move.after.state for move in (transitions.unblock(early, at(99)), transitions.unblock(early, at(100)))
    ]
    assert states == [State.SCHEDULED, State.READY]


def test_a_redrive_goes_on_at_the_place_that_the_job_has_kept() -> None:
    for place, state in ((HEAD, State.READY), (4, State.BLOCKED)):
        move = transitions.redrive(standing(State.FAILED, place), NOW, place=9)
        assert move is not None
        assert (move.after.state, move.after.order_place) == (state, place)


def test_a_redrive_of_a_job_that_has_left_its_line_needs_a_place_in_it() -> None:
    left = standing(State.FAILED, None, OnFailure.CONTINUE)
    with pytest.raises(IllegalTransition):
        transitions.redrive(left, NOW)
    move = transitions.redrive(left, NOW, place=9)
    assert move is not None
    assert (move.after.state, move.after.order_place) == (State.BLOCKED, 9)


class Line:
    """One key, with everybody who has ever stood in it."""

    def __init__(self) -> None:
        self.jobs: dict[str, Job] = {}
        self.drawn = 0

    def draw(self) -> int:
        self.drawn += 1
        return self.drawn

    def join(self, on_failure: OnFailure, deadline: int | None) -> None:
        place = self.draw()
        job = standing(State.BLOCKED, place, on_failure)
        ends = None if deadline is None else at(deadline)
        self.jobs[str(place)] = msgspec.structs.replace(job, id=str(place), seq=place, deadline=ends)
        self.settle()

    def put(self, move: Transition | None) -> None:
        if move is not None:
            self.jobs[move.after.id] = move.after
            self.settle()

    def settle(self) -> None:
        first = order.next_head(self.jobs.values())
        if first is not None:
            self.put(transitions.unblock(first, at(1)))

    def in_state(self, *states: State) -> Sequence[Job]:
        return [job for job in self.jobs.values() if job.state in states]


STEPS = ("join", "claim", "done", "fail", "retry", "cancel", "cancel failed", "redrive", "deadline")


@given(st.lists(st.tuples(st.sampled_from(STEPS), CHOICES, st.integers(0, 5), st.booleans()), max_size=60))
def test_whatever_happens_one_job_of_a_key_moves_at_a_time_and_nobody_overtakes(
    steps: list[tuple[str, OnFailure, int, bool]],
) -> None:
    line = Line()
    for step, on_failure, which, has_deadline in steps:
        before = dict(line.jobs)
        take(line, step, on_failure, which, has_deadline=has_deadline)
        heads = line.in_state(State.READY, State.SCHEDULED, State.RUNNING)
        assert len(heads) <= 1
        assert all(job.order_place == HEAD for job in heads)
        blocked = line.in_state(State.BLOCKED)
        stoppers = [job for job in line.in_state(State.FAILED) if order.stops_its_key(job)]
        if blocked and not heads:
            first = min(job.order_place or 0 for job in blocked)
            assert any((job.order_place or 0) < first for job in stoppers), "nobody moves, and nobody says why"
        for job in heads:
            was = before.get(job.id)
            if was is not None and was.state is State.BLOCKED:
                passed = [one for one in blocked if (one.order_place or 0) < (was.order_place or 0)]
                assert not passed, "somebody was overtaken"


def take(line: Line, step: str, on_failure: OnFailure, which: int, *, has_deadline: bool) -> None:
    now = at(1)

    def one(*states: State) -> Job | None:
        found = line.in_state(*states)
        return found[which % len(found)] if found else None

    match step:
        case "join":
            line.join(on_failure, 2 if has_deadline else None)
        case "claim" if job := one(State.READY):
            line.put(transitions.claim(job, now, GRANT))
        case "done" if job := one(State.RUNNING):
            line.put(transitions.complete(job, now, Completion(job.id, "token")))
        case "fail" | "retry" if job := one(State.RUNNING):
            error_class = ErrorClass.TERMINAL if step == "fail" else ErrorClass.RETRYABLE
            line.put(transitions.fail(job, now, failure(error_class)))
        case "cancel" if job := one(State.BLOCKED, State.READY, State.RUNNING):
            line.put(transitions.cancel(job, now))
        case "cancel failed" if job := one(State.FAILED):
            line.put(transitions.cancel(job, now))
        case "redrive" if job := one(State.FAILED):
            line.put(transitions.redrive(job, now, place=line.draw() if order.needs_place(job) else None))
        case "deadline" if job := one(State.BLOCKED):
            line.put(transitions.pass_deadline(job, at(3)))
