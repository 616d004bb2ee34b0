"""Handlers, asked as the platform asks them: a struct made of JSON goes in, JSON comes out."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from tenure.core.errors import TenureError
from tenure.core.kind import Kind
from tenure.core.principal import Principal, Role, scope_of
from tenure.edge import problems
from tenure.edge.operations import BY_NAME
from tenure.http.call import Call
from tenure.http.handlers.table import HANDLERS
from tenure.http.service import Service
from tenure.stores.protocol import Channel


class Said(msgspec.Struct, frozen=True):
    """What a caller gets to see: the status, and the body's members."""

    status: int
    body: Any

    def __getitem__(self, member: str) -> Any:
        return self.body[member]


def principal(role: str, name: str = "", **scope: Any) -> Principal:
    """A credential as `tenure keys create` would make it, for every tenant unless said."""
    said = scope_of(Role(role), **{"tenants": ["*"], **scope})
    return Principal(id=f"id of {name or role}", name=name or role, role=Role(role), scope=said)


ADMIN = principal("admin", max_priority="critical")
PRODUCER = principal("producer", "web")
WORKER = principal("worker", "w1")
OTHER_WORKER = principal("worker", "w2")
VIEWER = principal("viewer")


async def until(true: Callable[[], Any]) -> None:
    """Looks again and again, for ten seconds."""
    for _ in range(2000):
        if true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came true")


async def never() -> None:
    await asyncio.Event().wait()


def gone_once_it_has_claimed(ask: "Asking", monkeypatch: pytest.MonkeyPatch) -> Callable[[], Awaitable[None]]:
    """A client that leaves when the first claim of its request is done, and is seen to have left."""
    claimed = asyncio.Event()
    run = ask.service.run

    async def noticed(script: Any, channel: Channel = "producer") -> Any:
        found = await run(script, channel)
        if "_claimed_jobs" in script.__qualname__:
            claimed.set()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        return found

    async def left() -> None:
        await claimed.wait()

    monkeypatch.setattr(ask.service, "run", noticed)
    return left


class Asking:
    """One service on one event loop."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.runner = asyncio.Runner()

    def declare(self, *kinds: Kind) -> None:
        store = self.service.app.opened()
        store.run(store.verbs.put_kinds(kinds, replace=True))

    def run(self, work: Awaitable[Any]) -> Any:
        async def whole() -> Any:
            return await work

        return self.runner.run(whole())

    def __call__(self, who: Principal, operation: str, body: Any = None, /, **said: Any) -> Said:
        """said: `id` or `name` of the path, `query`, `traceparent`, `left`."""
        return self.run(self.asked(who, operation, body, **said))  # type: ignore[no-any-return]

    async def asked(
        self,
        who: Principal,
        named: str,
        body: Any = None,
        /,
        *,
        query: Any = None,
        traceparent: str | None = None,
        left: Callable[[], Awaitable[None]] = never,
        **path: str,
    ) -> Said:
        operation = BY_NAME[named]
        call = Call(
            principal=who,
            body=None if operation.body is None else msgspec.convert(body or {}, operation.body),
            query=None if operation.query is None else msgspec.convert(query or {}, operation.query),
            path=path,
            request_id="r1",
            traceparent=traceparent,
            left=left,
        )
        try:
            reply = await HANDLERS[named](self.service, call)
        except TenureError as error:
            problem = problems.problem_of(error, "r1", operation.body)
            return Said(problem.status, msgspec.json.decode(msgspec.json.encode(problem)))
        shapes = operation.answers[reply.status]
        assert (reply.body is None and not shapes) or type(reply.body) in shapes
        return Said(reply.status, None if reply.body is None else msgspec.json.decode(msgspec.json.encode(reply.body)))

    def close(self) -> None:
        self.runner.close()
        self.service.waiting.close()
