"""G2: the same key with other arguments is refused, naming the job."""

from datetime import timedelta

import pytest

from tenure.core.errors import KeyConflict
from tenure.core.retention import Retention
from tests.conformance.asking import Ask, done, new


def test_the_same_key_with_other_arguments_is_refused_naming_the_job(ask: Ask) -> None:
    job_id = ask.enqueued(value={"a": 1}, idempotency_key="k")
    with pytest.raises(KeyConflict, match=job_id) as refused:
        ask.enqueue(new(value={"a": 2}, idempotency_key="k"))
    assert refused.value.job_id == job_id


def test_one_clash_leaves_nothing_of_its_bulk(ask: Ask) -> None:
    ask.enqueued(value=1, idempotency_key="k")
    bulk = [new(), new(value=2, idempotency_key="k"), new()]
    with pytest.raises(KeyConflict):
        ask.enqueue(*bulk)
    assert ask.run(ask.verbs.read([job.id for job in bulk])) == {}


def test_two_arguments_under_one_key_in_one_bulk_are_refused_whole(ask: Ask) -> None:
    bulk = [new(value=1, idempotency_key="k"), new(value=2, idempotency_key="k")]
    with pytest.raises(KeyConflict):
        ask.enqueue(*bulk)
    assert ask.run(ask.verbs.read([job.id for job in bulk])) == {}


def test_run_at_priority_queue_and_version_are_no_arguments(ask: Ask) -> None:
    first = ask.enqueued(idempotency_key="k")
    (again,) = ask.enqueue(new(idempotency_key="k", priority=20, queue="other", version=7, delay=60.0))
    assert (again.id, again.created) == (first, False)
    assert ask.job(first).queue == "default"


def test_a_tombstone_still_knows_its_arguments(ask: Ask) -> None:
    job_id = ask.enqueued(value=1, idempotency_key="k")
    ask.report(done(ask.lease()))
    ask.clock.advance(100)
    assert ask.run(ask.verbs.prune(Retention(succeeded=timedelta(seconds=1)), 100)) == 1
    with pytest.raises(KeyConflict, match=job_id):
        ask.enqueue(new(value=2, idempotency_key="k"))
    (again,) = ask.enqueue(new(value=1, idempotency_key="k"))
    assert (again.id, again.created) == (job_id, False)
