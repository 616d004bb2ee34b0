"""What has ended goes in, what is next comes out: one round of the dispatcher at a time."""

import pytest

from tenure.core.attempt import EndedBy, Outcome
from tenure.core.errors import StoreBusy, StoreUnavailable
from tenure.core.states import State
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, failed, new
from tests.engine.troubled import Troubled
from tests.engine.workshop import Desk


class BadRow(Exception):
    """What a driver raises for data that it cannot take."""


def test_a_round_claims_for_all_free_slots_at_once(ask: Ask, desk: Desk) -> None:
    ask.enqueue(*(new() for _ in range(6)))
    assert len(desk.claim()) == 4
    assert desk.roster.free == 0


def test_without_a_free_slot_nothing_is_claimed(ask: Ask, desk: Desk, store: Troubled) -> None:
    ask.enqueue(*(new() for _ in range(6)))
    desk.claim()
    store.calls.clear()
    assert desk.claim() == []
    assert store.calls == []


def test_the_first_report_waits_for_company_and_the_second_does_not_begin_the_wait_anew(
    ask: Ask, store: Troubled, clock: FakeClock
) -> None:
    desk = Desk(store, slots=10, gather=0.01)
    ask.enqueue(*(new() for _ in range(10)))
    first, second, *_ = desk.claim()
    desk.say(first)
    assert desk.dispatcher.has_due()
    assert desk.dispatcher.gathering() == pytest.approx(0.01)
    assert not desk.dispatcher.has_due()
    clock.advance(0.006)
    desk.say(second)
    assert desk.dispatcher.gathering() == pytest.approx(0.004)
    clock.advance(0.004)
    assert desk.dispatcher.gathering() == 0


def test_half_the_slots_are_company_enough(ask: Ask, store: Troubled) -> None:
    desk = Desk(store, slots=4)
    ask.enqueue(*(new() for _ in range(4)))
    first, second, *_ = desk.claim()
    desk.say(first)
    assert desk.dispatcher.gathering() > 0
    desk.say(second)
    assert desk.dispatcher.gathering() == 0
    assert desk.dispatcher.has_due()


def test_the_last_one_running_waits_for_nobody(ask: Ask, desk: Desk) -> None:
    ask.enqueued()
    (run,) = desk.claim()
    desk.say(run)
    assert desk.dispatcher.gathering() == 0


def test_a_completion_and_the_next_claim_travel_together(ask: Ask, store: Troubled) -> None:
    desk = Desk(store, slots=1)
    first, second = ask.enqueued(), ask.enqueued()
    (run,) = desk.claim()
    desk.say(run)
    store.calls.clear()
    assert [fresh.lease.job_id for fresh in desk.claim()] == [second]
    assert store.calls == ["complete_and_claim"]
    assert ask.job(first).state is State.SUCCEEDED


def test_a_job_keeps_its_slot_until_its_end_is_written(ask: Ask, store: Troubled) -> None:
    desk = Desk(store, slots=1)
    ask.enqueued()
    (run,) = desk.claim()
    desk.say(run)
    store.fail("complete_and_claim", StoreUnavailable("gone"))
    store.fail("report", StoreUnavailable("gone"))
    with pytest.raises(StoreUnavailable):
        desk.claim()
    assert len(desk.roster) == 1
    assert len(desk.outbox) == 1
    desk.dispatcher.tick()
    assert desk.roster.free == 1


def test_completions_survive_a_claim_that_fails(ask: Ask, store: Troubled) -> None:
    desk = Desk(store, slots=1)
    first, _second = ask.enqueued(), ask.enqueued()
    (run,) = desk.claim()
    desk.say(run)
    store.fail("complete_and_claim", StoreBusy("locked"))
    with pytest.raises(StoreBusy):
        desk.claim()
    assert ask.job(first).state is State.SUCCEEDED
    assert len(desk.roster) == 0
    assert len(desk.outbox) == 0


def test_failures_are_written_before_completions_and_their_slots_are_claimed_for(ask: Ask, store: Troubled) -> None:
    desk = Desk(store, slots=2)
    ask.enqueue(*(new() for _ in range(4)))
    good, bad = desk.claim()
    desk.say(good)
    desk.say(bad, failed(bad.lease))
    assert len(desk.claim()) == 2


def test_a_batch_that_is_refused_is_written_one_by_one_and_the_bad_report_ends_its_job(
    ask: Ask, desk: Desk, store: Troubled
) -> None:
    ids = [ask.enqueued() for _ in range(3)]
    runs = desk.claim()
    for run in runs:
        desk.say(run)
    desk.dispatcher.stop_claiming()
    store.fail("report", BadRow("the batch"))
    store.fail("report", BadRow("the first row"))
    desk.dispatcher.tick()
    jobs = [ask.job(job_id) for job_id in ids]
    assert [job.state for job in jobs] == [State.FAILED, State.SUCCEEDED, State.SUCCEEDED]
    assert jobs[0].end_code == "report_refused"
    assert "BadRow: the first row" in (jobs[0].error or "")
    assert desk.roster.free == 4


def test_an_error_that_passes_with_the_second_try_costs_nothing(ask: Ask, desk: Desk, store: Troubled) -> None:
    job_id = ask.enqueued()
    (run,) = desk.claim()
    desk.say(run)
    desk.dispatcher.stop_claiming()
    store.fail("report", BadRow("once"))
    desk.dispatcher.tick()
    assert ask.job(job_id).state is State.SUCCEEDED
    assert desk.dispatcher.refused == 1


def test_a_report_that_can_in_no_way_be_written_is_left_to_its_lease(ask: Ask, desk: Desk, store: Troubled) -> None:
    job_id = ask.enqueued()
    (run,) = desk.claim()
    desk.say(run)
    desk.dispatcher.stop_claiming()
    store.fail("report", BadRow("no"), times=3)
    desk.dispatcher.tick()
    assert desk.roster.free == 4
    assert len(desk.outbox) == 0
    assert ask.job(job_id).state is State.RUNNING


def test_a_busy_database_sets_no_report_aside(ask: Ask, desk: Desk, store: Troubled) -> None:
    ids = [ask.enqueued(), ask.enqueued()]
    for run in desk.claim():
        desk.say(run)
    desk.dispatcher.stop_claiming()
    store.fail("report", StoreBusy("locked"), times=2)
    for _ in range(2):
        with pytest.raises(StoreBusy):
            desk.dispatcher.tick()
    desk.dispatcher.tick()
    assert {ask.job(job_id).state for job_id in ids} == {State.SUCCEEDED}


def test_what_could_not_be_written_stands_in_front_of_what_came_meanwhile(
    ask: Ask, desk: Desk, store: Troubled
) -> None:
    ask.enqueue(*(new() for _ in range(2)))
    first, second = desk.claim()
    desk.say(first)
    desk.dispatcher.stop_claiming()
    store.meanwhile("report", lambda: desk.say(second))
    store.fail("report", StoreUnavailable("gone"))
    desk.dispatcher.tick()  # somebody's report came in the middle of this round
    assert [run for run, _said in desk.outbox.take()] == [second]

    desk.say(first)
    desk.say(second)
    with pytest.raises(StoreUnavailable):
        desk.dispatcher.tick()
    assert [run for run, _said in desk.outbox.take()] == [first, second]


def test_a_late_report_is_not_lost_with_a_failed_flush(ask: Ask, desk: Desk, store: Troubled) -> None:
    job_id = ask.enqueued(max_attempts=3)
    (run,) = desk.claim()
    desk.dispatcher.stop_claiming()
    desk.say(run, failed(run.lease, outcome=Outcome.TIMED_OUT, code="timed_out"))
    desk.dispatcher.tick()
    desk.say(run)
    store.fail("report", StoreUnavailable("gone"))
    with pytest.raises(StoreUnavailable):
        desk.dispatcher.tick()
    desk.dispatcher.tick()
    late = ask.history(job_id)[0].late_report
    assert late is not None
    assert late.verb == EndedBy.COMPLETE


def test_a_late_report_frees_no_slot_and_counts_for_no_job(ask: Ask, store: Troubled) -> None:
    desk = Desk(store, slots=1)
    ask.enqueue(*(new(max_attempts=1) for _ in range(3)))
    (first,) = desk.claim()
    desk.say(first, failed(first.lease))
    assert len(desk.claim()) == 1
    desk.say(first)
    assert desk.claim() == []
    assert desk.dispatcher.done == 1
