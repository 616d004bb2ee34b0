"""One tick of a publisher at a time: what its callable gets, and what becomes of it when that fails."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from tenure.core.errors import Misconfigured, StoreUnavailable
from tenure.core.hints import Backlog
from tenure.core.retention import Retention
from tenure.engine.upkeep.pruner import Pruner
from tenure.engine.upkeep.publisher import Publisher
from tenure.operations.hint import start_hints, stop_hints, take_hints
from tenure.testing.clock import FakeClock
from tests.conformance.asking import Ask, done, new
from tests.engine.troubled import Troubled


class Broker:
    """Notes what it gets; fails while `away`, and always with ids of `hated`."""

    def __init__(self) -> None:
        self.given: list[list[str]] = []
        self.away = False
        self.hated: set[str] = set()

    def __call__(self, ids: list[str]) -> None:
        if self.away or self.hated & {*ids}:
            raise ConnectionError("the broker is away")
        self.given.append(ids)

    @property
    def ids(self) -> list[str]:
        return [job_id for ids in self.given for job_id in ids]


@pytest.fixture
def broker() -> Broker:
    return Broker()


@pytest.fixture
def publisher(store: Troubled, broker: Broker) -> Publisher:
    return Publisher(store, broker, who="test", batch=4)


def backlog(ask: Ask) -> Backlog:
    return ask.run(ask.verbs.hint_backlog())


def test_what_is_ready_is_given_once_in_batches(ask: Ask, publisher: Publisher, broker: Broker) -> None:
    ids = [answer.id for answer in ask.enqueue(*(new() for _ in range(6)))]
    assert publisher.tick() == 0.0
    assert publisher.tick() > 0.0
    assert [len(some) for some in broker.given] == [4, 2]
    assert sorted(broker.ids) == sorted(ids)
    ask.clock.advance(1000)
    publisher.tick()
    assert len(broker.ids) == publisher.given == 6


def test_jobs_that_were_done_meanwhile_are_not_given(ask: Ask, publisher: Publisher, broker: Broker) -> None:
    publisher.tick()
    ended, ready = ask.enqueued(), ask.enqueued()
    ask.report(done(ask.lease(only=ended)))
    publisher.tick()
    assert broker.given == [[ready]]


def test_what_the_callable_refused_comes_again(ask: Ask, publisher: Publisher, broker: Broker) -> None:
    job_id = ask.enqueued()
    broker.away = True
    with pytest.raises(ConnectionError):
        publisher.tick()
    assert (backlog(ask).refused, backlog(ask).error) == (1, "ConnectionError: the broker is away")
    publisher.tick()
    assert (publisher.refusals, publisher.refusal) == (1, "ConnectionError: the broker is away")
    broker.away = False
    ask.clock.advance(2)
    publisher.tick()
    assert (broker.ids, backlog(ask).refused, publisher.refusals, publisher.refusal) == ([job_id], 0, 0, "")


def test_an_id_that_is_always_refused_keeps_no_other_back(
    ask: Ask, publisher: Publisher, broker: Broker, clock: FakeClock
) -> None:
    ids = [answer.id for answer in ask.enqueue(*(new() for _ in range(9)))]
    broker.hated = {min(ids)}
    for _ in range(12):
        try:
            publisher.tick()
        except ConnectionError:
            clock.advance(0.1)
    assert sorted(broker.ids) == sorted(ids)[1:]
    assert (backlog(ask).due, backlog(ask).refused) == (0, 1)
    broker.hated.clear()
    clock.advance(300)
    publisher.tick()
    assert sorted(broker.ids[8:]) == sorted(ids)[:1]


def test_an_answer_that_was_lost_after_the_callable_had_them_gives_them_again(
    ask: Ask, store: Troubled, publisher: Publisher, broker: Broker
) -> None:
    job_id = ask.enqueued()
    store.fail("settle_hints", StoreUnavailable("gone"))
    with pytest.raises(StoreUnavailable):
        publisher.tick()
    assert broker.ids == [job_id]
    ask.clock.advance(60)
    publisher.tick()
    assert broker.ids == [job_id, job_id]


def test_a_publisher_that_died_leaves_its_hints_to_the_next(ask: Ask, store: Troubled, broker: Broker) -> None:
    job_id = ask.enqueued()
    ask.run(start_hints(ask.verbs, who="test"))
    taken = ask.run(take_hints(ask.verbs, "of the one that died"))
    broker([job_id for job_id, _ in taken.hints])
    other = Publisher(store, broker, who="test")
    other.tick()
    assert broker.ids == [job_id]
    ask.clock.advance(60)
    other.tick()
    assert broker.ids == [job_id, job_id]


@pytest.mark.parametrize("said", [SystemExit("no broker"), asyncio.CancelledError("no broker")])
def test_what_would_end_a_program_or_a_task_is_a_refusal_like_any_other(
    ask: Ask, store: Troubled, said: BaseException
) -> None:
    def leaves(ids: list[str]) -> None:
        raise said

    ask.enqueued()
    publisher = Publisher(store, leaves, who="test")
    with pytest.raises(RuntimeError, match="no broker"):
        publisher.tick()
    assert (publisher.refusals, backlog(ask).refused) == (1, 1)
    assert type(said).__name__ in (backlog(ask).error or "")


async def _sends_later(ids: list[str]) -> None:
    raise AssertionError


def _sends_in_steps(ids: list[str]) -> Iterator[str]:
    yield from ids


async def _sends_in_steps_later(ids: list[str]) -> AsyncIterator[str]:
    yield ids[0]


@pytest.mark.parametrize("function", [_sends_later, _sends_in_steps, _sends_in_steps_later])
def test_a_callable_that_answers_what_was_not_run_has_given_nothing(
    ask: Ask, store: Troubled, function: Callable[[list[str]], object]
) -> None:
    ask.enqueued()
    publisher = Publisher(store, lambda ids: function(ids), who="test")
    with pytest.raises(Misconfigured, match="has sent nothing yet") as refused:
        publisher.tick()
    assert "plain function" in refused.value.hint
    assert (publisher.given, backlog(ask).refused) == (0, 1)


def test_ids_are_repeated_while_their_jobs_are_ready_where_that_is_asked_for(
    ask: Ask, store: Troubled, broker: Broker
) -> None:
    publisher = Publisher(store, broker, who="test", repeat=30.0)
    job_id = ask.enqueued()
    publisher.tick()
    ask.clock.advance(30)
    publisher.tick()
    assert broker.ids == [job_id, job_id]
    ask.report(done(ask.lease()))
    ask.clock.advance(30)
    publisher.tick()
    assert broker.ids == [job_id, job_id]


def test_a_publisher_whose_hints_were_turned_off_says_so(ask: Ask, store: Troubled, publisher: Publisher) -> None:
    publisher.tick()
    ask.run(stop_hints(ask.verbs, who="test"))
    with pytest.raises(Misconfigured, match="turned off"):
        publisher.tick()


def test_a_publisher_that_cannot_start_yet_starts_later(
    ask: Ask, store: Troubled, publisher: Publisher, broker: Broker
) -> None:
    job_id = ask.enqueued()
    store.fail("start_hints", StoreUnavailable("gone"))
    with pytest.raises(StoreUnavailable):
        publisher.tick()
    publisher.tick()
    assert broker.ids == [job_id]


def test_the_pruner_deletes_hints_that_nobody_took(ask: Ask, store: Troubled, publisher: Publisher) -> None:
    publisher.tick()
    ask.enqueued()
    ask.report(done(ask.lease()))
    assert backlog(ask).due == 1
    ask.clock.advance(3601)
    Pruner(store, Retention(), 60.0).tick()
    assert backlog(ask).due == 0
