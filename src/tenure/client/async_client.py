"""The async client."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import wraps
from typing import Any, ParamSpec, Self, TypeVar, Unpack, overload

import httpx2

from tenure.client import doing, operating, producing, working
from tenure.client.address import address
from tenure.client.arriving import Arriving
from tenure.client.call import Call
from tenure.client.paging import Page
from tenure.client.producing import Which
from tenure.client.sending import PATIENCE, TIMEOUT, answered, headers, limits, request
from tenure.client.shapes import Job
from tenure.client.trying import Failure, Tries, not_answered
from tenure.client.verb import Verb
from tenure.edge.answers import AuditBody, LaneBody

P = ParamSpec("P")
T = TypeVar("T")
G = TypeVar("G", bound=Page)


class _Later(Verb[P, T]):
    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(self, client: "AsyncClient", owner: type) -> Callable[P, Awaitable[T]]: ...
    def __get__(self, client: "AsyncClient | None", owner: type) -> "Self | Callable[P, Awaitable[T]]":
        if client is None:
            return self

        @wraps(self.make)
        async def send(*args: P.args, **kwargs: P.kwargs) -> T:
            return await client.send(self.make(*args, **kwargs))

        return send


class AsyncClient:
    """The async twin of `Client`, for one event loop."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = TIMEOUT,
        patience: float = PATIENCE,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._address = address(url, key)
        self._timeout, self._patience = timeout, patience
        self._http = httpx2.AsyncClient(transport=transport, headers=headers(), timeout=timeout, limits=limits())

    def __repr__(self) -> str:
        return f"<AsyncClient of {self._address.url}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        """Sends a call, again where that is safe. Raises TenureError."""
        tries = Tries(call, self._patience)
        while True:
            answer = await self._once(call)
            if not isinstance(answer, Failure):
                return call.read(*answer)
            await asyncio.sleep(tries.wait_after(answer))

    async def _once(self, call: Call[Any]) -> tuple[int, bytes] | Failure:
        arriving = Arriving(self._timeout + call.pause)
        try:
            async with self._http.stream(**request(self._address, call, self._timeout)) as response:
                async for chunk in response.aiter_bytes():
                    arriving.take(chunk)
        except httpx2.RequestError as error:
            return not_answered(error)
        return answered(call, response, arriving.content())

    enqueue = _Later(producing.enqueue)
    enqueue_many = _Later(producing.enqueue_many)
    job = _Later(producing.job)
    job_page = _Later(producing.job_page)
    attempts = _Later(producing.attempts)
    cancel = _Later(producing.cancel)
    redrive = _Later(producing.redrive)

    claim = _Later(working.claim)
    claim_many = _Later(working.claim_many)
    heartbeat = _Later(working.heartbeat)
    heartbeats = _Later(working.heartbeats)
    complete = _Later(working.complete)
    fail = _Later(working.fail)
    release = _Later(working.release)
    snooze = _Later(working.snooze)
    reports = _Later(working.reports)

    effects = _Later(doing.effects)
    begin_effect = _Later(doing.begin_effect)
    finish_effect = _Later(doing.finish_effect)
    settle_effect = _Later(doing.settle_effect)
    checkpoints = _Later(doing.checkpoints)
    save_checkpoint = _Later(doing.save_checkpoint)

    kinds = _Later(operating.kinds)
    kind = _Later(operating.kind)
    set_kind = _Later(operating.set_kind)
    clear_slowdown = _Later(operating.clear_slowdown)
    queues = _Later(operating.queues)
    tenant_page = _Later(operating.tenant_page)
    workers = _Later(operating.workers)
    keys = _Later(operating.keys)
    create_key = _Later(operating.create_key)
    revoke_key = _Later(operating.revoke_key)
    audit_page = _Later(operating.audit_page)
    alive = _Later(operating.alive)
    ready = _Later(operating.ready)

    async def jobs(self, **which: Unpack[Which]) -> AsyncIterator[Job]:
        """The async twin of `Client.jobs`."""
        async for page in _pages(lambda cursor: self.job_page(**which, cursor=cursor)):
            for job in page.jobs:
                yield job

    async def tenants(self, limit: int | None = None) -> AsyncIterator[LaneBody]:
        """The async twin of `Client.tenants`."""
        async for page in _pages(lambda cursor: self.tenant_page(cursor=cursor, limit=limit)):
            for tenant in page.tenants:
                yield tenant

    async def audit(self, limit: int | None = None) -> AsyncIterator[AuditBody]:
        """The async twin of `Client.audit`."""
        async for page in _pages(lambda cursor: self.audit_page(cursor=cursor, limit=limit)):
            for line in page.lines:
                yield line


async def _pages(ask: Callable[[Any], Awaitable[G]]) -> AsyncIterator[G]:
    """The async twin of `client._pages`."""
    page = await ask(None)
    yield page
    while page.next is not None:
        page = await ask(page.next)
        yield page
