"""Order keys where producers and workers of one key meet: nobody waits for anybody, nobody is forgotten, none
overtakes."""

import threading
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any

import psycopg
import pytest

from tenure.core.attempt import ErrorClass
from tenure.core.flow.order import OnFailure
from tenure.core.job import NewJob
from tenure.core.states import State
from tenure.operations.complete import complete
from tenure.operations.enqueue import Enqueued, enqueue
from tenure.operations.order import line_up_unseen
from tenure.operations.redrive import redrive
from tenure.stores.connections import run_in
from tenure.stores.postgres.store import PostgresStore
from tenure.stores.protocol import Store
from tenure.stores.script import Script
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, done, failed, new
from tests.conformance.racing import OpenTransaction, race, race_of_two

KEYS, EACH = 6, 8


@pytest.fixture
def server(own_postgres: PostgresStore, clock: FakeClock) -> Ask:
    return Ask(own_postgres, clock)


def ordered(key: str = "x", **fields: Any) -> NewJob:
    return new(order_key=key, **fields)


def producing(ask: Ask, *jobs: NewJob) -> OpenTransaction:
    """A caller's transaction that has enqueued `jobs`, and stays open."""

    def work() -> Script[list[Enqueued]]:
        return enqueue(ask.verbs, jobs, borrowed=True)

    return OpenTransaction(ask.store, work)


def promoted(ask: Ask) -> set[str]:
    """What the promoter does about lines."""
    return set(ask.store.run(line_up_unseen(ask.verbs, 0), "upkeep").queues)


def is_settled(ask: Ask) -> bool:
    return not ask.run(ask.verbs.unseen(0, 10)).keys


@pytest.mark.postgres
def test_a_head_that_ends_while_a_producer_commits_is_followed(server: Ask) -> None:
    first = server.enqueue(ordered())[0].id
    lease = server.lease()
    with producing(server, late := ordered()) as held:
        assert server.answer(done(lease)).next_queue is None, "nobody can see the other job yet"
        held.commit()
    assert server.job(late.id).state is State.BLOCKED
    assert promoted(server) == {"default"}
    assert server.job(late.id).state is State.READY
    assert (server.job(first).state, is_settled(server)) == (State.SUCCEEDED, True)


@pytest.mark.postgres
def test_a_producer_that_commits_before_the_head_ends_is_seen_by_its_end(server: Ask) -> None:
    server.enqueue(ordered())
    lease = server.lease()
    with producing(server, late := ordered()) as held:
        held.commit()
    assert server.answer(done(lease)).next_queue == "default"
    assert (server.job(late.id).state, is_settled(server)) == (State.READY, True)


@pytest.mark.postgres
def test_an_open_transaction_holds_up_neither_the_key_nor_another_producer(server: Ask) -> None:
    with producing(server, late := ordered()) as held:
        ids = [server.enqueue(ordered())[0].id for _ in range(3)]
        for job_id in ids[:2]:
            lease = server.lease()
            assert lease.job_id == job_id
            server.answer(done(lease))
        held.commit()
    assert promoted(server) == set(), "there is a head"
    lease = server.lease()
    server.answer(done(lease))
    assert (lease.job_id, server.lease().job_id) == (ids[2], late.id)


@pytest.mark.postgres
def test_a_job_that_commits_late_runs_next(server: Ask) -> None:
    head = server.enqueue(ordered())[0].id
    with producing(server, late := ordered()) as held:
        after = [server.enqueue(ordered())[0].id for _ in range(2)]
        held.commit()
    ran = []
    for _ in range(4):
        lease = server.lease()
        server.answer(done(lease))
        ran.append(lease.job_id)
    assert ran == [head, late.id, *after]


@pytest.mark.postgres
def test_a_producer_that_rolls_back_leaves_no_trace_in_the_line(server: Ask) -> None:
    with producing(server, ordered()) as held:
        held.roll_back()
    assert is_settled(server)
    assert server.enqueue(ordered())[0].job.state is State.READY


@pytest.mark.postgres
def test_producers_whose_transactions_name_keys_in_opposite_order_do_not_wait_for_each_other(server: Ask) -> None:
    with producing(server, ordered("a"), ordered("b")) as one, producing(server, ordered("b"), ordered("a")) as other:
        assert [answer.job.state for answer in server.enqueue(ordered("a"), ordered("b"))] == [State.READY] * 2
        other.commit()
        one.commit()
    server.report(*[done(lease) for lease in server.leases(5)])
    assert len(server.leases(5)) == 2
    promoted(server)
    assert is_settled(server)


@pytest.mark.postgres
def test_who_meets_a_head_that_somebody_holds_leaves_it_to_the_promoter(server: Ask) -> None:
    head = server.enqueue(ordered())[0].id
    with OpenTransaction(server.store, lambda: server.verbs.lock([head])) as held:
        blocked = server.enqueue(ordered())[0]
        assert (blocked.job.state, is_settled(server)) == (State.BLOCKED, False)
        promoted(server)
        assert not is_settled(server)
        held.roll_back()
    assert (promoted(server), is_settled(server)) == (set(), True)


@pytest.mark.postgres
def test_keys_that_cannot_be_lined_up_yet_do_not_keep_others_waiting(server: Ask) -> None:
    heads = [server.enqueue(ordered(f"held {number}"))[0].id for number in range(3)]
    with OpenTransaction(server.store, lambda: server.verbs.lock(heads)) as held:
        for number in range(3):
            server.enqueue(ordered(f"held {number}"))
        with producing(server, late := ordered("free")) as other:
            other.commit()
        after: int | None = 0
        while after is not None:
            after = server.store.run(line_up_unseen(server.verbs, after, 1), "upkeep").after
        assert server.job(late.id).state is State.READY
        held.roll_back()


@pytest.mark.postgres
def test_a_completion_under_an_older_snapshot_leaves_it_to_the_promoter(server: Ask) -> None:
    server.enqueue(ordered())
    lease = server.lease()
    with psycopg.connect(server.store.url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("SELECT count(*) FROM tenure_jobs")
        late = server.enqueue(ordered())[0].id
        run_in(connection, complete(server.verbs, done(lease)), server.store)
    assert server.job(late).state is State.BLOCKED
    assert promoted(server) == {"default"}
    assert (server.job(late).state, is_settled(server)) == (State.READY, True)


@pytest.mark.postgres
def test_a_cancel_that_holds_the_next_job_does_not_stop_the_end_of_the_head(server: Ask) -> None:
    server.enqueue(ordered())
    second, third = (server.enqueue(ordered())[0].id for _ in range(2))
    lease = server.lease()
    with OpenTransaction(server.store, lambda: server.verbs.lock([second])) as held:
        assert server.answer(done(lease)).next_queue is None
        held.roll_back()
    assert [server.job(job_id).state for job_id in (second, third)] == [State.BLOCKED] * 2
    assert promoted(server) == {"default"}
    assert server.lease().job_id == second


@pytest.mark.postgres
def test_a_redriven_job_is_not_forgotten_for_a_producer_who_rolls_back(server: Ask) -> None:
    again = server.enqueue(ordered(on_failure=OnFailure.CONTINUE))[0].id
    server.answer(failed(server.lease(), ErrorClass.TERMINAL))
    with OpenTransaction(server.store, lambda: enqueue(server.verbs, [ordered()])) as held:
        server.run(redrive(server.verbs, again, who="test"))
        assert server.job(again).state is State.BLOCKED, "somebody else has the right to make a head"
        held.roll_back()
    assert promoted(server) == {"default"}
    assert (server.job(again).state, is_settled(server)) == (State.READY, True)


def test_racing_producers_and_workers_keep_every_line_in_order(store: Store, clock: FakeClock) -> None:
    """Each producer enqueues its own key, one after the other; all keys are drained meanwhile by four workers."""
    ask = Ask(store, clock)
    enqueued: dict[str, list[str]] = defaultdict(list)
    ran: dict[str, list[str]] = defaultdict(list)
    running: set[str] = set()
    guard, is_over = threading.Lock(), threading.Event()

    def producer(key: str) -> Callable[[], None]:
        def produce() -> None:
            for _ in range(EACH):
                enqueued[key].append(ask.enqueue(ordered(key))[0].id)

        return produce

    def worker() -> None:
        while not is_over.is_set():
            leases = ask.leases(3)
            for lease in leases:
                key = ask.job(lease.job_id).order_key or ""
                with guard:
                    assert key not in running, "two jobs of one key run at once"
                    running.add(key)
                    ran[key].append(lease.job_id)
                    is_over_now = sum(map(len, ran.values())) == KEYS * EACH
                with guard:
                    running.discard(key)
                ask.answer(done(lease))
                if is_over_now:
                    is_over.set()
            if not leases:
                promoted(ask)

    race([*[producer(f"key {number}") for number in range(KEYS)], *[worker] * 4])
    assert dict(ran) == dict(enqueued)
    assert is_settled(ask)


def test_racing_producers_of_one_key_get_one_head(store: Store, clock: FakeClock) -> None:
    ask = Ask(store, clock)
    answers = race([lambda: ask.enqueue(ordered(), ordered())] * 8)
    promoted(ask)
    found = [ask.job(answer.id).state for some in answers for answer in some]
    assert sorted(found) == [State.BLOCKED] * 15 + [State.READY]
    ran = []
    while leases := ask.leases(5):
        ask.report(*map(done, leases))
        ran += [lease.job_id for lease in leases]
    assert len(ran) == 16
    for first, second in answers:
        assert ran.index(first.id) < ran.index(second.id), "a batch is not in its order"


@pytest.mark.parametrize("end", ["done", "failed"])
def test_an_end_that_meets_a_cancel_of_the_next_job_leaves_a_head(store: Store, clock: FakeClock, end: str) -> None:
    ask = Ask(store, clock)
    for round_number in range(10):
        key = f"key {round_number}"
        _, second, third = (ask.enqueue(ordered(key, on_failure=OnFailure.CONTINUE))[0].id for _ in range(3))
        lease = ask.lease()
        report = done(lease) if end == "done" else failed(lease, ErrorClass.TERMINAL)
        race_of_two(partial(ask.answer, report), partial(ask.cancel, second))
        promoted(ask)
        assert ask.job(second).state is State.CANCELLED
        lease = ask.lease()
        assert lease.job_id == third
        ask.answer(done(lease))
