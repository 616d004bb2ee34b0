"""G1: one idempotency key in its scope gives one job, under any race."""

import threading
from datetime import timedelta
from functools import partial

import pytest

from tenure.core.attempt import ErrorClass
from tenure.core.errors import IdConflict, InvalidInput
from tenure.core.retention import Retention
from tenure.core.states import State
from tenure.operations.enqueue import Enqueued
from tests.conformance.asking import Ask, done, failed, new
from tests.conformance.racing import OpenTransaction, race

RACERS = 16


def test_sixteen_racing_submitters_of_one_key_get_one_job(ask: Ask) -> None:
    jobs = [new(idempotency_key="one") for _ in range(RACERS)]
    answers = [made for (made,) in race([partial(ask.enqueue, job) for job in jobs])]
    assert len({answer.id for answer in answers}) == 1
    assert [answer.created for answer in answers].count(True) == 1
    assert ask.job(answers[0].id).state is State.READY


def test_racing_bulks_with_keys_in_opposite_order_do_not_deadlock(ask: Ask) -> None:
    keys = [f"key {number}" for number in range(20)]
    orders = [keys if racer % 2 else keys[::-1] for racer in range(8)]
    bulks = [[new(idempotency_key=key) for key in order] for order in orders]
    answers = race([partial(ask.enqueue, *bulk) for bulk in bulks])
    assert sum(answer.created for bulk in answers for answer in bulk) == len(keys)
    by_key = [
        {job.idempotency_key: a.id for job, a in zip(*pair, strict=True)} for pair in zip(bulks, answers, strict=True)
    ]
    assert all(found == by_key[0] for found in by_key)


def test_a_rival_that_rolls_back_leaves_the_way_free(ask: Ask) -> None:
    answers: list[Enqueued] = []
    rival = [new(idempotency_key="k"), new()]
    with OpenTransaction(ask.store, lambda: ask.verbs.insert(rival)) as held:
        waiter = threading.Thread(target=lambda: answers.extend(ask.enqueue(new(idempotency_key="k"))))
        waiter.start()
        waiter.join(0.1)
        assert not answers, "a key was answered by a row that is not committed"
        held.roll_back()
        waiter.join(30)
    (answer,) = answers
    assert answer.created
    assert set(ask.run(ask.verbs.read([answer.id, rival[0].id, rival[1].id]))) == {answer.id}


def test_a_rival_that_commits_is_answered_with_its_job(ask: Ask) -> None:
    answers: list[Enqueued] = []
    rival = [new(idempotency_key="k"), new()]
    with OpenTransaction(ask.store, lambda: ask.verbs.insert(rival)) as held:
        waiter = threading.Thread(target=lambda: answers.extend(ask.enqueue(new(idempotency_key="k"))))
        waiter.start()
        waiter.join(0.1)
        assert not answers
        held.commit()
        waiter.join(30)
    assert [(answer.id, answer.created) for answer in answers] == [(rival[0].id, False)]


def test_sixteen_submitters_race_with_a_rival_that_rolls_back(ask: Ask) -> None:
    rival = [new(idempotency_key="k"), new()]
    answers: list[Enqueued] = []

    def submit() -> None:
        answers.append(ask.enqueue(new(idempotency_key="k"))[0])

    with OpenTransaction(ask.store, lambda: ask.verbs.insert(rival)) as held:
        threads = [threading.Thread(target=submit) for _ in range(RACERS)]
        for thread in threads:
            thread.start()
        held.roll_back()
        for thread in threads:
            thread.join(30)
    assert len(answers) == RACERS
    assert [answer.created for answer in answers].count(True) == 1
    assert {answer.id for answer in answers}.isdisjoint({rival[0].id})


def test_the_scope_of_a_key_is_tenant_and_kind(ask: Ask) -> None:
    jobs = [new(kind, idempotency_key="k", tenant=tenant) for kind in ("a", "b") for tenant in ("t", "u")]
    assert all(answer.created for answer in ask.enqueue(*jobs))


def test_keys_are_equal_by_bytes_alone(ask: Ask) -> None:
    keys = ["k", "K", "k ", "ｋ", "é", "e\u0301", "\\u0000", "%", "_"]
    assert all(answer.created for answer in ask.enqueue(*[new(idempotency_key=key) for key in keys]))


def test_a_key_twice_in_one_bulk_gives_one_job(ask: Ask) -> None:
    first, second, other = ask.enqueue(new(idempotency_key="k"), new(idempotency_key="k"), new())
    assert (first.created, second.created, other.created) == (True, False, True)
    assert first.id == second.id


def test_a_job_twice_in_one_bulk_gives_one_job(ask: Ask) -> None:
    job = new()
    answers = ask.enqueue(job, new(), job)
    assert [answer.created for answer in answers] == [True, True, False]
    assert answers[0].id == answers[2].id == job.id


def test_the_same_id_with_the_same_arguments_is_the_same_job(ask: Ask) -> None:
    job = new(value=1)
    ask.enqueue(job)
    (again,) = ask.enqueue(job)
    assert (again.id, again.created) == (job.id, False)


def test_the_same_id_with_other_arguments_is_refused(ask: Ask) -> None:
    job_id = ask.enqueued(value=1)
    with pytest.raises(IdConflict) as refused:
        ask.enqueue(new(value=2, id=job_id))
    assert refused.value.job_id == job_id


@pytest.mark.parametrize("end", ["succeeded", "dead", "cancelled", "lost", "waiting", "running"])
def test_a_key_answers_with_a_job_that_can_be_opened_whatever_became_of_it(ask: Ask, end: str) -> None:
    """B68: the key is held by the job's own row, and answers with it after each end. (Nobody deletes a job but
    retention, below; and nobody a kind, which is a row that only changes.)"""
    job_id = ask.enqueued(idempotency_key="k", max_attempts=1)
    if end == "cancelled":
        ask.cancel(job_id)
    elif end != "waiting":
        lease = ask.lease()
        if end == "succeeded":
            ask.report(done(lease))
        elif end == "dead":
            ask.report(failed(lease, ErrorClass.TERMINAL))
        elif end == "lost":
            ask.clock.advance(61)
            ask.sweep()
    (again,) = ask.enqueue(new(idempotency_key="k"))
    assert (again.id, again.created) == (job_id, False)
    assert ask.job(again.id) == again.job


def test_a_key_is_free_again_once_retention_has_taken_its_job(ask: Ask) -> None:
    """B68: no key outlives its job, and the next submission is accepted."""
    job_id = ask.enqueued(idempotency_key="k")
    ask.report(done(ask.lease()))
    ask.clock.advance(31 * 86_400.0)
    assert ask.run(ask.verbs.prune(Retention(keys=timedelta(days=30)), 100)) == 1
    (again,) = ask.enqueue(new(idempotency_key="k"))
    assert again.created
    assert again.id != job_id


def test_a_lost_answer_can_be_asked_for_again_after_the_jobs_deadline(ask: Ask) -> None:
    job = new(idempotency_key="k", deadline=ask.clock() + timedelta(seconds=5))
    ask.enqueue(job)
    ask.clock.advance(6)
    same_key = new(idempotency_key="k", deadline=job.deadline)
    assert [(answer.id, answer.created) for answer in ask.enqueue(job, same_key)] == [(job.id, False)] * 2
    with pytest.raises(InvalidInput, match="deadline"):
        ask.enqueue(new(deadline=job.deadline))
