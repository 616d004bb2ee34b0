"""Lost answers, late answers, and a worker that stops: what the dispatcher does when it cannot know."""

import pytest

from tenure.core.attempt import ErrorClass
from tenure.core.errors import StoreUnavailable
from tenure.core.reports import Completion, Failure
from tenure.core.states import State
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, failed, new
from tests.engine.troubled import Troubled
from tests.engine.workshop import Desk


def test_a_claim_whose_answer_was_lost_is_repeated_under_its_id(ask: Ask, desk: Desk, store: Troubled) -> None:
    ids = [ask.enqueued(), ask.enqueued()]
    store.lose_answer("claim", StoreUnavailable("the answer was lost"))
    with pytest.raises(StoreUnavailable):
        desk.claim()
    assert {ask.job(job_id).attempt for job_id in ids} == {1}
    runs = desk.claim()
    assert [run.lease.job_id for run in runs] == ids
    assert {ask.job(job_id).attempt for job_id in ids} == {1}


def test_a_repeated_claim_believes_in_its_leases_only_from_when_they_were_granted(
    ask: Ask, desk: Desk, store: Troubled, clock: FakeClock
) -> None:
    ask.enqueued()
    store.lose_answer("claim", StoreUnavailable("the answer was lost"))
    with pytest.raises(StoreUnavailable):
        desk.claim()
    clock.advance(15)
    (run,) = desk.claim()
    assert run.safe_until == pytest.approx(1000.0 + 50.0)


def test_a_claim_that_never_arrived_is_made_afresh_and_its_leases_count_from_then(
    ask: Ask, desk: Desk, store: Troubled, clock: FakeClock
) -> None:
    ask.enqueued()
    store.fail("claim", StoreUnavailable("gone"))
    with pytest.raises(StoreUnavailable):
        desk.claim()
    clock.advance(300)
    (run,) = desk.claim()
    assert run.safe_until == pytest.approx(1300.0 + 50.0)


def test_a_commit_whose_answer_was_lost_is_settled_by_asking_again(ask: Ask, desk: Desk, store: Troubled) -> None:
    job_id = ask.enqueued()
    (run,) = desk.claim()
    desk.say(run)
    desk.dispatcher.stop_claiming()
    store.lose_answer("report", StoreUnavailable("the answer was lost"))
    with pytest.raises(StoreUnavailable):
        desk.dispatcher.tick()
    desk.dispatcher.tick()
    assert ask.job(job_id).state is State.SUCCEEDED
    (attempt,) = ask.history(job_id)
    assert attempt.late_report is None
    assert desk.roster.free == 4


def test_a_stale_answer_frees_the_slot_and_changes_nothing(ask: Ask, desk: Desk, clock: FakeClock) -> None:
    job_id = ask.enqueued()
    (run,) = desk.claim()
    clock.advance(61)
    ask.sweep()
    desk.dispatcher.stop_claiming()
    desk.say(run)
    desk.dispatcher.tick()
    assert ask.job(job_id).state is State.READY
    assert ask.history(job_id)[0].late_report is not None
    assert len(desk.roster) == 0


def test_one_that_completed_in_its_own_transaction_is_not_reported_again(ask: Ask, desk: Desk) -> None:
    job_id = ask.enqueued()
    (run,) = desk.claim()
    ask.report(Completion(run.lease.job_id, run.lease.token, '"own"'))
    run.completed_elsewhere = True
    rolled_back = Failure(
        job_id=job_id, token=run.lease.token, error_class=ErrorClass.RETRYABLE, code="completion_rolled_back"
    )
    desk.say(run, rolled_back)
    desk.dispatcher.tick()
    assert ask.job(job_id).result == '"own"'
    assert ask.history(job_id)[0].late_report is None
    assert desk.dispatcher.done == 1


def test_one_whose_own_transaction_was_rolled_back_has_failed(ask: Ask, desk: Desk) -> None:
    job_id = ask.enqueued()
    (run,) = desk.claim()
    run.completed_elsewhere = True
    rolled_back = Failure(
        job_id=job_id, token=run.lease.token, error_class=ErrorClass.RETRYABLE, code="completion_rolled_back"
    )
    desk.say(run, rolled_back)
    desk.dispatcher.tick()
    assert ask.job(job_id).last_error_code == "completion_rolled_back"


def test_after_stop_claiming_reports_still_go_in_but_nothing_comes_out(ask: Ask, store: Troubled, desk: Desk) -> None:
    ask.enqueued()
    (run,) = desk.claim()
    desk.dispatcher.stop_claiming()
    ask.enqueued()
    desk.say(run)
    store.calls.clear()
    assert desk.claim() == []
    assert store.calls == ["report"]


def test_leases_of_a_claim_that_was_on_its_way_when_claiming_stopped_go_back_unbegun(
    ask: Ask, desk: Desk, store: Troubled
) -> None:
    job_id = ask.enqueued()
    store.meanwhile("claim", desk.dispatcher.stop_claiming)
    assert desk.claim() == []
    assert desk.dispatcher.wait_round(0)
    desk.dispatcher.tick()
    job = ask.job(job_id)
    assert job.state is State.READY
    assert (job.returns, job.releases) == (1, 0)
    assert ask.history(job_id)[0].begun is False


def test_the_leases_of_an_unanswered_claim_are_given_back_at_shutdown(ask: Ask, desk: Desk, store: Troubled) -> None:
    job_id = ask.enqueued()
    store.lose_answer("claim", StoreUnavailable("the answer was lost"))
    with pytest.raises(StoreUnavailable):
        desk.claim()
    desk.dispatcher.stop_claiming()
    assert desk.dispatcher.release_unsettled() == 1
    assert ask.job(job_id).state is State.READY
    assert desk.dispatcher.release_unsettled() == 0


def test_a_job_that_is_ready_at_once_wakes_the_claim(ask: Ask, desk: Desk) -> None:
    ask.enqueued()
    (run,) = desk.claim()
    desk.claim()
    desk.say(run, failed(run.lease, wait=0.0))
    desk.dispatcher.tick()
    assert desk.started[-1].lease.attempt == 2


def test_the_wait_after_a_round_is_the_poll_when_idle_and_nothing_when_more_may_be_there(
    ask: Ask, store: Troubled
) -> None:
    desk = Desk(store, slots=2, poll=0.7)
    assert desk.dispatcher.tick() == pytest.approx(0.7)
    ask.enqueue(*(new() for _ in range(3)))
    desk.claimer.hint()
    assert desk.dispatcher.tick() == 1.0
    for run in desk.started:
        desk.say(run)
    assert desk.dispatcher.tick() == pytest.approx(0.7)
