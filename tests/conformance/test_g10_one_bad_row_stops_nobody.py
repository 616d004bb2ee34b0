"""G10: one bad row never stops a batch, a promotion or a sweep: it is set aside with its reason."""

import pytest

from tenure.core.errors import KeyConflict
from tenure.core.states import State
from tenure.operations.enqueue import Enqueued, enqueue, enqueue_each
from tenure.operations.promote import due_ids, promote_one, set_aside
from tenure.stores.script import Script
from tests.conformance.asking import NOBODY, Ask, done, new
from tests.conformance.racing import ChangeOfMind

BAD = ("not json", '{"unfinished":', "[" * 400, "")


def test_payloads_that_cannot_be_decoded_are_claimed_with_their_batch(ask: Ask) -> None:
    """They are text to a store; who reads them fails alone, with its own attempt."""
    ask.enqueue(*[new(payload=payload) for payload in BAD], *[new() for _ in range(6)])
    leases = ask.leases(10)
    assert [lease.payload for lease in leases][: len(BAD)] == list(BAD)
    assert all(answer.standing == "done" for answer in ask.report(*[done(lease) for lease in leases]))


def test_ten_thousand_due_jobs_are_promoted_whatever_their_payloads_and_kinds(ask: Ask) -> None:
    """B71: three payloads that are no JSON and a kind that nobody knows. (Rows that a database refuses:
    tests/faults.)"""
    jobs = [new("k", payload="not json" if n % 4000 == 7 else "1", delay=5.0) for n in range(10_000)]
    unknown = [new("no such kind", delay=5.0)]
    for start in range(0, len(jobs), 1000):
        ask.enqueue(*jobs[start : start + 1000])
    ask.enqueue(*unknown)
    ask.clock.advance(5)
    counts = [ask.promote(1000).count for _ in range(12)]
    assert counts == [1000] * 10 + [1, 0]


def test_a_row_that_breaks_its_batch_is_set_aside_with_its_reason(ask: Ask) -> None:
    good, bad = ask.enqueued(delay=5.0), ask.enqueued(delay=5.0)
    ask.clock.advance(5)
    assert ask.run(due_ids(ask.verbs)) == [good, bad]
    assert ask.run(promote_one(ask.verbs, good))
    assert ask.run(set_aside(ask.verbs, bad, "its queue's name is broken"))
    job = ask.job(bad)
    assert (job.state, job.end_code, job.error) == (State.FAILED, "set_aside", "its queue's name is broken")
    assert ask.promote().count == 0
    assert ask.job(good).state is State.READY


def test_setting_aside_comes_too_late_for_a_job_that_no_longer_waits(ask: Ask) -> None:
    job_id = ask.enqueued()
    ask.lease()
    assert not ask.run(set_aside(ask.verbs, job_id, "late"))
    assert not ask.run(promote_one(ask.verbs, job_id))
    assert not ask.run(set_aside(ask.verbs, NOBODY, "gone"))


def test_jobs_of_kinds_that_nobody_can_run_wait_without_being_in_the_way(ask: Ask) -> None:
    ask.enqueue(*[new("unknown") for _ in range(50)])
    known = ask.enqueued()
    assert [lease.job_id for lease in ask.leases(5)] == [known]
    assert sum(count.jobs for count in ask.run(ask.verbs.counts()) if count.kind == "unknown") == 50


def test_new_jobs_that_are_apart_stay_whatever_comes_after_them(ask: Ask) -> None:
    fresh = [new(), new(idempotency_key="k")]

    def script() -> Script[None]:
        yield from ask.verbs.insert(fresh, apart=True)
        raise ChangeOfMind

    with pytest.raises(ChangeOfMind):
        ask.run(script())
    assert set(ask.run(ask.verbs.read([job.id for job in fresh]))) == {job.id for job in fresh}


def test_each_of_many_submissions_hears_of_its_own_fate(ask: Ask) -> None:
    known, clashing = new(idempotency_key="a"), new(idempotency_key="b")
    ask.run(enqueue(ask.verbs, [known, clashing]))
    said = [new(), new(idempotency_key="a"), new("k", "other", idempotency_key="b"), new()]
    first, again, clash, last = ask.run(enqueue_each(ask.verbs, said))
    taken = [(one.id, one.created) for one in (first, again, last) if isinstance(one, Enqueued)]
    assert taken == [(said[0].id, True), (known.id, False), (said[3].id, True)]
    assert isinstance(clash, KeyConflict)
