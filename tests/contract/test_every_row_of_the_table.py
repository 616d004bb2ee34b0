"""The table of states, row by row, through a worker. Rows of other pages: cancellation, error classes, redrive."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tenure import Tenure
from tenure.core import defaults
from tenure.core.attempt import Outcome
from tenure.core.errors import InvalidInput, KeyConflict, UnknownKind
from tenure.core.outcomes import Retry, Snooze, Terminal
from tenure.core.states import State
from tenure.engine.attempts.run import StopReason
from tenure.stores.protocol import Store
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, done, failed, released, request
from tests.engine.workshop import OpenWorkshop, Stuck, Workshop, handler, raising, succeeding

Tick = Callable[[], object]


@pytest.fixture(autouse=True)
def even_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenure.engine.attempts.verdict.chance", lambda: 0.5)


def begun(shop: OpenWorkshop, **said: Any) -> tuple[Workshop, Stuck]:
    """A worker whose handler has begun and stays."""
    stuck = Stuck()
    worker = shop(handler("k", stuck, **said))
    worker.claim()
    stuck.wait()
    return worker, stuck


# enqueue


def test_an_enqueue_is_ready_or_scheduled_by_the_stores_clock(ask: Ask, clock: FakeClock) -> None:
    states = [
        ask.job(ask.enqueued(**when)).state
        for when in ({}, {"delay": 60.0}, {"run_at": clock() - timedelta(1)}, {"run_at": clock() + timedelta(1)})
    ]
    assert states == [State.READY, State.SCHEDULED, State.READY, State.SCHEDULED]


def test_an_enqueue_validates_before_it_looks_at_the_key_and_stores_nothing_when_it_refuses(
    store: Store, clock: FakeClock
) -> None:
    app = Tenure("memory://")
    app.use(store)

    @app.task(kind="k")
    def k(n: int) -> int:
        return n

    with pytest.raises(UnknownKind):
        app.enqueue("other", {})
    with pytest.raises(InvalidInput, match="n"):
        app.enqueue("k", {"n": "no number"})
    with pytest.raises(InvalidInput, match="deadline"):
        app.enqueue("k", {"n": 1}, delay=60, deadline=clock() + timedelta(seconds=30))
    assert store.run(store.verbs.counts()) == []
    first = app.enqueue("k", {"n": 1}, idempotency_key="a")
    assert app.enqueue("k", {"n": 1}, idempotency_key="a").id == first.id
    with pytest.raises(KeyConflict, match=first.id):
        app.enqueue("k", {"n": 2}, idempotency_key="a")


# due, claim


def test_a_scheduled_job_is_ready_at_its_instant_and_keeps_what_it_was_given(
    ask: Ask, clock: FakeClock, promote: Tick
) -> None:
    given: dict[str, Any] = {
        "queue": "q", "priority": 7, "tenant": "t", "idempotency_key": "key", "tags": ("a", "b"), "trace": "trace",
        "deadline": clock() + timedelta(hours=2),
    }  # fmt: skip
    job = ask.enqueued(delay=60.0, **given)
    clock.advance(59)
    promote()
    assert ask.job(job).state is State.SCHEDULED
    clock.advance(1)
    promote()
    row = ask.job(job)
    assert row.state is State.READY
    assert {name: getattr(row, name) for name in given} == given


def test_a_claim_counts_the_attempt_and_ends_it_at_the_earlier_of_limit_and_deadline(
    ask: Ask, clock: FakeClock, shop: OpenWorkshop
) -> None:
    limited = ask.enqueued(run_time_limit=100.0, deadline=clock() + timedelta(seconds=300))
    bounded = ask.enqueued(run_time_limit=1000.0, deadline=clock() + timedelta(seconds=300))
    runs = shop(handler("k", Stuck())).claim()
    rows = {job: ask.job(job) for job in (limited, bounded)}
    assert {row.state for row in rows.values()} == {State.RUNNING}
    assert [row.attempt for row in rows.values()] == [1, 1]
    assert rows[limited].must_end_at == clock() + timedelta(seconds=100)
    assert rows[bounded].must_end_at == clock() + timedelta(seconds=300)
    assert len({run.lease.token for run in runs}) == len({run.lease.fencing_token for run in runs}) == 2
    for run in runs:
        assert run.lease.lease_expires_at == clock() + timedelta(seconds=60)


# complete


def test_a_completion_after_the_deadline_is_a_success_and_history_says_so(
    ask: Ask, clock: FakeClock, shop: OpenWorkshop
) -> None:
    job = ask.enqueued(deadline=clock() + timedelta(seconds=30))
    worker = shop(succeeding())
    worker.claim()
    worker.wait_back()
    clock.advance(31)
    worker.dispatcher.tick()
    (attempt,) = ask.history(job)
    assert (ask.job(job).state, attempt.after_deadline) == (State.SUCCEEDED, True)


# fail


def test_a_requeue_past_the_deadline_ends_the_job(ask: Ask, clock: FakeClock, shop: OpenWorkshop) -> None:
    job = ask.enqueued(deadline=clock() + timedelta(seconds=30))
    shop(handler("k", raising(Retry("again", retry_in=31)))).work_off()
    assert (ask.job(job).state, ask.job(job).end_code) == (State.FAILED, "deadline_exceeded")


def test_the_first_and_the_last_error_are_kept(ask: Ask, clock: FakeClock, shop: OpenWorkshop, promote: Tick) -> None:
    errors = [Retry("first"), Retry("second"), Terminal("third", "no such account")]
    job = ask.enqueued(max_attempts=5)
    worker = shop(handler("k", lambda run: raising(errors[run.lease.attempt - 1])(run)))
    for _ in errors:
        worker.work_off()
        clock.advance(3600)
        promote()
    row = ask.job(job)
    assert (row.state, row.first_error_code, row.last_error_code, row.end_code) == (
        State.FAILED, "first", "third", "third",
    )  # fmt: skip
    assert row.error == "no such account"
    assert [attempt.error_code for attempt in ask.history(job)] == ["first", "second", "third"]


def test_the_last_try_ends_the_job(ask: Ask, clock: FakeClock, shop: OpenWorkshop, promote: Tick) -> None:
    job = ask.enqueued(max_attempts=2)
    worker = shop(handler("k", raising(Retry("again"))))
    for _ in range(3):
        worker.work_off()
        clock.advance(3600)
        promote()
    row = ask.job(job)
    assert (row.state, row.end_code, row.tries, row.attempt) == (State.FAILED, "again", 2, 2)


# snooze


def test_snoozes_have_a_budget_of_their_own(
    ask: Ask, clock: FakeClock, shop: OpenWorkshop, promote: Tick, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(defaults, "SNOOZES", 2)
    job = ask.enqueued(max_attempts=1)
    worker = shop(handler("k", raising(Snooze(60))))
    for _ in range(4):
        worker.work_off()
        clock.advance(60)
        promote()
    row = ask.job(job)
    assert (row.state, row.end_code, row.snoozes, row.tries) == (State.FAILED, "snoozes_exhausted", 3, 0)
    assert {attempt.outcome for attempt in ask.history(job)} == {Outcome.SNOOZED}


# release


def interrupted(worker: Workshop, stuck: Stuck) -> None:
    """A shutdown whose grace is over: what runs is given back while its handler still sits there."""
    worker.dispatcher.stop_claiming()
    for run in worker.roster.runs():
        worker.runner.end(run, StopReason.SHUTDOWN)
    worker.runner.release_rest()
    worker.dispatcher.tick()
    stuck.go.set()


def test_a_shutdown_gives_a_begun_job_back_at_once_and_costs_no_try(ask: Ask, shop: OpenWorkshop) -> None:
    job = ask.enqueued()
    interrupted(*begun(shop))
    row, (attempt,) = ask.job(job), ask.history(job)
    assert (row.state, row.releases, row.tries) == (State.READY, 1, 0)
    assert (attempt.outcome, attempt.error_code, attempt.begun) == (Outcome.RELEASED, "interrupted", True)


def test_a_shutdown_ends_a_begun_job_that_has_one_attempt(ask: Ask, shop: OpenWorkshop) -> None:
    job = ask.enqueued(max_attempts=1)
    interrupted(*begun(shop))
    assert (ask.job(job).state, ask.job(job).end_code) == (State.FAILED, "interrupted")


def test_past_the_budget_of_releases_a_shutdown_costs_a_try(
    ask: Ask, shop: OpenWorkshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(defaults, "RELEASES", 1)
    job = ask.enqueued(max_attempts=3)
    interrupted(*begun(shop))
    assert ask.job(job).tries == 0
    interrupted(*begun(shop))
    row = ask.job(job)
    assert (row.state, row.tries, row.last_error_code) == (State.SCHEDULED, 1, "interrupted")


def test_a_job_that_had_not_begun_goes_back_free_and_after_twenty_times_with_the_back_off(ask: Ask) -> None:
    job = ask.enqueued(max_attempts=1)
    for _ in range(20):
        ask.answer(released(ask.lease(), begun=False))
        assert ask.job(job).state is State.READY
    ask.answer(released(ask.lease(), begun=False))
    row = ask.job(job)
    assert (row.state, row.returns, row.releases, row.tries) == (State.SCHEDULED, 21, 0, 0)


# lease expires


def test_the_first_lost_lease_is_due_at_once_a_later_one_waits_and_the_last_ends_the_job(
    ask: Ask, clock: FakeClock, sweep: Tick, promote: Tick
) -> None:
    job = ask.enqueued(max_attempts=3)
    states = []
    for _ in range(3):
        lease = ask.lease()
        clock.advance(60)
        sweep()
        states.append(ask.job(job).state)
        clock.advance(3600)
        promote()
    assert states == [State.READY, State.SCHEDULED, State.FAILED]
    row, history = ask.job(job), ask.history(job)
    assert (row.end_code, row.losses, row.tries) == ("worker_lost", 3, 3)
    assert {(one.outcome, one.error_code) for one in history} == {(Outcome.LEASE_EXPIRED, "worker_lost")}
    assert history[-1].ended_at == history[-1].lease_lost_at == lease.lease_expires_at


def test_an_expired_lease_that_nobody_has_swept_may_still_complete_but_not_heartbeat(
    ask: Ask, clock: FakeClock
) -> None:
    job = ask.enqueued()
    lease = ask.lease()
    clock.advance(61)
    assert not ask.beat(lease).held
    assert ask.answer(done(lease)).standing == "done"
    assert ask.job(job).state is State.SUCCEEDED


# time limits


def test_an_attempt_is_ended_at_its_run_time_limit(ask: Ask, clock: FakeClock, shop: OpenWorkshop) -> None:
    job = ask.enqueued(run_time_limit=30.0)
    worker, stuck = begun(shop)
    clock.advance(30)
    worker.watch.tick()
    worker.dispatcher.tick()
    row, (attempt,) = ask.job(job), ask.history(job)
    assert (row.state, row.tries, row.last_error_code) == (State.SCHEDULED, 1, "timed_out")
    assert attempt.outcome is Outcome.TIMED_OUT
    stuck.go.set()


def test_an_attempt_that_makes_no_progress_is_ended_at_its_progress_deadline(
    ask: Ask, clock: FakeClock, shop: OpenWorkshop
) -> None:
    job = ask.enqueued()
    worker, stuck = begun(shop, progress_timeout=20.0)
    clock.advance(20)
    worker.watch.tick()
    worker.dispatcher.tick()
    (attempt,) = ask.history(job)
    assert (attempt.outcome, ask.job(job).last_error_code) == (Outcome.NO_PROGRESS, "no_progress")
    stuck.go.set()


def test_a_heartbeat_keeps_no_attempt_alive_past_its_limit_and_the_store_ends_it_as_timed_out(
    ask: Ask, clock: FakeClock, sweep: Tick
) -> None:
    job = ask.enqueued(run_time_limit=90.0)
    lease = ask.lease()
    for _ in range(4):
        clock.advance(24)
        ask.beat(lease)
    assert ask.job(job).lease_expires_at == lease.started_at + timedelta(seconds=100)
    clock.advance(5)
    assert not ask.beat(lease).held
    sweep()
    (attempt,) = ask.history(job)
    assert (attempt.outcome, attempt.error_code) == (Outcome.TIMED_OUT, "timed_out")


# deadlines of waiting jobs


@pytest.mark.parametrize("waiting", [{}, {"delay": 50.0}], ids=["ready", "scheduled"])
def test_a_waiting_job_whose_deadline_has_passed_fails_without_a_start(
    ask: Ask, clock: FakeClock, sweep: Tick, waiting: dict[str, Any]
) -> None:
    job = ask.enqueued(deadline=clock() + timedelta(seconds=60), **waiting)
    clock.advance(61)
    sweep()
    row = ask.job(job)
    assert (row.state, row.end_code, row.attempt) == (State.FAILED, "deadline_exceeded", 0)


# stale writes and repeats


def test_a_token_that_is_not_the_current_one_changes_nothing(ask: Ask, clock: FakeClock, sweep: Tick) -> None:
    job = ask.enqueued()
    old = ask.lease()
    clock.advance(61)
    sweep()
    ask.lease()
    before = ask.job(job)
    for said in (done(old), failed(old), released(old, begun=True)):
        assert ask.answer(said).standing == "stale"
    assert not ask.beat(old).held
    assert ask.job(job) == before


def test_a_claim_that_is_repeated_answers_with_the_same_live_leases(ask: Ask) -> None:
    from tenure.operations.claim import claim

    ids = {ask.enqueued() for _ in range(2)}
    asked = request(2)
    first = ask.store.run(claim(ask.verbs, asked), "claim")
    again = ask.store.run(claim(ask.verbs, asked, repeat=True), "claim")
    assert [lease.token for lease in again.leases] == [lease.token for lease in first.leases]
    assert {lease.job_id for lease in first.leases} == ids
