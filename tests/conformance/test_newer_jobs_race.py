"""Supersession under races: many producers of one key, workers that end its attempts meanwhile, and open
transactions."""

import itertools
import threading
from functools import partial

from tenure.core.attempt import ErrorClass
from tenure.core.errors import RetryTransaction, StoreBusy
from tenure.core.flow.newer_job import NewerJob
from tenure.core.job import Job
from tenure.core.job_filter import JobFilter
from tenure.core.reports import Answer
from tenure.core.states import WAITING, State
from tenure.operations.enqueue import Enqueued, enqueue
from tenure.operations.redrive import redrive
from tenure.stores.script import Script
from tests.conformance.asking import Ask, done, failed, released
from tests.conformance.racing import OpenTransaction, race, race_of_two
from tests.conformance.test_newer_jobs_take_the_place_of_older_ones import keyed

_numbers = itertools.count()
RACERS = 12
EACH = 5


def all_rows(ask: Ask) -> dict[str, Job]:
    return {job.id: job for job in ask.run(ask.verbs.list_jobs(JobFilter(), None, 1000))}


def end_of_chain(rows: dict[str, Job], job: Job) -> str:
    passed = set()
    while job.superseded_by is not None:
        assert job.id not in passed
        passed.add(job.id)
        job = rows[job.superseded_by]
    return job.id


def persistently(ask: Ask, job: NewerJob) -> Enqueued:
    """As a producer does that is told to try again."""
    while True:
        try:
            return ask.enqueue(job)[0]
        except StoreBusy:
            continue


def test_many_producers_of_one_key_leave_one_that_waits_and_a_chain_that_ends_at_it(ask: Ask) -> None:
    def produce() -> None:
        for _ in range(EACH):
            assert persistently(ask, keyed()).created

    race([produce] * RACERS)
    rows = all_rows(ask)
    (standing,) = [job for job in rows.values() if job.state in WAITING]
    assert len(rows) == RACERS * EACH
    assert {end_of_chain(rows, job) for job in rows.values()} == {standing.id}
    assert standing.seq == max(job.seq for job in rows.values())
    assert {(job.state, job.end_code) for job in rows.values() if job is not standing} == {
        (State.CANCELLED, "superseded")
    }


def test_batches_of_the_same_keys_in_opposite_order_end_with_one_for_each(ask: Ask) -> None:
    keys = [f"key {number}" for number in range(10)]

    def produce(order: list[str]) -> None:
        for _ in range(3):
            while True:
                try:
                    ask.enqueue(*(keyed(key=key) for key in order))
                    break
                except StoreBusy:
                    continue

    race([partial(produce, keys if racer % 2 else keys[::-1]) for racer in range(6)])
    waiting = [job.supersession_key for job in all_rows(ask).values() if job.state in WAITING]
    assert sorted(map(str, waiting)) == sorted(keys)


def test_producers_and_workers_that_fail_and_give_back_never_leave_two_that_wait(ask: Ask) -> None:
    ended = threading.Event()
    last: list[str] = []

    def produce() -> None:
        for _ in range(20):
            persistently(ask, keyed())

    def work() -> None:
        turn = 0
        while not ended.is_set():
            for lease in ask.leases(2):
                turn += 1
                report = (released(lease, begun=False), failed(lease, wait=0.0), failed(lease, ErrorClass.TERMINAL))[
                    turn % 3
                ]
                persistent_answer(ask, report)

    def all_producers() -> None:
        race([produce] * 4)
        last.append(persistently(ask, keyed("last")).id)
        ended.set()

    race([all_producers, work, work])
    rows = all_rows(ask)
    open_ones = [job for job in rows.values() if job.state in WAITING or job.state is State.FAILED]
    assert [job.id for job in open_ones if job.superseded_by is None] == [last[0]] or rows[last[0]].attempt > 0
    assert len([job for job in open_ones if job.superseded_by is None]) == 1
    assert {end_of_chain(rows, job) for job in rows.values() if job.end_code == "superseded"} == {last[0]}


def persistent_answer(ask: Ask, report: object) -> Answer:
    while True:
        try:
            return ask.answer(report)  # type: ignore[arg-type]
        except StoreBusy:
            continue


def test_a_producer_who_rolls_back_has_superseded_nothing(ask: Ask) -> None:
    (older,) = ask.enqueue(keyed("old"))
    with OpenTransaction(ask.store, lambda: _discarding(ask, keyed("never"))) as held:
        held.roll_back()
    assert ask.job(older.id).state is State.READY
    assert list(all_rows(ask)) == [older.id]


def test_a_rival_waits_for_an_open_transaction_and_comes_after_it(ask: Ask) -> None:
    ask.enqueue(keyed("old"))
    first, second = keyed("first"), keyed("second")
    answers: list[Enqueued] = []
    with OpenTransaction(ask.store, lambda: _discarding(ask, first)) as held:
        waiter = threading.Thread(target=lambda: answers.append(persistently(ask, second)))
        waiter.start()
        waiter.join(0.1)
        assert not answers
        held.commit()
        waiter.join(30)
    assert answers[0].created
    assert (ask.job(first.id).superseded_by, ask.job(second.id).state) == (second.id, State.READY)


def test_a_worker_whose_attempt_fails_while_a_newer_one_is_not_committed_waits_and_then_gives_way(ask: Ask) -> None:
    ask.enqueue(keyed("old"))
    lease, latest = ask.lease(), keyed("new")
    answers: list[Answer] = []
    with OpenTransaction(ask.store, lambda: _discarding(ask, latest)) as held:
        waiter = threading.Thread(target=lambda: answers.append(persistent_answer(ask, released(lease, begun=True))))
        waiter.start()
        waiter.join(0.1)
        assert not answers
        held.commit()
        waiter.join(30)
    assert (ask.job(lease.job_id).end_code, ask.job(latest.id).state) == ("superseded", State.READY)


def test_a_worker_may_complete_while_a_newer_one_is_not_committed(ask: Ask) -> None:
    """No row of the running job is locked by its producer. SQLite and memory have one writer, who is waited for."""
    ask.enqueue(keyed("old"))
    lease, latest = ask.lease(), keyed("new")
    with OpenTransaction(ask.store, lambda: _discarding(ask, latest)) as held:
        if ask.store.url.startswith("postgresql"):
            ask.answer(done(lease))
            assert ask.job(lease.job_id).state is State.SUCCEEDED
        held.commit()
    assert ask.job(latest.id).state is State.READY


def test_a_redrive_and_a_newer_job_leave_one_that_stands(ask: Ask) -> None:
    for _ in range(10):
        key = f"key {next(_numbers)}"
        (older,) = ask.enqueue(keyed("old", key=key))
        ask.answer(failed(ask.lease(), ErrorClass.TERMINAL))
        latest = keyed("new", key=key)

        def again(older: Enqueued = older) -> object:
            return ask.run(redrive(ask.verbs, older.id, who="op"))

        race_of_two(again, partial(persistently, ask, latest))
        gone = ask.job(older.id)
        assert gone.superseded_by == latest.id
        assert gone.state in (State.FAILED, State.CANCELLED)
        ask.cancel(latest.id)


def test_nobody_gives_way_to_a_job_whose_idempotency_key_a_rival_has_taken(ask: Ask) -> None:
    """The rival is of another supersession key, so neither waits for the other's turn."""
    (standing,) = ask.enqueue(keyed("standing", key="mine"))
    rival, late = keyed(1, key="theirs", idempotency_key="i"), keyed(1, key="mine", idempotency_key="i")
    answers: list[Enqueued] = []

    def send() -> None:
        while not answers:
            try:
                answers.extend(ask.enqueue(late))
            except RetryTransaction:
                continue

    with OpenTransaction(ask.store, lambda: _discarding(ask, rival)) as held:
        waiter = threading.Thread(target=send)
        waiter.start()
        waiter.join(0.2)
        held.commit()
        waiter.join(30)
    assert [(answer.id, answer.created) for answer in answers] == [(rival.id, False)]
    assert ask.job(standing.id).state is State.READY


def _discarding(ask: Ask, job: NewerJob) -> Script[object]:
    return (yield from enqueue(ask.verbs, [job]))
