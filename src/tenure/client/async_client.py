"""The async client."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import wraps
from typing import Any, ParamSpec, Self, TypeVar, Unpack, overload
from uuid import UUID

import httpx2

from tenure.client import doing, limiting, operating, producing, redriving, scheduling, working
from tenure.client.address import address
from tenure.client.arriving import Arriving, too_long
from tenure.client.call import Call
from tenure.client.paging import Page
from tenure.client.producing import Which
from tenure.client.sending import PATIENCE, TIMEOUT, answered, headers, limits, request, whole
from tenure.client.shapes import Attempt, Checkpoint, Effect, Job
from tenure.client.trying import Failure, Tries, not_answered
from tenure.client.verb import Verb
from tenure.edge.audit import AuditBody
from tenure.edge.keys import KeyBody
from tenure.edge.kinds import KindBody
from tenure.edge.lanes import LaneBody
from tenure.edge.redrives import RedriveBody
from tenure.edge.workers import WorkerBody

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
            async with (
                asyncio.timeout(whole(self._timeout, call)) as limit,
                self._http.stream(**request(self._address, call, self._timeout)) as response,
            ):
                async for chunk in response.aiter_bytes():
                    arriving.take(chunk)
        except httpx2.RequestError as error:
            return not_answered(error)
        except TimeoutError:
            if not limit.expired():
                raise
            return not_answered(too_long())
        return answered(call, response, arriving.content())

    enqueue = _Later(producing.enqueue)
    enqueue_many = _Later(producing.enqueue_many)
    job = _Later(producing.job)
    job_page = _Later(producing.job_page)
    obstacles = _Later(producing.obstacles)
    attempt_page = _Later(producing.attempt_page)
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

    effect_page = _Later(doing.effect_page)
    begin_effect = _Later(doing.begin_effect)
    finish_effect = _Later(doing.finish_effect)
    settle_effect = _Later(doing.settle_effect)
    checkpoint_page = _Later(doing.checkpoint_page)
    save_checkpoint = _Later(doing.save_checkpoint)

    cancel_many = _Later(redriving.cancel_many)
    supersede = _Later(redriving.supersede)
    failures = _Later(redriving.failures)
    start_redrive = _Later(redriving.start_redrive)
    redrive_page = _Later(redriving.redrive_page)
    show_redrive = _Later(redriving.show_redrive)
    redrive_jobs = _Later(redriving.redrive_jobs)
    pause_redrive = _Later(redriving.pause_redrive)
    resume_redrive = _Later(redriving.resume_redrive)
    cancel_redrive = _Later(redriving.cancel_redrive)
    forbid_redrives = _Later(redriving.forbid_redrives)
    allow_redrives = _Later(redriving.allow_redrives)

    schedule_page = _Later(scheduling.schedule_page)
    schedule = _Later(scheduling.schedule)
    set_schedule = _Later(scheduling.set_schedule)
    delete_schedule = _Later(scheduling.delete_schedule)
    pause_schedule = _Later(scheduling.pause_schedule)
    resume_schedule = _Later(scheduling.resume_schedule)
    run_schedule = _Later(scheduling.run_schedule)
    backfill_schedule = _Later(scheduling.backfill_schedule)
    preview_schedule = _Later(scheduling.preview_schedule)
    occurrence_page = _Later(scheduling.occurrence_page)

    kind_page = _Later(operating.kind_page)
    kind = _Later(operating.kind)
    set_kind = _Later(operating.set_kind)
    clear_slowdown = _Later(operating.clear_slowdown)
    queue_page = _Later(operating.queue_page)
    tenant_page = _Later(operating.tenant_page)
    queue = _Later(operating.queue)
    tenant = _Later(operating.tenant)
    pause_queue = _Later(limiting.pause_queue)
    resume_queue = _Later(limiting.resume_queue)
    pause_kind = _Later(limiting.pause_kind)
    resume_kind = _Later(limiting.resume_kind)
    pause_tenant = _Later(limiting.pause_tenant)
    resume_tenant = _Later(limiting.resume_tenant)
    pause_resource = _Later(limiting.pause_resource)
    resume_resource = _Later(limiting.resume_resource)
    resource_page = _Later(limiting.resource_page)
    set_tenant = _Later(limiting.set_tenant)
    set_queue = _Later(limiting.set_queue)
    limit_page = _Later(limiting.limit_page)
    set_limit = _Later(limiting.set_limit)
    capacity_page = _Later(limiting.capacity_page)
    set_capacity = _Later(limiting.set_capacity)
    lateness = _Later(limiting.lateness)
    set_objective = _Later(limiting.set_objective)
    worker_page = _Later(operating.worker_page)
    key_page = _Later(operating.key_page)
    key = _Later(operating.key)
    create_key = _Later(operating.create_key)
    revoke_key = _Later(operating.revoke_key)
    audit_page = _Later(operating.audit_page)
    alive = _Later(operating.alive)
    ready = _Later(operating.ready)

    async def jobs(self, **which: Unpack[Which]) -> AsyncIterator[Job]:
        """The async twin of `Client.jobs`."""
        async for page in pages(lambda cursor: self.job_page(**which, cursor=cursor)):
            for job in page.jobs:
                yield job

    async def tenants(self, limit: int | None = None) -> AsyncIterator[LaneBody]:
        """The async twin of `Client.tenants`."""
        async for page in pages(lambda cursor: self.tenant_page(cursor=cursor, limit=limit)):
            for tenant in page.tenants:
                yield tenant

    async def redrives(self, limit: int | None = None) -> AsyncIterator[RedriveBody]:
        """The async twin of `Client.redrives`."""
        async for page in pages(lambda cursor: self.redrive_page(cursor=cursor, limit=limit)):
            for row in page.redrives:
                yield row

    async def audit(self, limit: int | None = None) -> AsyncIterator[AuditBody]:
        """The async twin of `Client.audit`."""
        async for page in pages(lambda cursor: self.audit_page(cursor=cursor, limit=limit)):
            for line in page.lines:
                yield line

    async def attempts(self, id: str | UUID) -> list[Attempt]:  # noqa: A002 (the word of the product)
        """The async twin of `Client.attempts`."""
        found = pages(lambda cursor: self.attempt_page(id, cursor=cursor))
        return [attempt async for page in found for attempt in page.attempts]

    async def effects(self, id: str | UUID) -> list[Effect]:  # noqa: A002 (the word of the product)
        """The async twin of `Client.effects`."""
        found = pages(lambda cursor: self.effect_page(id, cursor=cursor))
        return [effect async for page in found for effect in page.effects]

    async def checkpoints(self, id: str | UUID) -> list[Checkpoint]:  # noqa: A002 (the word of the product)
        """The async twin of `Client.checkpoints`."""
        found = pages(lambda cursor: self.checkpoint_page(id, cursor=cursor))
        return [saved async for page in found for saved in page.checkpoints]

    async def kinds(self) -> list[KindBody]:
        """The async twin of `Client.kinds`."""
        found = pages(lambda cursor: self.kind_page(cursor=cursor))
        return [kind async for page in found for kind in page.kinds]

    async def queues(self) -> list[LaneBody]:
        """The async twin of `Client.queues`."""
        found = pages(lambda cursor: self.queue_page(cursor=cursor))
        return [queue async for page in found for queue in page.queues]

    async def workers(self) -> list[WorkerBody]:
        """The async twin of `Client.workers`."""
        found = pages(lambda cursor: self.worker_page(cursor=cursor))
        return [worker async for page in found for worker in page.workers]

    async def keys(self) -> list[KeyBody]:
        """The async twin of `Client.keys`."""
        found = pages(lambda cursor: self.key_page(cursor=cursor))
        return [key async for page in found for key in page.keys]


async def pages(ask: Callable[[Any], Awaitable[G]]) -> AsyncIterator[G]:
    """The async twin of `client._pages`."""
    page = await ask(None)
    yield page
    while page.next is not None:
        page = await ask(page.next)
        yield page
