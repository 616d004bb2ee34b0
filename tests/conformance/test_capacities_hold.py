"""Capacities: who still gets in, what is told to who does not, and what is counted to know."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from msgspec.structs import replace

from tenure.app.loads import Loads
from tenure.core.capacity import Capacity
from tenure.core.drain import Sample
from tenure.core.errors import InvalidInput, KeyConflict, QueueFull, TenureError
from tenure.core.job import NewJob, Policy
from tenure.core.place import Place
from tenure.operations.admit import enqueue_admitted, enqueue_each_admitted
from tenure.operations.enqueue import Enqueued
from tenure.operations.set_capacity import set_capacity
from tests.conformance.asking import Ask, done, failed, job_id, new

MAIL = Place(queue="mail")
ACCEPT, DELAY = Policy(when_full="accept"), Policy(when_full="delay")


def bounded(ask: Ask, jobs: int | None, place: Place = MAIL) -> bool:
    return ask.run(set_capacity(ask.verbs, place, jobs, who="op", why="the relay is slow"))


class Producer:
    """One process that enqueues."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.seconds = 1000.0
        self.loads = Loads(lambda: self.seconds)

    def send(self, *jobs: NewJob) -> list[Enqueued]:
        return self.ask.run(enqueue_admitted(self.ask.verbs, jobs, (), self.loads))

    def send_each(self, *jobs: NewJob) -> list[Enqueued | TenureError]:
        return self.ask.run(enqueue_each_admitted(self.ask.verbs, jobs, (), self.loads))

    def refused(self, *jobs: NewJob) -> QueueFull:
        with pytest.raises(QueueFull) as caught:
            self.send(*jobs)
        return caught.value


@pytest.fixture
def producer(ask: Ask) -> Producer:
    return Producer(ask)


def mail(many: int = 1, **fields: object) -> list[NewJob]:
    return [new(queue="mail", **fields) for _ in range(many)]


def waiting(ask: Ask, place: Place, most: int = 1000) -> int:
    (counts,) = ask.run(ask.verbs.waiting([Capacity(place, most)]))
    return sum(counts.values())


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


def test_what_waits_is_counted_by_kind_and_no_further_than_asked(ask: Ask) -> None:
    ask.enqueue(*mail(3), *[new("b", queue="mail", tenant="a", delay=5.0, priority=n) for n in (0, 10)])
    ask.enqueue(new("b", queue="mail", tenant="a", priority=-5), new("b", queue="z", tenant="a"), new("c", tenant="a"))
    bounds = [MAIL, Place(tenant="a"), Place(queue="mail", tenant="a"), Place(queue="none"), Place(tenant="none")]
    assert ask.run(ask.verbs.waiting([Capacity(place, 100) for place in bounds])) == [
        {"k": 3, "b": 3}, {"b": 4, "c": 1}, {"b": 3}, {}, {},
    ]  # fmt: skip
    for most in range(6):
        assert waiting(ask, MAIL, most) == most
        assert waiting(ask, Place(tenant="a"), most) == min(most, 5)


def sample(ask: Ask, window: float = 600.0, limit: int = 100) -> Sample:
    found = ask.run(ask.verbs.seen(window, limit))
    return replace(found, seen=sorted(found.seen, key=lambda one: (one.kind, one.started_at)))


def told(found: Sample) -> Sequence[tuple[str, float, float | None]]:
    """Kind, lateness and how long it took."""
    return [
        (
            one.kind,
            (one.started_at - one.run_at).total_seconds(),
            one.ended_at and (one.ended_at - one.started_at).total_seconds(),
        )
        for one in found.seen
    ]


def test_what_is_seen_are_attempts_that_ended_lately_with_their_jobs_and_those_that_run(ask: Ask) -> None:
    ask.enqueue(new("old"), new("a", max_attempts=1), new("b"), new("retried"), new("runs"), new("waits"))
    ask.report(done(ask.lease(["old"])))
    ask.clock.advance(500.0)
    ask.enqueue(new("cancelled"), new("late", deadline=ask.clock() + timedelta(seconds=1)))
    (a,), (b,), (c,) = (ask.leases(1, [kind]) for kind in ("a", "b", "retried"))
    ask.clock.advance(3.0)
    ask.report(failed(a), failed(c))
    ask.sweep_deadlines()
    ask.lease(["runs"])
    ask.clock.advance(1.0)
    ask.report(done(b))
    ask.clock.advance(100.0)
    ask.lease(["waits"])
    found = sample(ask)
    assert told(found) == [("a", 500.0, 3.0), ("b", 500.0, 4.0), ("waits", 604.0, None)]
    assert found.now - found.since == timedelta(seconds=600)
    cut = sample(ask, limit=1)
    assert (len(cut.seen), cut.now - cut.since) == (2, timedelta(seconds=100))
