"""Readiness: a database that takes no writes is no place for work, and asking costs it little."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure import Tenure
from tenure.core.errors import StoreUnavailable
from tenure.core.pool import LONG_WAIT
from tenure.http import Application, asgi
from tenure.http.write_probe import EVERY_SECONDS, WriteProbe
from tenure.stores.protocol import PoolWait, Store
from tests.http.platform.conftest import asked


class Writes:
    """A database that the test switches off, and its clock."""

    def __init__(self) -> None:
        self.count = 0
        self.failure: Exception | None = None
        self.now = 1000.0
        self.probe = WriteProbe(self._write, 2.0, lambda: self.now)

    def trouble(self) -> str | None:
        return asyncio.run(self.probe.trouble())

    async def _write(self) -> None:
        self.count += 1
        if self.failure is not None:
            raise self.failure


def test_however_many_ask_a_write_is_tried_once_in_five_seconds() -> None:
    writes = Writes()
    assert [writes.trouble() for _ in range(100)] == [None] * 100
    assert writes.count == 1
    writes.now += EVERY_SECONDS
    assert writes.trouble() is None
    assert writes.count == 2


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (StoreUnavailable("the database /secret/place has no room on its disk"), "writes: store_unavailable"),
        (TimeoutError(), "writes: no answer"),
    ],
)
def test_a_write_that_failed_is_told_by_its_code_until_one_does_not(failure: Exception, said: str) -> None:
    writes = Writes()
    writes.failure = failure
    assert [writes.trouble(), writes.trouble()] == [said, said]
    writes.failure = None
    assert writes.trouble() == said
    writes.now += EVERY_SECONDS
    assert writes.trouble() is None


def test_a_write_that_hangs_is_waited_for_as_long_as_it_may_take_and_by_one_caller() -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    async def both() -> list[str | None]:
        first = asyncio.ensure_future(probe.trouble())
        await asyncio.sleep(0)
        return [await probe.trouble(), await first]

    probe = WriteProbe(hang, 0.01)
    assert asyncio.run(both()) == [None, "writes: no answer"]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Application]:
    made = asgi(Tenure(f"sqlite:///{tmp_path}/tenure.db"), insecure_local=True, upkeep=False)
    yield made
    made.service.close()


def fill(store: Store) -> None:
    """As a disk that has no room for one page more, as long as the connection lasts."""
    store._writer._connection.execute("PRAGMA max_page_count = 1")  # type: ignore[attr-defined]


def test_a_full_disk_is_not_ready_though_it_can_be_read_and_lives(service: Application) -> None:
    asked(service, "PUT", "/kinds/mail", json={})
    clock = [0.0]
    service.service._writes._clock = lambda: clock[0]
    fill(service.service.store)
    ready = asked(service, "GET", "/readyz")
    assert (ready.status_code, ready.json()) == (503, {"ready": False, "troubles": ["writes: store_unavailable"]})
    assert asked(service, "GET", "/healthz").status_code == 200
    assert asked(service, "GET", "/jobs").status_code == 200
    clock[0] += EVERY_SECONDS  # The next write is tried over a fresh connection, which knows no limit.
    assert asked(service, "GET", "/readyz").json() == {"ready": True, "troubles": []}


def test_asking_leaves_nothing_that_grows(service: Application, tmp_path: Path) -> None:
    clock = [0.0]
    service.service._writes._clock = lambda: clock[0]
    sizes = []
    for _ in range(3):
        clock[0] += EVERY_SECONDS
        assert asked(service, "GET", "/readyz").status_code == 200
        store = service.service.store
        sizes.append(store._writer._connection.execute("PRAGMA page_count").fetchone()[0])  # type: ignore[attr-defined]
    assert sizes[0] == sizes[2]


@pytest.mark.postgres
def test_a_service_whose_callers_wait_long_for_a_connection_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.conformance.postgres_server import shared

    made = asgi(Tenure(shared().fresh_database(), database_connections=3), insecure_local=True, upkeep=False)
    assert asked(made, "GET", "/readyz").json() == {"ready": True, "troubles": []}
    store = made.service.store
    said = asked(made, "GET", "/metrics").text.splitlines()
    assert {"tenure_store_connections 3", "tenure_store_waiting 0", "tenure_store_waiting_seconds 0.0"} <= set(said)
    monkeypatch.setattr(store, "waiting", lambda: PoolWait(12, LONG_WAIT + 1.25))
    answer = asked(made, "GET", "/readyz")
    words = "12 wait for one of 3 connections to the database, the first for 6.2 s: `database_connections` allows more"
    assert (answer.status_code, answer.json()["troubles"]) == (503, [f"connections: {words}"])
    said = asked(made, "GET", "/metrics").text.splitlines()
    assert {"tenure_store_waiting 12", "tenure_store_waiting_seconds 6.25"} <= set(said)
    made.service.close()


@pytest.mark.postgres
def test_a_database_that_can_only_be_read_is_not_ready() -> None:
    from tests.conformance.postgres_server import shared

    url = shared().fresh_database()
    made = asgi(Tenure(url), insecure_local=True, upkeep=False)
    assert asked(made, "GET", "/readyz").json() == {"ready": True, "troubles": []}
    shared().alter_database(url, "SET default_transaction_read_only = on")
    made.service.close()
    assert asked(made, "GET", "/readyz").status_code == 503
    made.service.close()
