"""PostgreSQL that hangs, or is gone, and comes back: no request hangs, and nobody restarts the service."""

from collections.abc import Iterator

import httpx2
import psycopg
import pytest

from tenure import Tenure
from tenure.http import Application, asgi
from tests.crash.sites import stoppable_server
from tests.http.platform.conftest import asked, refusal

pytestmark = pytest.mark.postgres


@pytest.fixture
def url() -> Iterator[str]:
    server = stoppable_server()
    yield (url := server.fresh_database())
    server.drop_database(url)


@pytest.fixture
def service(url: str) -> Iterator[Application]:
    """Of every operation, for this machine."""
    app = Tenure(url)

    @app.task()
    def letter(to: str) -> None: ...

    made = asgi(app, insecure_local=True, upkeep=False, answer_seconds=2.0)
    yield made
    made.service.close()


def enqueued(service: Application) -> httpx2.Response:
    return asked(service, "POST", "/jobs", json={"type": "letter", "payload": {"to": "ada"}})


def test_a_database_that_hangs_is_503_within_the_time_it_has(service: Application, url: str) -> None:
    assert enqueued(service).status_code == 201
    with psycopg.connect(url) as holding:
        holding.execute("LOCK TABLE tenure_jobs IN ACCESS EXCLUSIVE MODE")
        answer = enqueued(service)
        assert refusal(answer) == (503, "store_unavailable")
        assert "retry-after" in answer.headers
        assert asked(service, "GET", "/healthz").status_code == 200
    assert enqueued(service).status_code == 201


def test_a_database_that_is_gone_is_503_and_work_goes_on_when_it_is_back(service: Application) -> None:
    server = stoppable_server()
    assert enqueued(service).status_code == 201
    server.stop(immediate=True)
    try:
        assert refusal(enqueued(service))[0] == 503
        ready = asked(service, "GET", "/readyz")
        assert (ready.status_code, ready.json()["ready"]) == (503, False)
        assert asked(service, "GET", "/healthz").status_code == 200
    finally:
        server.start()
    assert enqueued(service).status_code == 201
    assert asked(service, "GET", "/readyz").json() == {"ready": True, "troubles": []}
