"""What becomes of an order key when one of its jobs fails for good: it stops, or goes on."""

from datetime import timedelta

import pytest

from tenure.core.attempt import ErrorClass
from tenure.core.flow.order import OnFailure
from tenure.core.job_filter import JobFilter
from tenure.core.redriving.redrive import Guard
from tenure.core.retention import Retention
from tenure.core.states import State
from tenure.operations.advance_redrive import advance_redrive
from tenure.operations.cancel import Happened
from tenure.operations.redrive import RedriveAnswer, Redriven, redrive
from tenure.operations.start_redrive import start_redrive
from tests.conformance.asking import Ask, done, failed, job_id
from tests.conformance.test_lines_go_in_order import line, ordered, run, states

GO_ON = OnFailure.CONTINUE


def break_head(ask: Ask) -> str:
    lease = ask.lease()
    ask.answer(failed(lease, ErrorClass.TERMINAL))
    return lease.job_id


def redriven(ask: Ask, victim: str) -> RedriveAnswer:
    return ask.run(redrive(ask.verbs, victim, who="op"))


def test_a_failed_job_stops_its_key_and_no_other(ask: Ask) -> None:
    ids = line(ask)
    other = ask.enqueue(ordered("y"))[0].id
    ask.answer(failed(next(lease for lease in ask.leases(5) if lease.job_id == ids[0]), ErrorClass.TERMINAL))
    assert states(ask, ids) == ["failed", "blocked", "blocked"]
    assert ask.enqueue(ordered())[0].job.state is State.BLOCKED
    assert ask.job(other).state is State.RUNNING
    assert [job.id for job in ask.run(ask.verbs.stopped(None, 10))] == ids[:1]
    assert ask.run(ask.verbs.stopped(["other"], 10)) == []


def test_a_redrive_of_the_job_that_stops_the_key_goes_on_where_it_stood(ask: Ask) -> None:
    ids = line(ask)
    assert break_head(ask) == ids[0]
    assert redriven(ask, ids[0]).state is State.READY
    assert run(ask, 3) == ids


def test_a_cancel_of_the_job_that_stops_the_key_lets_the_key_go_on(ask: Ask) -> None:
    ids = line(ask)
    break_head(ask)
    ask.clock.advance(5.0)
    answer = ask.cancel(ids[0])
    assert (answer.happened, answer.state, answer.queues) == (
        Happened.CANCELLED,
        State.CANCELLED,
        frozenset({"default"}),
    )
    job = ask.job(ids[0])
    assert (job.end_code, job.last_error_code, job.ended_at) == ("cancelled", "broken", ask.clock())
    assert run(ask, 2) == ids[1:]
    assert ask.cancel(ids[0]).happened is Happened.ALREADY_ENDED
    assert redriven(ask, ids[0]).happened is Redriven.NOT_FAILED


def test_a_failed_job_that_stops_nothing_is_not_cancelled(ask: Ask) -> None:
    ids = [*line(ask, 1, on_failure=GO_ON), ask.enqueued()]
    for lease in ask.leases(5):
        ask.answer(failed(lease, ErrorClass.TERMINAL))
    assert [ask.cancel(victim).happened for victim in ids] == [Happened.ALREADY_ENDED] * 2
    assert states(ask, ids) == ["failed", "failed"]


def test_a_key_goes_on_where_the_failed_job_says_so(ask: Ask) -> None:
    ids = line(ask, 3, on_failure=GO_ON)
    lease = ask.lease()
    assert ask.answer(failed(lease, ErrorClass.TERMINAL)).next_queue == "default"
    assert states(ask, ids) == ["failed", "ready", "blocked"]
    assert ask.run(ask.verbs.stopped(None, 10)) == []


def test_a_redrive_of_a_job_that_the_key_has_passed_joins_the_tail(ask: Ask) -> None:
    ids = line(ask, 3, on_failure=GO_ON)
    assert [break_head(ask), break_head(ask)] == ids[:2]
    assert [redriven(ask, victim).state for victim in (ids[1], ids[0])] == [State.BLOCKED] * 2
    last = line(ask, 1)
    assert run(ask, 4) == [ids[2], ids[1], ids[0], *last]


def test_a_redrive_into_an_empty_line_is_ready_at_once(ask: Ask) -> None:
    (victim,) = line(ask, 1, on_failure=GO_ON)
    break_head(ask)
    assert redriven(ask, victim).state is State.READY
    assert run(ask, 1) == [victim]


def test_a_redrive_of_a_selection_joins_the_tails_and_goes_on_in_stopped_keys(ask: Ask) -> None:
    stopped = line(ask, 2)
    passed = [ask.enqueue(ordered("y", on_failure=GO_ON))[0].id for _ in range(3)]
    for lease in ask.leases(5):
        ask.answer(failed(lease, ErrorClass.TERMINAL))
    redrive_id = job_id()
    ask.run(start_redrive(ask.verbs, redrive_id, JobFilter(kinds=("k",)), Guard(), who="op", why="mended"))
    while ask.run(advance_redrive(ask.verbs, redrive_id)).more:
        pass
    assert states(ask, stopped) == ["ready", "blocked"]
    assert states(ask, passed) == ["blocked", "ready", "blocked"]
    order = []
    while leases := ask.leases(5):
        order += [lease.job_id for lease in leases]
        ask.report(*map(done, leases))
    assert [victim for victim in order if victim in passed] == [passed[1], passed[2], passed[0]]


# Deadlines of jobs whose turn has not come


def overdue(ask: Ask, **fields: object) -> list[str]:
    """A line of four, the second of which has missed its deadline while the first runs."""
    ids = line(ask, 1)
    ids += line(ask, 1, deadline=ask.clock() + timedelta(seconds=10), **fields)
    ids += line(ask, 2)
    lease = ask.lease()
    ask.clock.advance(11.0)
    assert [move.after.id for move in ask.sweep_deadlines().ended] == [ids[1]]
    assert states(ask, ids) == ["running", "failed", "blocked", "blocked"]
    ask.answer(done(lease))
    return ids


def test_a_job_that_misses_its_deadline_stops_its_key_when_its_turn_comes(ask: Ask) -> None:
    ids = overdue(ask)
    assert states(ask, ids[2:]) == ["blocked", "blocked"]
    assert redriven(ask, ids[1]).state is State.READY
    assert run(ask, 3) == ids[1:]


def test_a_job_that_misses_its_deadline_is_passed_where_it_says_so(ask: Ask) -> None:
    ids = overdue(ask, on_failure=GO_ON)
    assert run(ask, 2) == ids[2:]


def test_a_cancel_of_a_job_that_has_missed_its_deadline_lets_the_key_go_on(ask: Ask) -> None:
    ids = overdue(ask)
    ask.cancel(ids[1])
    assert run(ask, 2) == ids[2:]


def test_a_job_that_is_redriven_before_its_turn_comes_waits_at_its_place(ask: Ask) -> None:
    ids = line(ask, 1)
    ids += line(ask, 1, deadline=ask.clock() + timedelta(seconds=10))
    ids += line(ask, 1)
    lease = ask.lease()
    ask.clock.advance(11.0)
    ask.sweep_deadlines()
    assert redriven(ask, ids[1]).state is State.BLOCKED
    ask.answer(done(lease))
    assert run(ask, 2) == ids[1:]


# Retention


def prune(ask: Ask) -> int:
    return ask.run(ask.verbs.prune(Retention(failed=timedelta(days=1), cancelled=timedelta(days=1)), 100))


@pytest.mark.parametrize("has_key", [False, True])
def test_a_job_that_stops_its_key_stays_as_long_as_it_does(ask: Ask, has_key: bool) -> None:
    ids = [ask.enqueue(ordered(idempotency_key="i" if has_key else None))[0].id, *line(ask, 1)]
    break_head(ask)
    ask.clock.advance(100 * 86_400.0)
    assert prune(ask) == 0
    assert states(ask, ids) == ["failed", "blocked"]
    ask.cancel(ids[0])
    ask.clock.advance(100 * 86_400.0)
    assert prune(ask) == 1
    assert run(ask, 1) == ids[1:]


def test_a_job_whose_payload_has_expired_still_stops_its_key_until_it_is_cancelled(ask: Ask) -> None:
    ids = line(ask, 2)
    break_head(ask)
    ask.clock.advance(100 * 86_400.0)
    assert ask.run(ask.verbs.expire_payloads(Retention(payload=timedelta(days=1)), 100)) == 1
    assert prune(ask) == 0
    assert redriven(ask, ids[0]).happened is Redriven.UNRECOVERABLE
    ask.cancel(ids[0])
    assert run(ask, 1) == ids[1:]


def test_a_job_that_the_key_has_passed_is_pruned_as_any_other(ask: Ask) -> None:
    line(ask, 1, on_failure=GO_ON)
    break_head(ask)
    ask.clock.advance(2 * 86_400.0)
    assert prune(ask) == 1
