"""The ASGI application. The steps of a request, in this order:

request id → size of the head → credential → route and method → role → parameters, query, body → one handler →
the answer, or the refusal as a problem.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from tenure.app.tenure import Tenure
from tenure.core import access
from tenure.core import principal as principals
from tenure.core.errors import StoreUnavailable, TenureError
from tenure.core.principal import Principal, Role
from tenure.edge import problems
from tenure.edge.operation import Operation
from tenure.edge.operations import TABLE
from tenure.edge.problem import Problem
from tenure.http import access_log, refusals, routing
from tenure.http.bodies import reading
from tenure.http.bodies.long_bodies import SHORT, LongBodies, Share
from tenure.http.call import Call, Handler
from tenure.http.callers.authentication import Authentication
from tenure.http.deadlines import Deadlines, Limit
from tenure.http.exchange import Answer, ClientGone, Receive, Request, Scope, Send, json_of
from tenure.http.options import ServiceOptions
from tenure.http.pages.metrics import Answered
from tenure.http.pages.pages import DOCS, METRICS, OPENAPI, START, Pages
from tenure.http.refusals import Refused, refused
from tenure.http.service import Service

log = logging.getLogger("tenure.http")

_NOTHING: Final = principals.Scope(tenants=frozenset(), kinds=frozenset(), queues=frozenset())
ANYONE: Final = Principal(id="anyone", name="anyone", role=Role.VIEWER, scope=_NOTHING)
"""Who calls an operation that is open to everyone: sees nothing."""

_NO_OPERATION: Final = "none"


class Endpoint(NamedTuple):
    """answer: takes the call and the path under which the application is mounted."""

    operation: Operation
    answer: Callable[[Call, str], Awaitable[Answer]]


class Visit:
    """What becomes known of a request on its way. is_reading: its body is on its way."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.began = time.perf_counter()
        self.meant: Endpoint | None = None
        self.is_reading = False
        self.principal: Principal | None = None

    @property
    def name(self) -> str:
        return _NO_OPERATION if self.meant is None else self.meant.operation.name


class Application:
    """Served by itself or mounted in another application. Without a lifespan that is run, the first request opens the
    database and starts the upkeep; then `await close()` when your application ends.
    """

    def __init__(self, service: Service, handlers: Mapping[str, Handler], table: Sequence[Operation] = TABLE) -> None:
        self.service = service
        self._options = service.options
        self._authentication = Authentication(service)
        self._bodies = LongBodies(max(service.options.held_bytes, service.options.batch_bytes))
        self._answered = Answered()
        self._deadlines = Deadlines()
        pages = Pages(service, self._answered, table)
        told = [
            Endpoint(METRICS, pages.metrics),
            Endpoint(OPENAPI, pages.openapi),
            Endpoint(DOCS, pages.docs),
            Endpoint(START, pages.start),
        ]
        done = [Endpoint(one, _rendered(service, handlers[one.name])) for one in table]
        self._routes = routing.Routes([*done, *told])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "http":
                await self._http(scope, receive, send)
            case "lifespan":
                await self._lifespan(receive, send)
            case _:
                await send({"type": "websocket.close", "code": 1000})

    async def close(self) -> None:
        """Answers open long polls, stops the upkeep and closes the database. A later request starts again."""
        self.service.leaving.set()
        await asyncio.to_thread(self.service.close)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    await self.service.started()
                except TenureError as error:
                    await send({"type": "lifespan.startup.failed", "message": str(error)})
                    return
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        visit = Visit(Request(scope, receive))
        try:
            answer = await self._answer(visit, scope.get("root_path", ""))
        except ClientGone:
            log.debug("request %s: the client went away", visit.request.request_id)
            return
        self._answered[visit.name, answer.status] += 1
        await visit.request.answer(answer, send)
        access_log.write(visit.request, answer.status, visit.name, visit.principal, time.perf_counter() - visit.began)

    async def _answer(self, visit: Visit, root: str) -> Answer:
        request_id = visit.request.request_id
        try:
            return await self._steps(visit, root)
        except (Refused, TenureError) as error:
            body = None if visit.meant is None else visit.meant.operation.body
            problem = refusals.problem_of(error, request_id, body)
            if problem.status >= 500:
                log.warning("request %s: %s", request_id, error, exc_info=problem.status == 500)
            if isinstance(error, Refused):
                return _refusal(problem, error.headers, is_last=error.is_last)
            return _refusal(problem)
        except ClientGone:
            raise
        except Exception:
            log.exception("request %s (%s) met an error", request_id, visit.name)
            return _refusal(problems.internal(request_id))

    async def _steps(self, visit: Visit, root: str) -> Answer:
        """One limit for all steps that wait, set anew by each."""
        limit = Limit(self._deadlines)
        try:
            with limit:
                return await self._in_order(visit, limit, root)
        except TimeoutError as error:
            if not limit.is_over:
                raise
            if visit.is_reading:
                raise reading.too_slow(self._options.body_seconds) from None
            raise StoreUnavailable("no answer in time") from error

    async def _in_order(self, visit: Visit, limit: Limit, root: str) -> Answer:
        request = visit.request
        if request.head_bytes > self._options.head_bytes:
            words = f"The request line and the headers are longer than {self._options.head_bytes:,} bytes."
            raise refused(431, "head_too_large", words, is_last=True)
        found = self._routes.find(request.segments())
        visit.meant = found.get(request.method)
        principal = visit.principal = ANYONE if found.is_open else await self._principal(request, limit)
        endpoint = found.take(request.method)
        operation = endpoint.operation
        if operation.action is not None:
            access.check_action(principal, operation.action)
        path, query = routing.checked(found.parameters), reading.query_of(request, operation)
        with self._bodies.share() as share:
            body = None if operation.body is None else await self._body(visit, operation, limit, share)
            limit.allow(self._options.answer_seconds + getattr(body, "wait", 0.0))
            return await endpoint.answer(_call(request, principal, path, query, body), root)

    async def _body(self, visit: Visit, operation: Operation, limit: Limit, share: Share) -> msgspec.Struct:
        """The client has its time to send it, and we have ours to read it."""
        if not visit.request.has_come:
            visit.is_reading = True
            limit.allow(self._options.body_seconds)
        text = await reading.text_of(visit.request, reading.most_bytes(operation, self._options), share)
        visit.is_reading = False
        if len(text) <= SHORT:
            return reading.understood(operation, text)
        limit.allow(self._options.answer_seconds)
        return await self._bodies.read(lambda: reading.understood_if_few(operation, text, self._options.values))

    async def _principal(self, request: Request, limit: Limit) -> Principal:
        known = self._authentication.known(request) if self.service.is_started else None
        if known is not None:
            return known
        limit.allow(self._options.answer_seconds)
        await self.service.started()
        return await self._authentication.principal(request)


def asgi(app: Tenure, **settings: Any) -> Application:
    """The HTTP interface of an application as an ASGI application, to be served or mounted:

        Mount("/jobs-api", asgi(app))

    settings: those of `tenure.http.options.ServiceOptions`. Raises Misconfigured.
    """
    from tenure.http.handlers.table import HANDLERS

    return Application(Service(app, ServiceOptions(**settings)), HANDLERS)


def _call(
    request: Request, principal: Principal, path: dict[str, str], query: msgspec.Struct | None, body: Any
) -> Call:
    return Call(
        principal=principal,
        path=path,
        query=query,
        body=body,
        request_id=request.request_id,
        traceparent=request.traceparent,
        left=request.left,
        delivery=request.delivery,
    )


_HELD_BACK: Final = ("tenure-held-back", "limit")
"""Of an empty answer to a claim: some job waits for room in a limit."""


def _rendered(service: Service, handler: Handler) -> Callable[[Call, str], Awaitable[Answer]]:
    async def answer(call: Call, root: str) -> Answer:
        reply = await handler(service, call)
        headers = [_HELD_BACK] if reply.is_held_back else []
        return Answer(status=reply.status, body=b"" if reply.body is None else json_of(reply.body), headers=headers)

    return answer


def _refusal(problem: Problem, headers: Sequence[tuple[str, str]] = (), *, is_last: bool = False) -> Answer:
    return Answer(
        status=problem.status,
        body=json_of(problem),
        media=refusals.MEDIA,
        headers=[*refusals.headers_of(problem), *headers],
        is_last=is_last,
    )
