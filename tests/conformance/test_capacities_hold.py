"""Capacities: who still gets in, and what is told to who does not."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from tenure.core.errors import InvalidInput, KeyConflict, QueueFull
from tenure.core.flow.place import Place
from tests.conformance.asking import Ask, done, job_id, new
from tests.conformance.bounding import ACCEPT, DELAY, MAIL, Producer, bounded, mail, waiting


@pytest.fixture
def producer(ask: Ask) -> Producer:
    return Producer(ask)


def test_a_full_queue_refuses_work_and_says_when_to_come_back(ask: Ask, producer: Producer) -> None:
    bounded(ask, 3)
    producer.send(*mail(3))
    refusal = producer.refused(*mail())
    assert (refusal.queue, refusal.tenant, refusal.waiting, refusal.capacity) == ("mail", None, 3, 3)
    assert (refusal.drain_seconds, refusal.retry_after, refusal.code) == (None, 10.0, "queue_full")
    assert waiting(ask, MAIL) == 3
    assert [answer.created for answer in producer.send(new(queue="other"))] == [True]


@pytest.mark.parametrize("state", ["ready", "scheduled"])
def test_whatever_waits_counts_and_what_runs_or_has_ended_does_not(ask: Ask, producer: Producer, state: str) -> None:
    bounded(ask, 2)
    producer.send(*mail(2, delay=60.0 if state == "scheduled" else None))
    producer.refused(*mail())
    ask.clock.advance(61.0)
    ask.promote()
    lease = ask.lease(queue="mail")
    producer.seconds += 1.0
    producer.send(*mail())
    ask.report(done(lease))
    producer.seconds += 1.0
    producer.refused(*mail())


def test_a_tenant_and_a_queue_of_one_tenant_have_capacities_of_their_own(ask: Ask, producer: Producer) -> None:
    bounded(ask, 3, Place(tenant="a"))
    bounded(ask, 1, Place(queue="mail", tenant="b"))
    producer.send(new(queue="mail", tenant="a"), new(queue="x", tenant="a", priority=10), new(tenant="a", delay=9.0))
    assert (producer.refused(new(queue="y", tenant="a")).queue, producer.refused(new(tenant="a")).tenant) == (None, "a")
    producer.send(new(queue="mail", tenant="b"), new(queue="x", tenant="b"))
    refusal = producer.refused(new(queue="mail", tenant="b"))
    assert (refusal.queue, refusal.tenant, refusal.capacity) == ("mail", "b", 1)
    producer.send(new(queue="mail", tenant="c"), new(queue="x", tenant="b"))


def test_work_that_must_be_done_goes_in_whatever_waits(ask: Ask, producer: Producer) -> None:
    bounded(ask, 1)
    producer.send(*mail(1))
    assert all(answer.created for answer in producer.send(*mail(5, policy=ACCEPT)))
    assert producer.refused(*mail()).waiting == 6


def test_a_known_key_or_id_answers_with_its_job_though_the_queue_is_full(ask: Ask, producer: Producer) -> None:
    bounded(ask, 2)
    first = new(queue="mail", idempotency_key="x")
    made = producer.send(first, *mail())
    assert producer.send(replace(first, id=job_id()))[0].id == made[0].id
    assert [answer.created for answer in producer.send(first)] == [False]
    with pytest.raises(KeyConflict):
        producer.send(new("k", "other", queue="mail", idempotency_key="x"))
    producer.refused(replace(first, id=job_id(), idempotency_key="y"))


def test_repeats_of_known_keys_take_no_room(ask: Ask, producer: Producer) -> None:
    bounded(ask, 3)
    first = new(queue="mail", idempotency_key="x")
    for _ in range(10):
        producer.send(replace(first, id=job_id()))
    producer.send(*mail(2))
    producer.refused(*mail())
    producer.send(*[replace(first, id=job_id()) for _ in range(9)])


def test_a_batch_goes_in_whole_or_not_at_all(ask: Ask, producer: Producer) -> None:
    bounded(ask, 3)
    known = new(queue="mail", idempotency_key="x")
    producer.send(known)
    producer.refused(*mail(3))
    assert waiting(ask, MAIL) == 1
    producer.send(*[replace(known, id=job_id()) for _ in range(3)], *mail(2))
    assert waiting(ask, MAIL) == 3


def test_apart_each_job_has_its_own_verdict(ask: Ask, producer: Producer) -> None:
    bounded(ask, 2)
    known = new(queue="mail", idempotency_key="x")
    producer.send(known)
    answers = producer.send_each(
        *mail(), replace(known, id=job_id()), *mail(), new(queue="other"), *mail(policy=ACCEPT)
    )
    assert [answer.code if isinstance(answer, QueueFull) else answer.created for answer in answers] == [  # type: ignore[union-attr]
        True, False, "queue_full", True, True,
    ]  # fmt: skip
    assert waiting(ask, MAIL) == 3


def test_a_delayed_job_is_put_off_until_the_queue_should_be_worked_off(ask: Ask, producer: Producer) -> None:
    """Each of them takes ten seconds, one at a time, and it counts itself."""
    bounded(ask, 2)
    ask.enqueue(*mail(1))
    lease = ask.lease(queue="mail")
    ask.clock.advance(10.0)
    ask.report(done(lease))
    ask.enqueue(*mail(1))
    ask.lease(queue="mail")
    producer.send(*mail(2))
    (put_off,) = producer.send(*mail(policy=DELAY))
    job = ask.job(put_off.id)
    assert (job.state, job.run_at - ask.clock()) == ("scheduled", timedelta(seconds=30))
    late = ask.clock() + timedelta(hours=1)
    (later,) = producer.send(*mail(policy=DELAY, run_at=late))
    assert ask.job(later.id).run_at == late
    producer.refused(*mail(policy=DELAY, deadline=ask.clock() + timedelta(seconds=49)))
    assert producer.refused(*mail()).drain_seconds == 40.0


def test_a_capacity_holds_within_a_second_of_its_change(ask: Ask, producer: Producer) -> None:
    producer.send(*mail(3))
    assert producer.loads.is_open
    assert bounded(ask, 3)
    assert not bounded(ask, 3)
    producer.seconds += 1.0
    assert not producer.loads.is_open
    producer.refused(*mail())
    bounded(ask, 4)
    producer.seconds += 1.0
    producer.send(*mail())
    producer.refused(*mail())
    bounded(ask, None)
    producer.seconds += 1.0
    producer.send(*mail(9))
    assert producer.loads.is_open
    assert [(line.verb, line.subject, line.detail, line.queue) for line in ask.run(ask.verbs.audit_lines(9))] == [
        ("set_capacity", "queue mail", "capacity 4 → no capacity", "mail"),
        ("set_capacity", "queue mail", "capacity 3 → capacity 4", "mail"),
        ("set_capacity", "queue mail", "no capacity → capacity 3", "mail"),
    ]


def test_two_processes_go_over_by_what_they_add_within_a_second(ask: Ask, producer: Producer) -> None:
    other = Producer(ask)
    bounded(ask, 10)
    for one in (producer, other):
        one.send(*mail(1))
    other.send(*mail(8))
    producer.send(*mail(9))
    assert waiting(ask, MAIL) == 19
    for one in (producer, other):
        one.seconds += 1.0
        one.refused(*mail())


def test_a_call_that_fails_gives_its_room_back(ask: Ask, producer: Producer) -> None:
    bounded(ask, 2)
    producer.send(new(queue="mail", idempotency_key="x"))
    for _ in range(3):
        with pytest.raises(KeyConflict):
            producer.send(new("k", "other", queue="mail", idempotency_key="x"))
    producer.send(*mail())
    producer.refused(*mail())


def test_a_capacity_of_none_lets_only_in_what_must_be_done(ask: Ask, producer: Producer) -> None:
    bounded(ask, 0)
    producer.refused(*mail())
    producer.send(*mail(policy=ACCEPT))


@pytest.mark.parametrize("place", [Place(), Place(kind="k"), Place(kind="k", tenant="a"), Place(queue=" ")])
def test_a_capacity_is_of_a_queue_a_tenant_or_both(ask: Ask, place: Place) -> None:
    with pytest.raises(InvalidInput):
        bounded(ask, 3, place)


@pytest.mark.parametrize("jobs", [-1, 1_000_001, True, 1.5])
def test_a_capacity_is_a_whole_number_up_to_a_million(ask: Ask, jobs: int) -> None:
    with pytest.raises(InvalidInput, match="capacity"):
        bounded(ask, jobs)


@pytest.mark.parametrize("takes_back", [True, False])
def test_a_job_on_its_way_while_capacities_change_leaves_no_room_that_there_is_not(ask: Ask, takes_back: bool) -> None:
    """It was let in before its place had a capacity, or under one of which the process has forgotten."""
    producer, before = Producer(ask), mail(3)
    ask.run(producer.loads.look(ask.verbs, before))
    assert producer.loads.take(before) == [None] * 3
    bounded(ask, 2)
    producer.loads.forget()
    producer.send(*mail(1))
    if takes_back:
        producer.loads.give_back(before)
    else:
        producer.loads.keep(before)
    producer.seconds += 2
    producer.send(*mail(1))
    assert producer.refused(*mail(1)).waiting == 2
