"""A worker's pool of connections: its size, what the start says of it, and a wait that lasts."""

import logging
from typing import Any

import pytest

from tenure.core.pool import LONG_WAIT
from tenure.engine.attempts.handler import Handler
from tenure.engine.options import WorkerOptions
from tenure.engine.pooling import Pooling
from tenure.engine.worker import Worker
from tenure.stores.memory.store import MemoryStore
from tenure.stores.protocol import PoolWait, Room
from tests.engine.living import QUICK, running
from tests.engine.workshop import handler


class Pooled(MemoryStore):
    """A store whose pool a test fills. said: its size, where somebody has said it."""

    def __init__(self, said: int | None = None, limit: int | None = None) -> None:
        super().__init__()
        self._said, self._size, self._limit = said, said or 8, limit
        self.wait = PoolWait()

    @property
    def pool(self) -> int:
        return self._size

    def resize(self, size: int) -> bool:
        if self._said is None:
            self._size = size
        return self._said is None

    def waiting(self) -> PoolWait:
        return self.wait

    def room(self) -> Room | None:
        return None if self._limit is None else Room(limit=self._limit, left=self._limit)


@pytest.fixture(autouse=True)
def _log_all(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tenure.engine")


def work(kind: str = "work", isolation: Any = "thread", **said: Any) -> Handler:
    return handler(kind, lambda _run: None, isolation, source="shop:app", **said)


def started(store: Pooled | None, *handlers: Handler, **options: Any) -> Pooling:
    pooling = Pooling(store, handlers or [work()], WorkerOptions(**options))
    pooling.fit()
    pooling.tell()
    return pooling


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(record.levelname, record.getMessage()) for record in caplog.records]


@pytest.mark.parametrize("slots", [1, 10, 20])
def test_where_nobody_said_a_size_each_attempt_has_a_connection_and_nothing_is_told(
    slots: int, caplog: pytest.LogCaptureFixture
) -> None:
    store = Pooled(limit=97)
    started(store, slots=slots)
    assert (store.pool >= slots, lines(caplog)) == (True, [])


def test_more_slots_than_we_take_connections_for_are_told_without_alarm(caplog: pytest.LogCaptureFixture) -> None:
    store = Pooled(limit=97)
    started(store, slots=50)
    ((level, words),) = lines(caplog)
    assert (store.pool, level) == (20, "INFO")
    assert "up to 50 attempts at once share 20 connections" in words
    assert "`--database-connections 50`" in words


def test_a_size_that_somebody_said_stays_and_is_warned_of_where_it_is_too_small(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = Pooled(said=5)
    started(store, slots=20)
    ((level, words),) = lines(caplog)
    assert (store.pool, level) == (5, "WARNING")
    assert "`--database-connections 20` gives one to each" in words


@pytest.mark.parametrize(
    "handlers",
    [
        [work(isolation="process")],
        [work(concurrency=5)],
        [work(slots=4)],
        [work("one", concurrency=2), work("other", slots=6, isolation="loop"), work("third", isolation="process")],
    ],
)
def test_attempts_that_cannot_be_at_once_or_run_in_a_child_need_no_connection_here(
    handlers: list[Handler], caplog: pytest.LogCaptureFixture
) -> None:
    started(Pooled(said=5), *handlers, slots=20)
    assert lines(caplog) == []


def test_more_than_the_server_gives_is_one_warning_with_the_size_that_fits(caplog: pytest.LogCaptureFixture) -> None:
    started(Pooled(said=30, limit=97), slots=40, processes=4)
    ((level, words),) = lines(caplog)
    assert level == "WARNING"
    assert "4 worker processes may open 136 connections" in words
    assert "gives 97 to all clients: say `--database-connections 20`" in words


def test_processes_share_what_the_server_gives(caplog: pytest.LogCaptureFixture) -> None:
    store = Pooled(limit=60)
    started(store, slots=20, processes=4)
    assert store.pool == 11
    ((level, words),) = lines(caplog)
    assert (level, "its server has room for `--database-connections 11`" in words) == ("INFO", True)


def test_a_server_that_has_few_gets_a_small_pool_and_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    store = Pooled(limit=22)
    started(store, slots=10, processes=3)
    assert (store.pool, [level for level, _ in lines(caplog)]) == (3, ["INFO"])


def test_a_server_that_has_no_room_at_all_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    store = Pooled(limit=97)
    started(store, slots=1, processes=30)
    ((level, words),) = lines(caplog)
    assert (store.pool, level, "start fewer processes" in words) == (1, "WARNING", True)


def test_a_second_worker_of_the_process_takes_nothing_from_the_first() -> None:
    store = Pooled(limit=97)
    started(store, slots=20)
    started(store, slots=2)
    assert store.pool == 20


def test_a_store_without_a_pool_and_a_worker_of_a_service_have_nothing_to_tell(
    caplog: pytest.LogCaptureFixture,
) -> None:
    for store in (MemoryStore(), None):
        pooling = Pooling(store, [work()], WorkerOptions(slots=500))
        pooling.fit()
        pooling.tell()
        pooling.look()
        assert (pooling.troubles(), pooling.waiting()) == ({}, PoolWait())
    assert lines(caplog) == []


def test_a_wait_that_lasts_is_a_trouble_and_told_once_in_the_log_like_its_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = Pooled(said=5)
    pooling = started(store, slots=20)
    caplog.clear()
    for seconds in (0.1, LONG_WAIT - 0.1, LONG_WAIT, LONG_WAIT + 1):
        store.wait = PoolWait(15, seconds)
        pooling.look()
    assert "connections" in pooling.troubles()
    store.wait = PoolWait(3, 0.01)
    pooling.look()
    pooling.look()
    assert pooling.troubles() == {}
    assert [level for level, _ in lines(caplog)] == ["WARNING", "INFO"]
    assert "15 wait for one of 5 connections" in caplog.messages[0]


def test_health_tells_who_waits_and_is_well_until_it_lasts() -> None:
    store = Pooled(said=5)
    with running(Worker(store, [work()], WorkerOptions(**QUICK))) as one:
        store.wait = PoolWait(3, 0.25)
        health = one.worker.health()
        assert (health.waiting, health.waited, health.well) == (3, 0.25, True)
        store.wait = PoolWait(3, LONG_WAIT)
        health = one.worker.health()
        assert (health.well, list(health.troubles)) == (False, ["connections"])
        store.wait = PoolWait()
        assert one.worker.health().well
