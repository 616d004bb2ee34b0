"""By itself with a lifespan, or mounted in another application that runs none."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from tenure import Tenure
from tenure.core.errors import SchemaTooOld
from tenure.http.application import Application
from tenure.http.options import ServiceOptions
from tenure.http.service import Service
from tests.http.platform import things
from tests.http.platform.conftest import Build, Keys, asked, refusal


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[Application]:
    """On an SQLite file that nobody has opened, with its upkeep."""
    app = Tenure(f"sqlite:///{tmp_path / 'tenure.db'}")

    @app.task()
    def letter() -> None: ...

    service = Service(app, ServiceOptions(insecure_local=True, sweep=0.05))
    yield Application(service, things.handlers(), things.TABLE)
    service.close()


def told(application: Application, *kinds: str) -> list[dict[str, Any]]:
    """What a lifespan of these messages is answered."""
    messages, answers = [{"type": kind} for kind in kinds], []

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(message: Any) -> None:
        answers.append(message)

    asyncio.run(application({"type": "lifespan"}, receive, send))
    return answers


def test_mounted_below_a_path_its_own_paths_go_on_there(build: Build) -> None:
    outer = Starlette(routes=[Mount("/jobs-api", build(insecure_local=True))])
    assert asked(outer, "GET", "/jobs-api/things").json()["said"]["principal"] == "@local"
    assert asked(outer, "GET", "/jobs-api/names/a%2Fb").json()["said"]["path"] == {"name": "a/b"}
    assert asked(outer, "GET", "/jobs-api/openapi.json").json()["servers"] == [{"url": "/jobs-api"}]
    assert refusal(asked(outer, "GET", "/jobs-api/nowhere"))[0] == 404


def test_without_a_lifespan_the_first_request_opens_and_starts_the_upkeep(stored: Application) -> None:
    service = stored.service
    assert asked(stored, "GET", "/alive").status_code == 200
    assert service._upkeep is None
    assert asked(stored, "GET", "/things").status_code == 200
    first = service._upkeep
    assert first is not None
    assert asked(stored, "GET", "/things").status_code == 200
    assert service._upkeep is first
    assert "letter" in service.store.run(service.verbs.kinds())
    asyncio.run(stored.close())
    assert not any(loop._thread.is_alive() for loop in first._loops)
    assert asked(stored, "GET", "/things").status_code == 200


def test_a_lifespan_starts_and_stops(stored: Application) -> None:
    answers = told(stored, "lifespan.startup", "lifespan.shutdown")
    assert [answer["type"] for answer in answers] == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert stored.service._upkeep is None


def test_a_start_that_cannot_work_is_told(build: Build) -> None:
    application = build()

    def refuse() -> None:
        raise SchemaTooOld("the schema is older than this release")

    application.service.start = refuse  # type: ignore[method-assign]
    (answer,) = told(application, "lifespan.startup")
    assert answer["type"] == "lifespan.startup.failed"
    assert "tenure migrate" in answer["message"]


def test_readiness_tells_of_the_database_and_of_the_loops(stored: Application) -> None:
    service = stored.service
    assert asyncio.run(service.troubles()) == []
    assert service._upkeep is not None
    service._upkeep.stop()
    service._upkeep._pulses._pulses["sweep"].last_success -= 1000
    assert asyncio.run(service.troubles()) == ["sweep: no success for too long"]
    service.leaving.set()
    assert asyncio.run(service.troubles()) == ["leaving: the server drains"]


def test_readiness_says_that_the_database_is_away_and_not_where_it_is(tmp_path: Path) -> None:
    service = Service(Tenure(f"sqlite:///{tmp_path}/nowhere/tenure.db"))
    (trouble,) = asyncio.run(service.troubles())
    assert trouble.startswith("database: ")
    assert str(tmp_path) not in trouble


def test_a_websocket_is_closed(build: Build) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    asyncio.run(build()({"type": "websocket", "path": "/things", "headers": []}, receive, send))
    assert [message["type"] for message in sent] == ["websocket.close"]


def test_keys_hold_when_mounted_too(build: Build, key: Keys) -> None:
    outer = Starlette(routes=[Mount("/api", build())])
    assert refusal(asked(outer, "GET", "/api/things"))[0] == 401
    assert asked(outer, "GET", "/api/things", headers={"authorization": f"Bearer {key()}"}).status_code == 200
