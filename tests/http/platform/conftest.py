"""The platform over a store in memory: requests go through ASGI; and, where only a socket shows it, through one."""

import asyncio
import itertools
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tenure import Tenure
from tenure.core.kind import Kind
from tenure.core.principal import Role, scope_of
from tenure.core.secrecy import credentials
from tenure.http import asgi, server
from tenure.http.application import Application
from tenure.http.connections.attending import AttendingProtocol
from tenure.http.options import ServiceOptions
from tenure.http.server import Server, ServerOptions
from tenure.http.service import Service
from tenure.testing import FakeClock, memory_app
from tests.http.platform import things
from tests.http.platform.shops import Shop
from tests.http.platform.sockets import PATIENCE

Ask = Callable[..., httpx2.Response]
Keys = Callable[..., str]
Build = Callable[..., Application]
Running = tuple[Server, tuple[str, int]]
Serve = Callable[..., Running]

_SECRETS = itertools.count(1)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def app(clock: FakeClock) -> Iterator[Tenure]:
    app = Tenure("memory://")
    with memory_app(app, clock):
        yield app


@pytest.fixture
def build(app: Tenure) -> Iterator[Build]:
    """An application of the small table. replaced: handlers by name; options: of ServiceOptions."""
    built: list[Application] = []

    def make(replaced: dict[str, Any] | None = None, **options: Any) -> Application:
        service = Service(app, ServiceOptions(**{"upkeep": False, **options}))
        built.append(Application(service, things.handlers(**replaced or {}), things.TABLE))
        return built[-1]

    yield make
    for one in built:
        one.service.close()


@pytest.fixture
def application(build: Build) -> Application:
    return build()


@pytest.fixture
def serve(build: Build) -> Iterator[Serve]:
    """Serves an application on a free port, in a thread; its server and address."""
    running: list[tuple[Server, threading.Thread]] = []

    def start(application: Application | None = None, **options: Any) -> Running:
        made = Server(application or build(insecure_local=True), ServerOptions(**options))
        listening = server.bound("127.0.0.1", 0)
        thread = threading.Thread(target=made.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        running.append((made, thread))
        return made, listening.getsockname()

    yield start
    for made, thread in running:
        made.drain()
        thread.join(PATIENCE)
        assert not thread.is_alive()


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    app = Tenure(f"sqlite:///{tmp_path}/tenure.db")
    store = app.opened()
    store.run(store.verbs.put_kinds([Kind(name="mail")], replace=True))
    application = asgi(app, insecure_local=True, upkeep=False)
    application.service.start()
    with server.bound("127.0.0.1", 0) as listening, server.beside(application, listening):
        yield Shop(app, application, listening.getsockname())
    app.close()


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Is set as soon as a connection has ended."""
    told = threading.Event()
    made = AttendingProtocol.connection_lost

    def tell(self: AttendingProtocol, error: Exception | None) -> None:
        made(self, error)
        told.set()

    monkeypatch.setattr(AttendingProtocol, "connection_lost", tell)
    return told


def asked(application: Any, method: str, path: str, *, address: str = "127.0.0.1", **said: Any) -> httpx2.Response:
    """One request through ASGI, and its whole answer."""

    async def run() -> httpx2.Response:
        transport = httpx2.ASGITransport(application, raise_app_exceptions=True, client=(address, 4000))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
            return await client.request(method, path, **said)

    return asyncio.run(run())


@pytest.fixture
def key(app: Tenure, clock: FakeClock) -> Keys:
    """Makes a key of a role, and answers it as its owner sees it."""

    def make(role: str = "admin", name: str = "", expires_at: datetime | None = None, **scope: Any) -> str:
        number = next(_SECRETS)
        text = credentials.text_of(number.to_bytes(credentials.SECRET_BYTES, "big"))
        digest = credentials.hash_of(text)
        assert digest is not None
        row = credentials.Key(
            id=f"key-{number}",
            name=name or f"{role}-{number}",
            role=Role(role),
            scope=scope_of(Role(role), **scope),
            hash=digest,
            created_at=clock(),
            created_by="test",
            expires_at=expires_at,
        )
        store = app.opened()
        assert store.run(store.verbs.put_key(row))
        return text

    return make


@pytest.fixture
def ask(application: Application, key: Keys) -> Ask:
    """A request of an admin. json, content, headers: as httpx takes them."""
    credential = key("admin", name="root")

    def request(method: str, path: str, **said: Any) -> httpx2.Response:
        headers = {"authorization": f"Bearer {credential}", **said.pop("headers", {})}
        return asked(said.pop("to", application), method, path, headers=headers, **said)

    return request


def refusal(response: httpx2.Response) -> tuple[int, str]:
    """Status and code of a problem; everything that every problem must have is asserted."""
    assert response.headers["content-type"] == "application/problem+json", response.text
    said = response.json()
    assert said["status"] == response.status_code
    assert said["request_id"] == response.headers["x-request-id"]
    assert said["title"]
    assert said["detail"]
    return response.status_code, said["code"]
