"""The sync client."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar, Unpack
from uuid import UUID

from tenure.client import doing, limiting, operating, producing, redriving, scheduling, working
from tenure.client.connection import Connection, Now
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


class Client(Connection):
    """The service at `url`, asked with `key`; without them TENURE_URL and TENURE_KEY. Safe to share between threads.

    timeout: seconds for one answer. patience: seconds within which what is safe to repeat is sent again; 0: never.
    transport: another way to send, of httpx2. Every method raises the errors of `tenure.core.errors`.
    """

    enqueue = Now(producing.enqueue)
    enqueue_many = Now(producing.enqueue_many)
    job = Now(producing.job)
    job_page = Now(producing.job_page)
    obstacles = Now(producing.obstacles)
    attempt_page = Now(producing.attempt_page)
    cancel = Now(producing.cancel)
    redrive = Now(producing.redrive)

    claim = Now(working.claim)
    claim_many = Now(working.claim_many)
    heartbeat = Now(working.heartbeat)
    heartbeats = Now(working.heartbeats)
    complete = Now(working.complete)
    fail = Now(working.fail)
    release = Now(working.release)
    snooze = Now(working.snooze)
    reports = Now(working.reports)

    effect_page = Now(doing.effect_page)
    begin_effect = Now(doing.begin_effect)
    finish_effect = Now(doing.finish_effect)
    settle_effect = Now(doing.settle_effect)
    checkpoint_page = Now(doing.checkpoint_page)
    save_checkpoint = Now(doing.save_checkpoint)

    cancel_many = Now(redriving.cancel_many)
    supersede = Now(redriving.supersede)
    failures = Now(redriving.failures)
    start_redrive = Now(redriving.start_redrive)
    redrive_page = Now(redriving.redrive_page)
    show_redrive = Now(redriving.show_redrive)
    redrive_jobs = Now(redriving.redrive_jobs)
    pause_redrive = Now(redriving.pause_redrive)
    resume_redrive = Now(redriving.resume_redrive)
    cancel_redrive = Now(redriving.cancel_redrive)
    forbid_redrives = Now(redriving.forbid_redrives)
    allow_redrives = Now(redriving.allow_redrives)

    schedule_page = Now(scheduling.schedule_page)
    schedule = Now(scheduling.schedule)
    set_schedule = Now(scheduling.set_schedule)
    delete_schedule = Now(scheduling.delete_schedule)
    pause_schedule = Now(scheduling.pause_schedule)
    resume_schedule = Now(scheduling.resume_schedule)
    run_schedule = Now(scheduling.run_schedule)
    backfill_schedule = Now(scheduling.backfill_schedule)
    preview_schedule = Now(scheduling.preview_schedule)
    occurrence_page = Now(scheduling.occurrence_page)

    kind_page = Now(operating.kind_page)
    kind = Now(operating.kind)
    set_kind = Now(operating.set_kind)
    clear_slowdown = Now(operating.clear_slowdown)
    queue_page = Now(operating.queue_page)
    tenant_page = Now(operating.tenant_page)
    queue = Now(operating.queue)
    tenant = Now(operating.tenant)
    pause_queue = Now(limiting.pause_queue)
    resume_queue = Now(limiting.resume_queue)
    pause_kind = Now(limiting.pause_kind)
    resume_kind = Now(limiting.resume_kind)
    pause_tenant = Now(limiting.pause_tenant)
    resume_tenant = Now(limiting.resume_tenant)
    pause_resource = Now(limiting.pause_resource)
    resume_resource = Now(limiting.resume_resource)
    resource_page = Now(limiting.resource_page)
    set_tenant = Now(limiting.set_tenant)
    set_queue = Now(limiting.set_queue)
    limit_page = Now(limiting.limit_page)
    set_limit = Now(limiting.set_limit)
    capacity_page = Now(limiting.capacity_page)
    set_capacity = Now(limiting.set_capacity)
    lateness = Now(limiting.lateness)
    set_objective = Now(limiting.set_objective)
    worker_page = Now(operating.worker_page)
    key_page = Now(operating.key_page)
    key = Now(operating.key)
    create_key = Now(operating.create_key)
    revoke_key = Now(operating.revoke_key)
    audit_page = Now(operating.audit_page)
    alive = Now(operating.alive)
    ready = Now(operating.ready)

    def jobs(self, **which: Unpack[Which]) -> Iterator[Job]:
        """Jobs, newest first, page after page."""
        for page in _pages(lambda cursor: self.job_page(**which, cursor=cursor)):
            yield from page.jobs

    def tenants(self, limit: int | None = None) -> Iterator[OverviewBody]:
        """Tenants that have jobs, by name, with counts by state, page after page. limit: the size of a page."""
        for page in _pages(lambda cursor: self.tenant_page(cursor=cursor, limit=limit)):
            yield from page.tenants

    def redrives(self, limit: int | None = None) -> Iterator[RedriveBody]:
        """Redrives of selections, newest first, page after page. limit: the size of a page."""
        for page in _pages(lambda cursor: self.redrive_page(cursor=cursor, limit=limit)):
            yield from page.redrives

    def audit(self, limit: int | None = None) -> Iterator[AuditBody]:
        """What operators did, newest first, page after page. limit: the size of a page."""
        for page in _pages(lambda cursor: self.audit_page(cursor=cursor, limit=limit)):
            yield from page.lines

    def attempts(self, id: str | UUID) -> list[Attempt]:  # noqa: A002 (the word of the product)
        """The attempts of a job that have ended, oldest first. Raises NotFound."""
        pages = _pages(lambda cursor: self.attempt_page(id, cursor=cursor))
        return [attempt for page in pages for attempt in page.attempts]

    def effects(self, id: str | UUID) -> list[Effect]:  # noqa: A002 (the word of the product)
        """What a job did outside, in the order of name and key. Raises NotFound."""
        pages = _pages(lambda cursor: self.effect_page(id, cursor=cursor))
        return [effect for page in pages for effect in page.effects]

    def checkpoints(self, id: str | UUID) -> list[Checkpoint]:  # noqa: A002 (the word of the product)
        """What the attempts of a job hand on to later ones, by name. Raises NotFound."""
        pages = _pages(lambda cursor: self.checkpoint_page(id, cursor=cursor))
        return [saved for page in pages for saved in page.checkpoints]

    def kinds(self) -> list[KindBody]:
        """Every kind of the scope."""
        pages = _pages(lambda cursor: self.kind_page(cursor=cursor))
        return [kind for page in pages for kind in page.kinds]

    def queues(self) -> list[OverviewBody]:
        """Queues that hold jobs, with counts by state."""
        pages = _pages(lambda cursor: self.queue_page(cursor=cursor))
        return [queue for page in pages for queue in page.queues]

    def workers(self) -> list[WorkerBody]:
        """Workers that hold leases now."""
        pages = _pages(lambda cursor: self.worker_page(cursor=cursor))
        return [worker for page in pages for worker in page.workers]

    def keys(self) -> list[KeyBody]:
        """Every key that this one could have made, newest first, without its secret."""
        pages = _pages(lambda cursor: self.key_page(cursor=cursor))
        return [key for page in pages for key in page.keys]


def _pages(ask: Callable[[Any], G]) -> Iterator[G]:
    """The first page and each that its `next` leads to. ask: takes the cursor, None for the first."""
    page = ask(None)
    yield page
    while page.next is not None:
        page = ask(page.next)
        yield page
