"""Producers that keep to capacities, each a process of its own by what it knows."""

from typing import Any

import pytest

from tenure.app.databases.loads import Loads
from tenure.core.errors import QueueFull, TenureError
from tenure.core.flow.capacity import Capacity
from tenure.core.flow.place import Place
from tenure.core.job import NewJob, Policy
from tenure.operations.admit import enqueue_admitted, enqueue_each_admitted
from tenure.operations.enqueue import Enqueued
from tenure.operations.set_capacity import set_capacity
from tests.conformance.asking import Ask, new

MAIL = Place(queue="mail")
ACCEPT, DELAY = Policy(when_full="accept"), Policy(when_full="delay")


class Producer:
    """seconds: its clock."""

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


def bounded(ask: Ask, jobs: int | None, place: Place = MAIL) -> bool:
    return ask.run(set_capacity(ask.verbs, place, jobs, who="op", why="the relay is slow"))


def mail(many: int = 1, **fields: Any) -> list[NewJob]:
    return [new(queue="mail", **fields) for _ in range(many)]


def waiting(ask: Ask, place: Place, most: int = 1000) -> int:
    (counts,) = ask.run(ask.verbs.waiting([Capacity(place, most)]))
    return sum(counts.values())
