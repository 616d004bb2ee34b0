"""The sync client."""

import threading
import time
from collections.abc import Callable, Iterator
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
from tenure.client.watching import WATCH
from tenure.edge.audit import AuditBody
from tenure.edge.keys import KeyBody
from tenure.edge.kinds import KindBody
from tenure.edge.lanes import LaneBody
from tenure.edge.redrives import RedriveBody
from tenure.edge.workers import WorkerBody

P = ParamSpec("P")
T = TypeVar("T")
G = TypeVar("G", bound=Page)


class _Now(Verb[P, T]):
    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(self, client: "Client", owner: type) -> Callable[P, T]: ...
    def __get__(self, client: "Client | None", owner: type) -> "Self | Callable[P, T]":
        if client is None:
            return self

        @wraps(self.make)
        def send(*args: P.args, **kwargs: P.kwargs) -> T:
            return client.send(self.make(*args, **kwargs))

        return send


class Client:
    """The service at `url`, asked with `key`; without them TENURE_URL and TENURE_KEY. Safe to share between threads.

    timeout: seconds for one answer. patience: seconds within which what is safe to repeat is sent again; 0: never.
    transport: another way to send, of httpx2. Every method raises the errors of `tenure.core.errors`.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = TIMEOUT,
        patience: float = PATIENCE,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._address = address(url, key)
        self._timeout, self._patience = timeout, patience
        self._transport = transport
        self._http = self._connections()
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Client of {self._address.url}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def send(self, call: Call[T]) -> T:
        """Sends a call, again where that is safe. Raises TenureError."""
        tries = Tries(call, self._patience)
        while True:
            answer = self._once(call)
            if not isinstance(answer, Failure):
                return call.read(*answer)
            time.sleep(tries.wait_after(answer))

    def _once(self, call: Call[Any]) -> tuple[int, bytes] | Failure:
        arriving, http = Arriving(self._timeout + call.pause), self._http
        try:
            with (
                WATCH.within(whole(self._timeout, call), lambda: self._give_up(http)),
                http.stream(**request(self._address, call, self._timeout)) as response,
            ):
                for chunk in response.iter_bytes():
                    arriving.take(chunk)
        except httpx2.RequestError as error:
            return not_answered(too_long() if http.is_closed else error)
        except RuntimeError:
            if not http.is_closed:
                raise
            return not_answered(too_long())
        return answered(call, response, arriving.content())

    def _give_up(self, http: httpx2.Client) -> None:
        """An answer that never ends is left only by closing its connection, and with it those beside: who waits on one of
        them is answered as when a connection is lost."""
        with self._lock:
            if self._http is not http:
                return
            self._http = self._connections()
        http.close()

    def _connections(self) -> httpx2.Client:
        return httpx2.Client(transport=self._transport, headers=headers(), timeout=self._timeout, limits=limits())

    enqueue = _Now(producing.enqueue)
    enqueue_many = _Now(producing.enqueue_many)
    job = _Now(producing.job)
    job_page = _Now(producing.job_page)
    obstacles = _Now(producing.obstacles)
    attempt_page = _Now(producing.attempt_page)
    cancel = _Now(producing.cancel)
    redrive = _Now(producing.redrive)

    claim = _Now(working.claim)
    claim_many = _Now(working.claim_many)
    heartbeat = _Now(working.heartbeat)
    heartbeats = _Now(working.heartbeats)
    complete = _Now(working.complete)
    fail = _Now(working.fail)
    release = _Now(working.release)
    snooze = _Now(working.snooze)
    reports = _Now(working.reports)

    effect_page = _Now(doing.effect_page)
    begin_effect = _Now(doing.begin_effect)
    finish_effect = _Now(doing.finish_effect)
    settle_effect = _Now(doing.settle_effect)
    checkpoint_page = _Now(doing.checkpoint_page)
    save_checkpoint = _Now(doing.save_checkpoint)

    cancel_many = _Now(redriving.cancel_many)
    supersede = _Now(redriving.supersede)
    failures = _Now(redriving.failures)
    start_redrive = _Now(redriving.start_redrive)
    redrive_page = _Now(redriving.redrive_page)
    show_redrive = _Now(redriving.show_redrive)
    redrive_jobs = _Now(redriving.redrive_jobs)
    pause_redrive = _Now(redriving.pause_redrive)
    resume_redrive = _Now(redriving.resume_redrive)
    cancel_redrive = _Now(redriving.cancel_redrive)
    forbid_redrives = _Now(redriving.forbid_redrives)
    allow_redrives = _Now(redriving.allow_redrives)

    schedule_page = _Now(scheduling.schedule_page)
    schedule = _Now(scheduling.schedule)
    set_schedule = _Now(scheduling.set_schedule)
    delete_schedule = _Now(scheduling.delete_schedule)
    pause_schedule = _Now(scheduling.pause_schedule)
    resume_schedule = _Now(scheduling.resume_schedule)
    run_schedule = _Now(scheduling.run_schedule)
    backfill_schedule = _Now(scheduling.backfill_schedule)
    preview_schedule = _Now(scheduling.preview_schedule)
    occurrence_page = _Now(scheduling.occurrence_page)

    kind_page = _Now(operating.kind_page)
    kind = _Now(operating.kind)
    set_kind = _Now(operating.set_kind)
    clear_slowdown = _Now(operating.clear_slowdown)
    queue_page = _Now(operating.queue_page)
    tenant_page = _Now(operating.tenant_page)
    queue = _Now(operating.queue)
    tenant = _Now(operating.tenant)
    pause_queue = _Now(limiting.pause_queue)
    resume_queue = _Now(limiting.resume_queue)
    pause_kind = _Now(limiting.pause_kind)
    resume_kind = _Now(limiting.resume_kind)
    pause_tenant = _Now(limiting.pause_tenant)
    resume_tenant = _Now(limiting.resume_tenant)
    pause_resource = _Now(limiting.pause_resource)
    resume_resource = _Now(limiting.resume_resource)
    resource_page = _Now(limiting.resource_page)
    set_tenant = _Now(limiting.set_tenant)
    set_queue = _Now(limiting.set_queue)
    limit_page = _Now(limiting.limit_page)
    set_limit = _Now(limiting.set_limit)
    capacity_page = _Now(limiting.capacity_page)
    set_capacity = _Now(limiting.set_capacity)
    lateness = _Now(limiting.lateness)
    set_objective = _Now(limiting.set_objective)
    worker_page = _Now(operating.worker_page)
    key_page = _Now(operating.key_page)
    key = _Now(operating.key)
    create_key = _Now(operating.create_key)
    revoke_key = _Now(operating.revoke_key)
    audit_page = _Now(operating.audit_page)
    alive = _Now(operating.alive)
    ready = _Now(operating.ready)

    def jobs(self, **which: Unpack[Which]) -> Iterator[Job]:
        """Jobs, newest first, page after page."""
        for page in _pages(lambda cursor: self.job_page(**which, cursor=cursor)):
            yield from page.jobs

    def tenants(self, limit: int | None = None) -> Iterator[LaneBody]:
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

    def queues(self) -> list[LaneBody]:
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
