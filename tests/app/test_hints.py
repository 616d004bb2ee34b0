"""Delivery hints from end to end: a worker runs what it is told of, whatever becomes of the messages."""

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tenure import InvalidInput, JobHandle, Misconfigured, RetryTransaction, State, Tenure, Woken
from tests.conformance.asking import NOBODY
from tests.databases import EITHER, fresh
from tests.engine.living import QUICK, running, until


class Shop(Tenure):
    """ran: how often the handler ran for each number. It waits for `go` where the number is negative."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.ran: Counter[int] = Counter()
        self.go = threading.Event()
        self.count = self.task(kind="count")(self._count)

    def _count(self, n: int) -> None:
        self.ran[n] += 1
        assert n >= 0 or self.go.wait(20)

    def ended(self, ids: list[str]) -> bool:
        return all(self.read(job_id).state is State.SUCCEEDED for job_id in ids)  # type: ignore[union-attr]


@pytest.fixture(params=EITHER)
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shop]:
    app = Shop(fresh(request.param, tmp_path))
    yield app
    app.go.set()
    app.close()


@pytest.fixture
def caller(shop: Shop) -> Callable[[], Any]:
    """Makes a connection of the application's own."""
    if shop.url.startswith("sqlite:///"):
        return lambda: sqlite3.connect(shop.url.removeprefix("sqlite:///"))
    return lambda: psycopg.connect(shop.url)


def collected(app: Tenure, ids: list[str], **said: Any) -> list[str]:
    """What a publisher has given once it has given all of these."""
    given: list[str] = []
    with app.publish_hints(given.extend, **said):
        until(lambda: {*ids} <= {*given})
    return given


def test_messages_that_come_twice_late_or_never_run_each_job_once(shop: Shop) -> None:
    ids = [shop.count.enqueue(n=n).id for n in range(30)]
    messages = collected(shop, ids, batch=7)
    assert sorted(messages) == sorted(ids)
    arrived = [job_id for place, job_id in enumerate(messages) if place % 3] * 2
    with running(shop.worker(**QUICK)):
        for job_id in arrived:
            assert shop.wake(job_id) in {Woken.CLAIMED, Woken.RUNNING, Woken.ENDED, Woken.CLOSED, Woken.BUSY}
        until(lambda: shop.ended(ids), "the end of all jobs, those of lost messages too")
        assert {shop.wake(job_id) for job_id in messages} == {Woken.ENDED}
    assert {shop.read(job_id).attempt for job_id in ids} == {1}  # type: ignore[union-attr]
    assert shop.ran == dict.fromkeys(range(30), 1)


@pytest.mark.parametrize("shop", EITHER[1:], indirect=True)
def test_a_job_of_a_long_transaction_of_the_caller_is_given_after_its_commit(shop: Shop) -> None:
    given: list[str] = []
    shop.declare_kinds()
    with psycopg.connect(shop.url) as connection, shop.publish_hints(given.extend):
        until(lambda: shop.ask(lambda verbs: verbs.hint_backlog()).is_on)
        early = shop.count.using(connection=connection).enqueue(n=1)
        late = [shop.count.enqueue(n=n).id for n in range(2, 5)]
        until(lambda: {*late} <= {*given})
        assert early.id not in given
        connection.commit()
        until(lambda: early.id in given)
    assert sorted(given) == sorted([early.id, *late])


def in_its_transaction(shop: Shop, connection: Any, number: int) -> JobHandle:
    """As a caller does it: anew where its transaction met one of the publisher's."""
    while True:
        try:
            return shop.count.using(connection=connection).enqueue(n=number)
        except RetryTransaction:
            connection.rollback()


def test_a_job_of_the_caller_that_is_rolled_back_is_never_given(shop: Shop, caller: Callable[[], Any]) -> None:
    given: list[str] = []
    with shop.publish_hints(given.extend):
        until(lambda: shop.ask(lambda verbs: verbs.hint_backlog()).is_on)
        with contextlib.closing(caller()) as connection:
            gone = in_its_transaction(shop, connection, 1)
            connection.rollback()
            kept = in_its_transaction(shop, connection, 2)
            connection.commit()
        until(lambda: kept.id in given)
    assert given == [kept.id]
    assert shop.get(gone.id) is None


def test_a_queue_between_publisher_and_worker_brings_every_job(shop: Shop) -> None:
    broker: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def publish(ids: list[str]) -> None:
        for job_id in ids:
            broker.put(job_id)

    def consume() -> None:
        while (job_id := broker.get()) is not None:
            shop.wake(job_id)

    consumer = threading.Thread(target=consume)
    with running(shop.worker(**QUICK)), shop.publish_hints(publish) as publishing:
        consumer.start()
        ids = [shop.count.enqueue(n=n).id for n in range(20)]
        until(lambda: shop.ended(ids))
        assert publishing.health().well
        broker.put(None)
        consumer.join(20)
    assert shop.ran == dict.fromkeys(range(20), 1)


def test_a_worker_that_is_full_leaves_the_job_to_others(shop: Shop) -> None:
    with running(shop.worker(**QUICK, slots=1)) as one:
        shop.count.enqueue(n=-1)
        until(one.has_begun)
        waiting = shop.count.enqueue(n=2)
        assert shop.wake(waiting.id) is Woken.BUSY
        shop.go.set()
        until(lambda: shop.ended([waiting.id]))


def test_without_a_worker_in_the_process_nothing_happens(shop: Shop) -> None:
    job = shop.count.enqueue(n=1)
    assert shop.wake(job.id) is Woken.NO_WORKER
    shop.worker(**QUICK)
    assert shop.wake(job.id) is Woken.NO_WORKER
    job.refresh()
    assert job.state is State.READY


def test_ids_of_no_job_and_of_other_applications_are_left_alone(shop: Shop) -> None:
    stranger = Tenure(shop.url)
    theirs = stranger.task(kind="theirs")(lambda: None).enqueue()
    stranger.close()
    with running(shop.worker(**QUICK)):
        odd: list[Any] = [NOBODY, "", "no id", None, 7, b"x"]
        assert {shop.wake(job_id) for job_id in odd} == {Woken.UNKNOWN}
        assert shop.wake(theirs.id) is Woken.FOREIGN
    assert shop.wake(theirs.id.upper()) is Woken.NO_WORKER


def test_of_several_workers_in_a_process_the_one_that_serves_the_queue_takes_it(shop: Shop) -> None:
    job = shop.count.using(queue="mail").enqueue(n=1)
    with running(shop.worker(**QUICK)):
        assert shop.wake(job.id) is Woken.FOREIGN
        with running(shop.worker(**QUICK, queues=("mail",))):
            assert shop.wake(job.id) in {Woken.CLAIMED, Woken.RUNNING, Woken.ENDED, Woken.CLOSED}
            until(lambda: shop.ended([job.id]))


def test_closing_the_application_ends_its_publishers(shop: Shop) -> None:
    publishing = shop.publish_hints(print)
    shop.close()
    assert not publishing.health().well
    assert publishing.stop()


def test_a_coroutine_wakes_off_its_loop(shop: Shop) -> None:
    assert asyncio.run(shop.awake(NOBODY)) is Woken.NO_WORKER


def test_a_publisher_whose_function_fails_says_so_and_gives_it_later(shop: Shop) -> None:
    broken, given = threading.Event(), []
    broken.set()

    def publish(ids: list[str]) -> None:
        if broken.is_set():
            raise ConnectionError("no broker")
        given.extend(ids)

    job = shop.count.enqueue(n=1)
    with shop.publish_hints(publish) as publishing:
        until(lambda: publishing.health().refusals)
        assert "no broker" in publishing.health().error
        broken.clear()
        until(lambda: given)
        until(lambda: publishing.health().refusals == 0)
        assert (given, publishing.health().given, publishing.health().error) == ([job.id], 1, "")
    assert not publishing.health().well


def test_a_publisher_whose_function_refuses_everything_is_unwell_and_counts_on_while_nothing_gets_through(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    def publish(ids: list[str]) -> None:
        raise ConnectionError("no broker")

    shop.count.enqueue(n=1)
    with shop.publish_hints(publish) as publishing:
        assert publishing.health().well
        until(lambda: publishing.health().refusals >= 3)
        health = publishing.health()
        assert (health.well, health.given, health.age < 5.0) == (False, 0, True)
    refused = [message for message in caplog.messages if "no broker" in message]
    assert [f"(failure {nth} in a row, trying again)" in said for nth, said in enumerate(refused, 1)] == [True] * len(
        refused
    )


def test_a_function_that_cannot_take_one_list_is_refused_at_the_start(tmp_path: Path) -> None:
    app = Tenure(f"sqlite:///{tmp_path}/tenure.db")
    for one in (lambda: None, lambda channel, ids: None, lambda *, ids: None):
        with pytest.raises(Misconfigured, match="cannot be called with a list of ids alone"):
            app.publish_hints(one)
    for one in (lambda ids, channel="x": None, lambda *ids: None, print):
        assert app.publish_hints(one).stop()
    app.close()


@pytest.mark.parametrize(
    ("publish", "said", "error"),
    [
        (None, {}, Misconfigured),
        ([].append, {"batch": 0}, InvalidInput),
        (print, {"hold": 0.5}, InvalidInput),
        (print, {"repeat": -1}, InvalidInput),
    ],
)
def test_what_cannot_publish_is_refused(
    tmp_path: Path, publish: Any, said: dict[str, Any], error: type[Exception]
) -> None:
    app = Tenure(f"sqlite:///{tmp_path}/tenure.db")
    with pytest.raises(error):
        app.publish_hints(publish, **said)
    app.close()


def test_a_coroutine_function_is_refused(tmp_path: Path) -> None:
    async def publish(ids: list[str]) -> None: ...

    class Awaited:
        __call__: Callable[..., Any] = publish

    app = Tenure(f"sqlite:///{tmp_path}/tenure.db")
    for one in (publish, Awaited()):
        with pytest.raises(Misconfigured, match="coroutine"):
            app.publish_hints(one)
    app.close()


def test_a_callable_that_stops_its_own_publisher_is_told_that_it_has_not_come_back(shop: Shop) -> None:
    answers: queue.Queue[bool] = queue.Queue()
    publishings: queue.Queue[Any] = queue.Queue()

    def stops(ids: list[str]) -> None:
        answers.put(publishings.get(timeout=20).stop())

    shop.count.enqueue(n=1)
    with shop.publish_hints(stops) as publishing:
        publishings.put(publishing)
        assert answers.get(timeout=20) is False
        assert publishing.stop()
