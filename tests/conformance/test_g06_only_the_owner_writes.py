"""G6: only the current token heartbeats, completes, fails, releases or snoozes."""

from functools import partial

import msgspec
import pytest

from tenure.core import transitions
from tenure.core.attempt import ErrorClass, Outcome
from tenure.core.job import Policy
from tenure.core.kind import Kind
from tenure.core.lease import Beat
from tenure.core.reports import Completion, Report, Snoozing, Standing
from tenure.core.states import State
from tenure.core.transitions import Transition
from tenure.operations.complete_and_claim import complete_and_claim
from tests.conformance.asking import NOBODY, Ask, done, failed, new, released, request, snoozed
from tests.conformance.racing import OpenTransaction, race, race_of_two


def test_the_completed_row_and_its_history_are_exactly_what_core_makes_of_them(ask: Ask) -> None:
    ids = [answer.id for answer in ask.enqueue(new(), new(deadline=ask.clock().replace(minute=1)))]
    reports = [
        Completion(lease.job_id, lease.token, '{"n":1.0}', '"all"') for lease in ask.leases(2, lease_seconds=900.0)
    ]
    ask.clock.advance(65)
    ask.cancel(ids[0])
    before = ask.run(ask.verbs.read(ids))
    assert ask.run(ask.verbs.complete(reports)) == ids
    for report in reports:
        expected = transitions.complete(before[report.job_id], ask.clock(), report)
        assert ask.job(report.job_id) == expected.after
        assert ask.history(report.job_id) == [expected.attempt]


def reports_of(ask: Ask) -> list[Report]:
    lease = ask.lease()
    return [done(lease, "1"), failed(lease), released(lease, begun=True), snoozed(lease, 5.0)]


@pytest.mark.parametrize("verb", range(4))
def test_the_row_and_history_of_every_report_are_exactly_what_core_makes_of_them(ask: Ask, verb: int) -> None:
    job_id = ask.enqueued()
    report = reports_of(ask)[verb]
    ask.clock.advance(3)
    before = ask.job(job_id)
    answer = ask.answer(report)
    expected = transitions.end(before, ask.clock(), report)
    assert (answer.standing, answer.state) == (Standing.DONE, expected.after.state)
    assert ask.job(job_id) == expected.after
    assert ask.history(job_id) == [expected.attempt]


@pytest.mark.parametrize("verb", range(4))
def test_a_repeated_report_is_answered_with_the_stored_outcome_and_changes_nothing(ask: Ask, verb: int) -> None:
    job_id = ask.enqueued()
    report = reports_of(ask)[verb]
    first = ask.answer(report)
    row, history = ask.job(job_id), ask.history(job_id)
    ask.clock.advance(1)
    again = ask.answer(report)
    assert again == msgspec.structs.replace(first, standing=Standing.REPEATED, end_code=row.end_code)
    assert (ask.job(job_id), ask.history(job_id)) == (row, history)


@pytest.mark.parametrize("verb", range(4))
def test_a_report_with_a_forged_token_is_stale_and_changes_nothing(ask: Ask, verb: int) -> None:
    job_id = ask.enqueued()
    report = msgspec.structs.replace(reports_of(ask)[verb], token="forged")
    row = ask.job(job_id)
    assert ask.answer(report).standing is Standing.STALE
    assert ask.job(job_id) == row
    assert ask.history(job_id) == []


@pytest.mark.parametrize("verb", range(4))
def test_a_late_report_is_stale_and_noted_once_on_the_attempt_that_lost_its_job(ask: Ask, verb: int) -> None:
    job_id = ask.enqueued()
    report = reports_of(ask)[verb]
    ask.clock.advance(61)
    ask.sweep()
    second = ask.lease()
    row = ask.job(job_id)
    assert ask.answer(report).standing is Standing.STALE
    said_at = ask.clock()
    ask.clock.advance(1)
    assert ask.answer(report).standing is Standing.STALE
    assert ask.job(job_id) == row
    late = ask.history(job_id)[0].late_report
    assert late is not None
    assert (late.verb, late.at) == (report.verb, said_at)
    assert ask.answer(done(second)).standing is Standing.DONE


def test_another_verb_by_the_token_that_ended_the_attempt_is_a_late_report(ask: Ask) -> None:
    ask.enqueued()
    lease = ask.lease()
    ask.report(failed(lease, ErrorClass.TERMINAL))
    assert ask.answer(done(lease)).standing is Standing.STALE
    late = ask.history(lease.job_id)[0].late_report
    assert late is not None
    assert late.verb == "complete"


def test_a_report_on_an_unknown_job_is_unknown(ask: Ask) -> None:
    assert ask.answer(Completion(NOBODY, "t")).standing is Standing.UNKNOWN


def test_an_expired_lease_that_nobody_has_swept_still_completes(ask: Ask) -> None:
    job_id = ask.enqueued()
    lease = ask.lease()
    ask.clock.advance(3000)
    assert ask.answer(done(lease)).standing is Standing.DONE
    assert ask.job(job_id).state is State.SUCCEEDED


def test_an_expired_lease_is_renewed_by_no_heartbeat(ask: Ask) -> None:
    job_id = ask.enqueued()
    lease = ask.lease()
    ask.clock.advance(60)
    row = ask.job(job_id)
    assert not ask.beat(lease, "1").held
    assert ask.job(job_id) == row


def test_a_heartbeat_renews_the_lease_and_leaves_the_revision_alone(ask: Ask) -> None:
    job_id = ask.enqueued()
    lease = ask.lease()
    before = ask.job(job_id)
    now = ask.clock.advance(20)
    answer = ask.beat(lease, '{"done":3}')
    ends = ask.clock.advance(60)
    assert (answer.held, answer.expires_at, answer.cancel_requested) == (True, ends, False)
    assert ask.job(job_id) == msgspec.structs.replace(
        before, heartbeat_at=now, lease_expires_at=ends, progress='{"done":3}', progress_at=now
    )


def test_a_heartbeat_without_a_note_leaves_the_old_note(ask: Ask) -> None:
    job_id = ask.enqueued()
    lease = ask.lease()
    at = ask.clock.advance(1)
    ask.beat(lease, "1")
    ask.clock.advance(1)
    ask.beat(lease)
    job = ask.job(job_id)
    assert (job.progress, job.progress_at) == ("1", at)


def test_a_heartbeat_brings_back_that_cancellation_was_asked(ask: Ask) -> None:
    job_id = ask.enqueued()
    lease = ask.lease()
    ask.cancel(job_id)
    assert ask.beat(lease).cancel_requested


def test_no_heartbeat_moves_a_lease_past_the_run_time_limit_and_its_grace(ask: Ask) -> None:
    job_id = ask.enqueued(run_time_limit=100.0)
    lease = ask.lease()
    started = ask.clock()
    for _ in range(5):
        ask.clock.advance(20)
        ask.beat(lease)
    expires = ask.job(job_id).lease_expires_at
    assert expires is not None
    assert (expires - started).total_seconds() == 110
    ask.clock.advance(10)
    ask.sweep()
    assert ask.history(job_id)[0].outcome is Outcome.TIMED_OUT


def test_heartbeats_do_not_keep_an_attempt_without_progress_alive(ask: Ask) -> None:
    job_id = ask.enqueued(policy=Policy(progress_timeout=30.0))
    lease = ask.lease()
    ask.clock.advance(25)
    assert ask.beat(lease, "1").held
    ask.clock.advance(25)
    assert ask.beat(lease).held
    ask.clock.advance(15)
    assert not ask.beat(lease).held
    ask.sweep()
    assert ask.history(job_id)[0].outcome is Outcome.NO_PROGRESS


def test_one_lost_lease_costs_the_other_heartbeats_nothing(ask: Ask) -> None:
    ask.enqueue(new(), new(), new())
    leases = ask.leases(3)
    ask.report(done(leases[1]))
    beats = [Beat(lease.job_id, lease.token) for lease in leases]
    answers = ask.run(ask.verbs.heartbeat([*beats, Beat(NOBODY, "x")]))
    assert {a.job_id: a.held for a in answers} == {b.job_id: b is not beats[1] for b in beats} | {NOBODY: False}


def test_a_row_that_a_transaction_holds_is_skipped_not_lost(ask: Ask) -> None:
    """Where writers do not wait for one another, as in PostgreSQL; elsewhere the heartbeat comes after them."""
    ids = [answer.id for answer in ask.enqueue(new(), new())]
    leases = ask.leases(2)
    ask.clock.advance(20)
    if not ask.store.url.startswith("postgres"):
        ask.run(ask.verbs.lock(ids[:1]))
        assert all(ask.beat(lease).held for lease in leases)
        return
    with OpenTransaction(ask.store, lambda: ask.verbs.lock(ids[:1])):
        skipped, renewed = (ask.beat(lease) for lease in leases)
        ask.clock.advance(41)
        swept = ask.sweep()
    assert (skipped.held, skipped.expires_at) == (True, None)
    assert renewed.held
    assert renewed.expires_at is not None
    assert swept.seen == 0, "the reaper took a row that somebody holds"
    assert [move.after.id for move in ask.sweep().ended] == ids[:1]


def test_sixteen_racing_completions_of_one_attempt_end_it_once(ask: Ask) -> None:
    job_id = ask.enqueued()
    lease = ask.lease()
    standings = [a.standing for a in race([partial(ask.answer, done(lease, str(n))) for n in range(16)])]
    assert standings.count(Standing.DONE) == 1
    assert standings.count(Standing.REPEATED) == 15
    assert len(ask.history(job_id)) == 1


def test_a_completion_races_with_the_sweep_and_one_of_them_wins(ask: Ask) -> None:
    for _ in range(10):
        job_id = ask.enqueued()
        lease = ask.lease()
        ask.clock.advance(61)
        answer, swept = race_of_two(partial(ask.answer, done(lease)), ask.sweep)
        won = answer.standing is Standing.DONE
        assert won != bool(swept.ended)
        assert ask.job(job_id).state is (State.SUCCEEDED if won else State.READY)
        assert len(ask.history(job_id)) == 1
        ask.cancel(job_id)


def test_a_batch_of_reports_is_answered_in_order_and_a_job_named_twice_is_judged_twice(ask: Ask) -> None:
    ask.enqueue(new(), new())
    one, two = ask.leases(2)
    answers = ask.report(failed(one), done(two), failed(one), Snoozing(job_id=NOBODY, token="x", delay=1.0))
    assert [a.standing for a in answers] == [Standing.DONE, Standing.DONE, Standing.REPEATED, Standing.UNKNOWN]
    assert [a.job_id for a in answers] == [one.job_id, two.job_id, one.job_id, NOBODY]


def test_completing_and_claiming_in_one_go_is_as_one_after_the_other(ask: Ask) -> None:
    ask.enqueue(new(), new())
    first = ask.lease()
    answers, claimed = ask.run(complete_and_claim(ask.verbs, [done(first, "5")], request(3)))
    assert [answer.standing for answer in answers] == [Standing.DONE]
    assert len(claimed.leases) == 1
    assert ask.job(first.job_id).result == "5"


def test_a_completion_frees_its_kinds_slot_for_the_claim_that_travels_with_it(ask: Ask) -> None:
    ask.run(ask.verbs.put_kinds([Kind(name="k", concurrency=1)], replace=True))
    ask.enqueue(new(), new())
    first = ask.lease()
    _, claimed = ask.run(complete_and_claim(ask.verbs, [done(first)], request(3)))
    assert len(claimed.leases) == 1


def test_a_transition_decided_on_an_older_revision_is_not_applied(ask: Ask) -> None:
    job_id = ask.enqueued()
    locked = ask.run(ask.verbs.lock([job_id]))
    decided = transitions.cancel(locked.jobs[job_id], locked.now)
    assert isinstance(decided, Transition)
    ask.lease()
    row = ask.job(job_id)
    assert ask.run(ask.verbs.apply([decided])) == set()
    assert ask.job(job_id) == row


def test_a_forged_completion_beside_the_owners_is_stale_in_one_batch(ask: Ask) -> None:
    ask.enqueued()
    lease = ask.lease()
    forged = Completion(lease.job_id, "forged", "0")
    assert [answer.standing for answer in ask.report(forged, done(lease, "1"))] == [Standing.STALE, Standing.DONE]
    assert ask.job(lease.job_id).result == "1"
