"""Every pair of a state and an event is legal or refused, and the decisions agree with the table."""

from collections.abc import Callable

import msgspec
import pytest

from tenure.core import transitions
from tenure.core.attempt import ErrorClass
from tenure.core.flow.order import HEAD
from tenure.core.job import FIXED, Job
from tenure.core.reports import Completion, Release, Snoozing
from tenure.core.states import TABLE, TERMINAL, WAITING, Event, State, is_legal
from tenure.core.transitions import IllegalTransition, Transition
from tests.core.making import GRANT, at, failure, job_in

LATE = at(100_000)

DECISIONS: dict[Event, Callable[[Job], Transition | None]] = {
    Event.CLAIM: lambda job: transitions.claim(job, LATE, GRANT),
    Event.COMPLETE: lambda job: transitions.complete(job, LATE, Completion("j", "token")),
    Event.FAIL: lambda job: transitions.fail(job, LATE, failure()),
    Event.SNOOZE: lambda job: transitions.snooze(job, LATE, Snoozing(job_id="j", token="token", delay=1.0)),
    Event.RELEASE: lambda job: transitions.release(job, LATE, Release(job_id="j", token="token", begun=True)),
    Event.EXPIRE: lambda job: transitions.expire(job, LATE, 0.5),
    Event.CANCEL: lambda job: transitions.cancel(stopping(job), LATE),
    Event.SUPERSEDE: lambda job: transitions.supersede(job, LATE, "newer"),
    Event.PASS_DEADLINE: lambda job: transitions.pass_deadline(msgspec.structs.replace(job, deadline=at(1)), LATE),
    Event.DUE: lambda job: transitions.promote(job, LATE),
    Event.SET_ASIDE: lambda job: transitions.set_aside(job, LATE, "why"),
    Event.REDRIVE: lambda job: transitions.redrive(job, LATE),
    Event.UNBLOCK: lambda job: transitions.unblock(job, LATE),
}


def stopping(job: Job) -> Job:
    """A failed job stops its order key: no other one that has failed is cancelled."""
    if job.state is not State.FAILED:
        return job
    return msgspec.structs.replace(job, order_place=HEAD)


def leads_somewhere(state: State, event: Event) -> bool:
    return any(is_legal(state, event, after) for after in State)


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("event", DECISIONS)
def test_a_decision_moves_a_job_exactly_where_the_table_lets_it(state: State, event: Event) -> None:
    job = job_in(state)
    try:
        move = DECISIONS[event](job)
    except IllegalTransition:
        move = None
    if leads_somewhere(state, event):
        assert move is not None
        assert is_legal(state, event, move.after.state)
        assert move.event is event
        assert move.after.revision == job.revision + 1
        assert move.after.updated_at == LATE
        assert all(getattr(move.after, name) == getattr(job, name) for name in FIXED)
    else:
        assert move is None


def test_the_table_names_a_state_and_an_event_once() -> None:
    pairs = [(rule.before, rule.event) for rule in TABLE]
    assert len(pairs) == len(set(pairs))


def test_terminal_states_are_left_by_a_redrive_or_a_cancel_of_a_failed_job_alone() -> None:
    leaving = {(rule.before, rule.event) for rule in TABLE if rule.before in TERMINAL and rule.after != {rule.before}}
    assert leaving == {(State.FAILED, Event.REDRIVE), (State.FAILED, Event.CANCEL)}


def test_every_state_is_waiting_running_or_terminal() -> None:
    assert {*WAITING, State.RUNNING, *TERMINAL} == set(State)


def test_running_is_entered_by_a_claim_alone() -> None:
    ways = {(rule.before, rule.event) for rule in TABLE if State.RUNNING in rule.after}
    assert ways == {(State.READY, Event.CLAIM), (State.RUNNING, Event.CANCEL)}


@pytest.mark.parametrize("state", sorted(set(State) - {State.RUNNING}))
def test_outside_running_no_row_describes_an_attempt(state: State) -> None:
    job = job_in(state)
    names = ("lease_token", "claim_id", "worker", "started_at", "lease_expires_at", "must_end_at", "progress")
    assert [getattr(job, name) for name in names] == [None] * len(names)


@pytest.mark.parametrize("error_class", ErrorClass)
def test_every_error_class_leads_where_the_table_lets_a_failure_lead(error_class: ErrorClass) -> None:
    move = transitions.fail(job_in(State.RUNNING), LATE, failure(error_class))
    assert is_legal(State.RUNNING, Event.FAIL, move.after.state)
    assert move.attempt is not None
    assert move.attempt.error_class is error_class
