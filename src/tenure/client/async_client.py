"""The async client."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar, Unpack
from uuid import UUID

from tenure.client import doing, limiting, operating, producing, redriving, scheduling, working
from tenure.client.async_connection import AsyncConnection, Later
from tenure.client.paging import Page
from tenure.client.producing import Which
from tenure.client.shapes import Attempt, Checkpoint, Effect, Job
from tenure.edge.audit import AuditBody
from tenure.edge.keys import KeyBody
from tenure.edge.kinds import KindBody
from tenure.edge.overviews import OverviewBody
from tenure.edge.redrives import RedriveBody
from tenure.edge.workers import WorkerBody

G = TypeVar("G", bound=Page)


class AsyncClient(AsyncConnection):
    """The async twin of `Client`, for one event loop."""

    enqueue = Later(producing.enqueue)
    enqueue_many = Later(producing.enqueue_many)
    job = Later(producing.job)
    job_page = Later(producing.job_page)
    obstacles = Later(producing.obstacles)
    attempt_page = Later(producing.attempt_page)
    cancel = Later(producing.cancel)
    redrive = Later(producing.redrive)

    claim = Later(working.claim)
    claim_many = Later(working.claim_many)
    heartbeat = Later(working.heartbeat)
    heartbeats = Later(working.heartbeats)
    complete = Later(working.complete)
    fail = Later(working.fail)
    release = Later(working.release)
    snooze = Later(working.snooze)
    reports = Later(working.reports)

    effect_page = Later(doing.effect_page)
    begin_effect = Later(doing.begin_effect)
    finish_effect = Later(doing.finish_effect)
    settle_effect = Later(doing.settle_effect)
    checkpoint_page = Later(doing.checkpoint_page)
    save_checkpoint = Later(doing.save_checkpoint)

    cancel_many = Later(redriving.cancel_many)
    supersede = Later(redriving.supersede)
    failures = Later(redriving.failures)
    start_redrive = Later(redriving.start_redrive)
    redrive_page = Later(redriving.redrive_page)
    show_redrive = Later(redriving.show_redrive)
    redrive_jobs = Later(redriving.redrive_jobs)
    pause_redrive = Later(redriving.pause_redrive)
    resume_redrive = Later(redriving.resume_redrive)
    cancel_redrive = Later(redriving.cancel_redrive)
    forbid_redrives = Later(redriving.forbid_redrives)
    allow_redrives = Later(redriving.allow_redrives)

    schedule_page = Later(scheduling.schedule_page)
    schedule = Later(scheduling.schedule)
    set_schedule = Later(scheduling.set_schedule)
    delete_schedule = Later(scheduling.delete_schedule)
    pause_schedule = Later(scheduling.pause_schedule)
    resume_schedule = Later(scheduling.resume_schedule)
    run_schedule = Later(scheduling.run_schedule)
    backfill_schedule = Later(scheduling.backfill_schedule)
    preview_schedule = Later(scheduling.preview_schedule)
    occurrence_page = Later(scheduling.occurrence_page)

    kind_page = Later(operating.kind_page)
    kind = Later(operating.kind)
    set_kind = Later(operating.set_kind)
    clear_slowdown = Later(operating.clear_slowdown)
    queue_page = Later(operating.queue_page)
    tenant_page = Later(operating.tenant_page)
    queue = Later(operating.queue)
    tenant = Later(operating.tenant)
    pause_queue = Later(limiting.pause_queue)
    resume_queue = Later(limiting.resume_queue)
    pause_kind = Later(limiting.pause_kind)
    resume_kind = Later(limiting.resume_kind)
    pause_tenant = Later(limiting.pause_tenant)
    resume_tenant = Later(limiting.resume_tenant)
    pause_resource = Later(limiting.pause_resource)
    resume_resource = Later(limiting.resume_resource)
    resource_page = Later(limiting.resource_page)
    set_tenant = Later(limiting.set_tenant)
    set_queue = Later(limiting.set_queue)
    limit_page = Later(limiting.limit_page)
    set_limit = Later(limiting.set_limit)
    capacity_page = Later(limiting.capacity_page)
    set_capacity = Later(limiting.set_capacity)
    lateness = Later(limiting.lateness)
    set_objective = Later(limiting.set_objective)
    worker_page = Later(operating.worker_page)
    key_page = Later(operating.key_page)
    key = Later(operating.key)
    create_key = Later(operating.create_key)
    revoke_key = Later(operating.revoke_key)
    audit_page = Later(operating.audit_page)
    alive = Later(operating.alive)
    ready = Later(operating.ready)

    async def jobs(self, **which: Unpack[Which]) -> AsyncIterator[Job]:
        """The async twin of `Client.jobs`."""
        async for page in pages(lambda cursor: self.job_page(**which, cursor=cursor)):
            for job in page.jobs:
                yield job

    async def tenants(self, limit: int | None = None) -> AsyncIterator[OverviewBody]:
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

    async def queues(self) -> list[OverviewBody]:
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
