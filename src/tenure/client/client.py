"""The sync client."""

import time
from collections.abc import Callable, Iterator
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
        self._http = httpx2.Client(transport=transport, headers=headers(), timeout=timeout, limits=limits())

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
        arriving = Arriving(self._timeout + call.pause)
        try:
            with self._http.stream(**request(self._address, call, self._timeout)) as response:
                for chunk in response.iter_bytes():
                    arriving.take(chunk)
        except httpx2.RequestError as error:
            return not_answered(error)
        return answered(call, response, arriving.content())

    enqueue = _Now(producing.enqueue)
    enqueue_many = _Now(producing.enqueue_many)
    job = _Now(producing.job)
    job_page = _Now(producing.job_page)
    attempts = _Now(producing.attempts)
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

    effects = _Now(doing.effects)
    begin_effect = _Now(doing.begin_effect)
    finish_effect = _Now(doing.finish_effect)
    settle_effect = _Now(doing.settle_effect)
    checkpoints = _Now(doing.checkpoints)
    save_checkpoint = _Now(doing.save_checkpoint)

    kinds = _Now(operating.kinds)
    kind = _Now(operating.kind)
    set_kind = _Now(operating.set_kind)
    clear_slowdown = _Now(operating.clear_slowdown)
    queues = _Now(operating.queues)
    tenant_page = _Now(operating.tenant_page)
    workers = _Now(operating.workers)
    keys = _Now(operating.keys)
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

    def audit(self, limit: int | None = None) -> Iterator[AuditBody]:
        """What operators did, newest first, page after page. limit: the size of a page."""
        for page in _pages(lambda cursor: self.audit_page(cursor=cursor, limit=limit)):
            yield from page.lines


def _pages(ask: Callable[[Any], G]) -> Iterator[G]:
    """The first page and each that its `next` leads to. ask: takes the cursor, None for the first."""
    page = ask(None)
    yield page
    while page.next is not None:
        page = ask(page.next)
        yield page
