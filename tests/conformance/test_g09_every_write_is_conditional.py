"""G9: every write names what it expects, and says whether it applied."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import msgspec
import pytest

from tenure.core import transitions
from tenure.core.job import Job
from tenure.core.reports import Completion
from tenure.core.states import State
from tenure.core.transitions import Transition
from tests.conformance.asking import NEWER, NOBODY, Ask, done, new
from tests.conformance.racing import race, race_of_two


def test_two_sweeps_share_one_stale_list_and_the_second_changes_nothing(ask: Ask) -> None:
    """B16: W1 and W2 read the same lost leases; W1 returns them, W2's claim ends one; then W2's sweep comes."""
    ids = [answer.id for answer in ask.enqueue(new(), new())]
    ask.leases(2)
    now = ask.clock.advance(61)
    lost = ask.run(ask.verbs.read(ids))
    first = [transitions.expire(job, now, 0.5) for job in lost.values()]
    second = [transitions.expire(job, now, 0.9) for job in lost.values()]
    assert ask.run(ask.verbs.apply(first)) == set(ids)
    ask.report(done(ask.leases(2)[0]))
    rows = ask.run(ask.verbs.read(ids))
    assert ask.run(ask.verbs.apply(second)) == set()
    assert ask.run(ask.verbs.read(ids)) == rows
    assert sorted(len(history) for history in ask.run(ask.verbs.attempts(ids)).values()) == [1, 2]


def test_sixteen_racing_writers_of_one_revision_apply_once(ask: Ask) -> None:
    job_id = ask.enqueued()
    locked = ask.run(ask.verbs.lock([job_id]))
    decided = transitions.cancel(locked.jobs[job_id], locked.now)
    assert decided is not None
    applied = race([lambda: ask.run(ask.verbs.apply([decided]))] * 16)
    assert applied.count({job_id}) == 1
    assert applied.count(set()) == 15
    assert ask.job(job_id) == decided.after


def test_a_cancel_races_with_a_claim_and_both_are_told_the_truth(ask: Ask) -> None:
    for _ in range(20):
        job_id = ask.enqueued()
        leases, answer = race_of_two(partial(ask.leases, 1), partial(ask.cancel, job_id))
        job = ask.job(job_id)
        if leases:
            assert (answer.happened, job.state) == ("requested", State.RUNNING)
            assert job.cancel_requested_at is not None
            ask.report(done(leases[0]))
        else:
            assert (answer.happened, job.state) == ("cancelled", State.CANCELLED)


Decision = Callable[[Job, Ask], Transition | None]

DECISIONS: dict[str, Decision] = {
    "cancel": lambda job, ask: transitions.cancel(job, ask.clock()),
    "supersede": lambda job, ask: transitions.supersede(job, ask.clock(), NEWER),
    "set_aside": lambda job, ask: transitions.set_aside(job, ask.clock(), "its row is broken"),
    "promote": lambda job, ask: transitions.promote(job, ask.clock()),
    "pass_deadline": lambda job, ask: transitions.pass_deadline(job, ask.clock()),
}


@pytest.mark.parametrize("name", DECISIONS)
def test_what_is_applied_is_written_whole(ask: Ask, name: str) -> None:
    deadline = ask.clock().replace(hour=10) if name == "pass_deadline" else None
    job_id = ask.enqueued(delay=30.0, deadline=deadline, tags=("a", "é"), trace="t", idempotency_key="k")
    ask.clock.advance(7200)
    decided = DECISIONS[name](ask.job(job_id), ask)
    assert decided is not None
    assert ask.run(ask.verbs.apply([decided])) == {job_id}
    assert ask.job(job_id) == decided.after


def test_a_redrive_is_written_whole(ask: Ask) -> None:
    job_id = ask.enqueued(max_attempts=1)
    ask.lease()
    ask.clock.advance(61)
    ask.sweep()
    decided = transitions.redrive(ask.job(job_id), ask.clock.advance(5), ask.clock() + timedelta(seconds=60))
    assert decided is not None
    ask.run(ask.verbs.apply([decided]))
    assert ask.job(job_id) == decided.after
    assert ask.lease().attempt == 2


def test_of_a_batch_each_write_is_judged_alone(ask: Ask) -> None:
    ids = [answer.id for answer in ask.enqueue(new(), new(), new())]
    locked = ask.run(ask.verbs.lock(ids))
    decided = [transitions.cancel(job, locked.now) for job in locked.jobs.values()]
    moves = [move for move in decided if move]
    assert ask.run(ask.verbs.apply(moves[1:2])) == {moves[1].after.id}
    assert ask.run(ask.verbs.apply(moves)) == {moves[0].after.id, moves[2].after.id}


def test_a_write_to_a_job_that_is_gone_applies_to_nothing(ask: Ask) -> None:
    job_id = ask.enqueued()
    job = msgspec.structs.replace(ask.job(job_id), id=NOBODY)
    decided = transitions.cancel(job, ask.clock())
    assert decided is not None
    assert ask.run(ask.verbs.apply([decided])) == set()


def test_the_promoted_row_is_exactly_what_core_makes_of_it(ask: Ask) -> None:
    ids = [answer.id for answer in ask.enqueue(new(delay=5.0), new(delay=5.0, queue="mail"), new(delay=9.0))]
    before = ask.run(ask.verbs.read(ids))
    now = ask.clock.advance(5)
    promoted = ask.promote()
    assert (promoted.now, promoted.count, promoted.queues) == (now, 2, frozenset({"default", "mail"}))
    assert promoted.next_run_at == before[ids[2]].run_at
    after = ask.run(ask.verbs.read(ids))
    for job_id in ids[:2]:
        expected = transitions.promote(before[job_id], now)
        assert expected is not None
        assert after[job_id] == expected.after
    assert after[ids[2]] == before[ids[2]]


def test_a_promotion_takes_the_earliest_first_and_no_more_than_asked(ask: Ask) -> None:
    late, early = ask.enqueued(delay=9.0), ask.enqueued(delay=5.0)
    ask.clock.advance(10)
    promoted = ask.promote(limit=1)
    assert (promoted.count, promoted.next_run_at) == (1, ask.job(late).run_at)
    assert ask.job(early).state is State.READY


def test_racing_promoters_promote_each_job_once(ask: Ask) -> None:
    ask.enqueue(*[new(delay=5.0) for _ in range(60)])
    ask.clock.advance(5)
    assert sum(promoted.count for promoted in race([lambda: ask.promote(10)] * 8)) == 60


def test_a_completion_named_twice_in_one_batch_is_done_once(ask: Ask) -> None:
    job_id = ask.enqueued()
    lease = ask.lease()
    twice = [Completion(lease.job_id, lease.token, "1"), Completion(lease.job_id, lease.token, "2")]
    answers = ask.report(*twice)
    assert [answer.standing for answer in answers] == ["done", "repeated"]
    assert len(ask.history(job_id)) == 1
