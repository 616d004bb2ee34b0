"""The whole interface over ASGI, without a socket, and credentials to it."""

import asyncio
import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from urllib.parse import quote

import httpx2

from tenure import Tenure
from tenure.core.kind import Kind
from tenure.core.principal import Principal, Role, scope_of
from tenure.core.secrecy import credentials
from tenure.edge import tokens
from tenure.edge.operations import BY_NAME
from tenure.http import asgi
from tenure.http.application import Application
from tenure.stores.protocol import Store

KINDS = (Kind(name="mail"), Kind(name="sum", versions=(1, 2)))
NOBODY = "0190a000-0000-7000-8000-000000000000"
"""An id that no job has."""

_SECRETS = itertools.count(1)


class Gate:
    """On one event loop. app: an application without tasks, on the database of the test."""

    def __init__(self, store: Store, clock: Callable[[], datetime], **options: Any) -> None:
        self.app = Tenure("memory://")
        self.app.use(store)
        self.store = store
        self.clock = clock
        self._options = {"upkeep": False, "failures": 1_000_000, **options}
        self._runner = asyncio.Runner()
        store.run(store.verbs.put_kinds(KINDS, replace=True))
        self.application = self._application()

    def restart(self) -> None:
        """Another process on the same database: what was believed of keys is forgotten."""
        self.application = self._application()

    def key(self, role: str, name: str = "", *, expires_at: datetime | None = None, **scope: Any) -> str:
        """A fresh key of a role, for every tenant unless said."""
        number = next(_SECRETS)
        text = credentials.text_of(number.to_bytes(credentials.SECRET_BYTES, "big"))
        row = credentials.Key(
            id=f"0190a000-0000-7000-9000-{number:012x}",
            name=name or f"{role}-{number}",
            role=Role(role),
            scope=scope_of(Role(role), **{"tenants": ["*"], **scope}),
            hash=str(credentials.hash_of(text)),
            created_at=self.clock(),
            created_by="test",
            expires_at=expires_at,
        )
        assert self.store.run(self.store.verbs.put_key(row))
        return text

    def revoke(self, text: str) -> None:
        found = self.store.run(self.store.verbs.key_by_hash(str(credentials.hash_of(text))))
        assert found is not None
        assert self.store.run(self.store.verbs.revoke_key(found.id)) is not None

    def ask(self, credential: str | None, method: str, path: str, **said: Any) -> httpx2.Response:
        """json, content, headers, params: as httpx takes them."""
        answer: httpx2.Response = self.run(self.asked(credential, method, path, **said))
        return answer

    def call(
        self, credential: str | None, name: str, body: Any = None, /, *, query: Any = None, **path: str
    ) -> httpx2.Response:
        """An operation of the table by its name. path: its parameters, not yet encoded."""
        operation = BY_NAME[name]
        where = operation.path
        for parameter, value in path.items():
            where = where.replace(f"{{{parameter}}}", quote(value, safe=""))
        said: dict[str, Any] = {} if query is None else {"params": query}
        if operation.body is not None:
            said["json"] = {} if body is None else body
        return self.ask(credential, operation.method, where, **said)

    async def asked(self, credential: str | None, method: str, path: str, **said: Any) -> httpx2.Response:
        headers = {} if credential is None else {"authorization": f"Bearer {credential}"}
        transport = httpx2.ASGITransport(self.application)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, headers={**headers, **said.pop("headers", {})}, **said)

    def run(self, work: Any) -> Any:
        return self._runner.run(work)

    def stored_token(self, job_id: str) -> str:
        """What the database holds of a running job's lease."""
        token = self.store.run(self.store.verbs.read([job_id]))[job_id].lease_token
        assert token is not None
        return token

    def sealed(self, stored: str, worker: str) -> str:
        """A stored token as `worker` would have been given it, with a key for every tenant."""
        return tokens.sealed(stored, worker_of(worker), self.application.service.digest_key)

    def close(self) -> None:
        self._runner.close()
        self.application.service.waiting.close()
        self.app.close()

    def _application(self) -> Application:
        return asgi(self.app, **self._options)


@contextmanager
def gate_of(store: Store, clock: Callable[[], datetime], **options: Any) -> Iterator[Gate]:
    made = Gate(store, clock, **options)
    try:
        yield made
    finally:
        made.close()


def worker_of(name: str) -> Principal:
    """Of a key for every tenant."""
    return Principal(id=name, name=name, role=Role.WORKER, scope=scope_of(Role.WORKER, tenants=["*"]))


def refusal(answer: httpx2.Response) -> tuple[int, str]:
    """Status and code of a problem."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    said: Mapping[str, Any] = answer.json()
    assert said["status"] == answer.status_code
    assert said["detail"]
    return answer.status_code, said["code"]
