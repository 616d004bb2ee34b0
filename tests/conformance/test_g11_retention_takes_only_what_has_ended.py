"""G11: retention deletes only terminal jobs past their period; a key outlives its job's row as a tombstone."""

from datetime import timedelta
from functools import partial

import pytest

from tenure.core import retention, transitions
from tenure.core.attempt import ErrorClass
from tenure.core.errors import KeyConflict
from tenure.core.job import Policy
from tenure.core.retention import Retention
from tenure.core.states import State
from tenure.operations.pause import pause
from tenure.operations.redrive import Redriven, redrive
from tests.conformance.asking import Ask, done, failed, new, snoozed
from tests.conformance.racing import race_of_two

HOUR = timedelta(hours=1)
HOURLY = Retention(succeeded=HOUR, cancelled=HOUR, failed=HOUR, keys=HOUR)


def prune(ask: Ask, kept: Retention = HOURLY, limit: int = 1000) -> int:
    return ask.run(ask.verbs.prune(kept, limit))


def test_only_terminal_jobs_past_their_period_are_deleted(ask: Ask) -> None:
    """B79: three hours old and running, retrying, ready, scheduled, paused or blocked, a job stays."""
    succeeded, cancelled, dead, running, retrying = (ask.enqueued() for _ in range(5))
    leases = {lease.job_id: lease for lease in ask.leases(5, lease_seconds=90_000.0)}
    waiting, scheduled = ask.enqueued(), ask.enqueued(delay=90_000.0)
    ask.run(pause(ask.verbs, "queue", "held", who="op", why="the relay is down"))
    paused, blocked = (ask.enqueued(queue="held", order_key="one line") for _ in range(2))
    ask.report(done(leases[succeeded]), failed(leases[dead], ErrorClass.TERMINAL), snoozed(leases[retrying], 80_000))
    ask.cancel(cancelled)
    ask.report(failed(leases[cancelled]))
    ask.clock.advance(3 * 3600)
    assert prune(ask) == 3
    stay = {running, retrying, waiting, scheduled, paused, blocked}
    left = ask.run(ask.verbs.read([succeeded, cancelled, dead, *stay]))
    assert set(left) == stay
    assert left[blocked].state is State.BLOCKED
    assert ask.run(ask.verbs.attempts([succeeded]))[succeeded] == []


@pytest.mark.parametrize("state", ["succeeded", "cancelled", "failed"])
def test_each_state_has_its_own_period(ask: Ask, state: str) -> None:
    job_id = ask.enqueued()
    if state == "cancelled":
        ask.cancel(job_id)
    else:
        lease = ask.lease()
        ask.report(done(lease) if state == "succeeded" else failed(lease, ErrorClass.TERMINAL))
    periods = dict.fromkeys(("succeeded", "cancelled", "failed"), 500 * HOUR) | {state: HOUR}
    kept = Retention(**periods)
    ask.clock.advance(3599.999)
    assert prune(ask, kept) == 0
    ask.clock.advance(0.001)
    assert prune(ask, kept) == 1


def test_batches_are_as_short_as_asked(ask: Ask) -> None:
    ask.enqueue(*[new() for _ in range(25)])
    ask.report(*[done(lease) for lease in ask.leases(25)])
    ask.clock.advance(7200)
    assert [prune(ask, limit=10) for _ in range(4)] == [10, 10, 5, 0]


def test_a_pruned_job_whose_key_still_answers_stays_as_a_tombstone(ask: Ask) -> None:
    job_id = ask.enqueued(value="secret", idempotency_key="k", tags=("red",))
    ask.report(done(ask.lease(), '"result"'))
    before = ask.job(job_id)
    now = ask.clock.advance(7200)
    kept = Retention(succeeded=HOUR, keys=10 * HOUR)
    assert prune(ask, kept) == 1
    assert ask.job(job_id) == retention.tombstone(before, now)
    assert ask.history(job_id) == []
    assert prune(ask, kept) == 0, "a tombstone is made once"
    assert ask.run(ask.verbs.counts()) == []
    ask.clock.advance(8 * 3600)
    assert prune(ask, kept) == 1
    assert ask.run(ask.verbs.read([job_id])) == {}


def test_a_tombstone_is_redriven_by_nobody(ask: Ask) -> None:
    job_id = ask.enqueued(idempotency_key="k")
    ask.report(failed(ask.lease(), ErrorClass.TERMINAL))
    ask.clock.advance(7200)
    prune(ask, Retention(failed=HOUR, keys=10 * HOUR))
    assert transitions.redrive(ask.job(job_id), ask.clock()) is None


def test_a_redriven_job_is_kept_from_its_last_end_on(ask: Ask) -> None:
    job_id = ask.enqueued()
    ask.report(failed(ask.lease(), ErrorClass.TERMINAL))
    ask.clock.advance(7200)
    again = transitions.redrive(ask.job(job_id), ask.clock())
    assert again is not None
    ask.run(ask.verbs.apply([again]))
    assert prune(ask) == 0
    ask.report(done(ask.lease()))
    assert prune(ask) == 0
    assert ask.job(job_id).state is State.SUCCEEDED
    assert len(ask.history(job_id)) == 2


def test_a_key_answers_at_least_as_long_as_its_jobs_row(ask: Ask) -> None:
    job_id = ask.enqueued(idempotency_key="k")
    ask.report(failed(ask.lease(), ErrorClass.TERMINAL))
    ask.clock.advance(50 * 3600)
    assert prune(ask, Retention(failed=100 * HOUR, keys=HOUR)) == 0
    (again,) = ask.enqueue(new(idempotency_key="k"))
    assert (again.id, again.created) == (job_id, False)


def test_a_key_races_with_the_pruner_and_always_names_a_job_that_can_be_opened(ask: Ask) -> None:
    """B68, B79: whoever comes first, the answer is a job that exists."""
    for _ in range(8):
        ended = ask.enqueued(idempotency_key="k")
        ask.cancel(ended)
        ask.clock.advance(7200)
        (answer,), _ = race_of_two(lambda: ask.enqueue(new(idempotency_key="k")), lambda: prune(ask))
        assert answer.created != (answer.id == ended)
        if answer.created:
            assert ask.job(answer.id).state is State.READY
        ask.cancel(answer.id)
        ask.clock.advance(7200)
        prune(ask)


# Payloads


def expired(ask: Ask, kept: Retention, limit: int = 1000) -> int:
    return ask.run(ask.verbs.expire_payloads(kept, limit))


def test_a_payload_expires_and_the_rest_of_its_job_stays(ask: Ask) -> None:
    job_id = ask.enqueued(value="secret", idempotency_key="k", tags=("red",))
    ask.report(done(ask.lease(), '"result"'))
    before, history = ask.job(job_id), ask.history(job_id)
    ask.clock.advance(3599.999)
    assert expired(ask, Retention(payload=HOUR)) == 0
    now = ask.clock.advance(0.001)
    assert expired(ask, Retention(payload=HOUR)) == 1
    after = ask.job(job_id)
    assert after == retention.without_payload(before, now)
    assert (after.payload, after.payload_expired_at, after.unrecoverable) == (None, now, True)
    assert (after.result, after.tags, ask.history(job_id)) == ('"result"', ("red",), history)
    assert expired(ask, Retention(payload=HOUR)) == 0, "a payload expires once"


def test_the_payload_of_a_job_that_waits_or_runs_never_expires(ask: Ask) -> None:
    own = Policy(payload_retention=0.0)
    running, retrying = ask.enqueued(policy=own), ask.enqueued(policy=own)
    leases = {lease.job_id: lease for lease in ask.leases(2, lease_seconds=90_000.0)}
    ready, scheduled = ask.enqueued(policy=own), ask.enqueued(policy=own, delay=90_000.0)
    ask.report(snoozed(leases[retrying], 80_000))
    ask.clock.advance(3 * 3600)
    assert expired(ask, Retention(payload=timedelta(0))) == 0
    assert all(ask.job(job_id).payload is not None for job_id in (running, retrying, ready, scheduled))


def test_a_failed_job_may_keep_its_payload_for_longer(ask: Ask) -> None:
    succeeded, cancelled, dead = (ask.enqueued() for _ in range(3))
    leases = {lease.job_id: lease for lease in ask.leases(3)}
    ask.report(done(leases[succeeded]), failed(leases[dead], ErrorClass.TERMINAL))
    ask.cancel(cancelled)
    ask.report(failed(leases[cancelled]))
    ask.clock.advance(3600)
    kept = Retention(payload=HOUR, payload_failed=2 * HOUR)
    assert expired(ask, kept) == 2
    assert not ask.job(dead).unrecoverable
    ask.clock.advance(3600)
    assert expired(ask, kept) == 1
    assert ask.job(dead).unrecoverable


def test_a_task_may_have_its_payloads_kept_for_a_shorter_time(ask: Ask) -> None:
    brief, kept_long, plain = (
        ask.enqueued(policy=policy)
        for policy in (Policy(payload_retention=1.5), Policy(payload_retention=1e9), Policy())
    )
    ask.report(*[done(lease) for lease in ask.leases(3)])
    ask.clock.advance(1.499)
    assert expired(ask, Retention(payload=HOUR)) == 0
    ask.clock.advance(0.001)
    assert expired(ask, Retention()) == 1
    assert [ask.job(job_id).unrecoverable for job_id in (brief, kept_long, plain)] == [True, False, False]
    ask.clock.advance(3600)
    assert expired(ask, Retention(payload=HOUR)) == 2, "never longer than the others"


def test_payloads_expire_in_batches_as_short_as_asked(ask: Ask) -> None:
    policies = (Policy(), Policy(payload_retention=10.0))
    ask.enqueue(*[new(policy=policies[number % 2]) for number in range(25)])
    ask.report(*[done(lease) for lease in ask.leases(25)])
    ask.clock.advance(7200)
    assert [expired(ask, Retention(payload=HOUR), limit=10) for _ in range(4)] == [10, 10, 5, 0]


def test_a_key_stands_for_its_arguments_when_the_payload_has_expired(ask: Ask) -> None:
    """G2: the digest outlives the payload."""
    job_id = ask.enqueued(value=1, idempotency_key="k")
    ask.report(done(ask.lease()))
    expired(ask, Retention(payload=timedelta(0)))
    (again,) = ask.enqueue(new(value=1, idempotency_key="k"))
    assert (again.id, again.created) == (job_id, False)
    with pytest.raises(KeyConflict):
        ask.enqueue(new(value=2, idempotency_key="k"))


def test_a_job_without_its_payload_is_pruned_like_any_other(ask: Ask) -> None:
    gone, tombstone = ask.enqueued(), ask.enqueued(idempotency_key="k")
    ask.report(*[done(lease) for lease in ask.leases(2)])
    expired_at = ask.clock.advance(60)
    assert expired(ask, Retention(payload=timedelta(0))) == 2
    ask.clock.advance(3600)
    assert prune(ask, Retention(succeeded=HOUR, keys=10 * HOUR)) == 2
    assert ask.run(ask.verbs.read([gone])) == {}
    assert ask.job(tombstone).payload_expired_at == expired_at
    ask.clock.advance(10 * 3600)
    assert prune(ask, Retention(succeeded=HOUR, keys=10 * HOUR)) == 1


def test_a_redrive_races_with_the_expiry_and_never_runs_without_its_payload(ask: Ask) -> None:
    for _ in range(8):
        job_id = ask.enqueued()
        ask.report(failed(ask.lease(), ErrorClass.TERMINAL))
        ask.clock.advance(7200)
        again = partial(redrive, ask.verbs, job_id, who="op")
        answer, _ = race_of_two(lambda: ask.run(again()), lambda: expired(ask, Retention(payload=HOUR)))  # noqa: B023
        row = ask.job(job_id)
        assert (answer.happened is Redriven.REDRIVEN) == (row.state is State.READY) == (row.payload is not None)
        ask.cancel(job_id)
