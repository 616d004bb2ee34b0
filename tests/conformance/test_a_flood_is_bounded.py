"""Several producers at once against one capacity: how far they go over it, and what goes through all the same."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tenure.core.errors import QueueFull
from tests.conformance.asking import Ask, new
from tests.conformance.bounding import ACCEPT, MAIL, Producer, bounded, mail, waiting

PRODUCERS, EACH, CAPACITY = 4, 10, 205


def together(work: Callable[[Producer], int], producers: list[Producer]) -> int:
    """All begin at once; what they count, summed."""
    begin = threading.Barrier(len(producers))

    def one(producer: Producer) -> int:
        begin.wait(30)
        return work(producer)

    with ThreadPoolExecutor(len(producers)) as threads:
        return sum(threads.map(one, producers))


def flood(producer: Producer) -> int:
    """What one enqueues between two counts; how much of it was refused."""
    refused = 0
    for _ in range(EACH):
        try:
            producer.send(*mail())
        except QueueFull:
            refused += 1
    return refused


def test_a_flood_goes_over_by_no_more_than_the_others_add_between_two_counts(ask: Ask) -> None:
    bounded(ask, CAPACITY)
    producers = [Producer(ask) for _ in range(PRODUCERS)]
    refused = 0
    for _ in range(10):
        refused += together(flood, producers)
        for producer in producers:
            producer.seconds += 0.6
    stored = waiting(ask, MAIL, 10_000)
    assert CAPACITY <= stored <= CAPACITY + (PRODUCERS - 1) * EACH
    assert stored + refused == 10 * PRODUCERS * EACH


def test_threads_of_one_process_do_not_go_over_at_all(ask: Ask) -> None:
    """They share what they know; what is on its way counts."""
    bounded(ask, 25)
    producer = Producer(ask)
    producer.send(*mail())
    refused = together(flood, [producer] * PRODUCERS)
    assert (waiting(ask, MAIL), refused) == (25, PRODUCERS * EACH - 24)


def test_through_a_flood_goes_what_must_be_done_and_what_is_known(ask: Ask) -> None:
    bounded(ask, 20)
    known = new(queue="mail", idempotency_key="x")
    (first,) = Producer(ask).send(known)
    producers = [Producer(ask) for _ in range(PRODUCERS)]
    together(flood, producers)
    for producer in producers:
        producer.seconds += 1.0

    def through(producer: Producer) -> int:
        producer.refused(*mail())
        again, must = producer.send(new(queue="mail", idempotency_key="x"))[0], producer.send(*mail(policy=ACCEPT))[0]
        return int((again.id, again.created, must.created) == (first.id, False, True))

    assert together(through, producers) == PRODUCERS
