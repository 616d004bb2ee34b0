"""Requests whose body has come when they are looked at, and answers that are whole when they begin.

Most are both. uvicorn hands a body over by events, as if more had to come, and takes an answer as two messages and
writes each: a system call more for server and client. And it looks in every header for what must not stand there, which
`http.exchange` does not write. So the server offers this beside `receive` and `send`.
"""

from collections import deque
from typing import Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from tenure.edge.problem import Problem
from tenure.http import refusals
from tenure.http.connections.delivery import Delivery
from tenure.http.exchange import ON_ALL, Headers, json_of

_SEPARATOR: Final = b": "
_END: Final = b"\r\n"
_CLOSE: Final = [(b"connection", b"close")]


UnderWay = deque[tuple[RequestResponseCycle, Delivery]]
"""The requests of a connection that have come and are not answered; the first is the one whose turn it is. None where
the connection has ended."""


class WholeExchange:
    """Of all requests of a connection. One for each would hold its request and be held by it, and every request would
    be left to the garbage collector."""

    def __init__(self, under_way: UnderWay) -> None:
        self._under_way = under_way

    @property
    def has_come(self) -> bool:
        """Whether the body is here, to its end."""
        if not self._under_way:
            return False
        cycle, _ = self._under_way[0]
        return not (cycle.more_body or cycle.disconnected or cycle.waiting_for_100_continue)

    def take(self) -> bytes:
        """The body, as if `receive` had brought it. Only where it has come."""
        cycle, _ = self._under_way[0]
        body, cycle.body = bytes(cycle.body), bytearray()
        cycle.message_event.clear()
        cycle.flow.resume_reading()
        return body

    def write(self, status: int, headers: Headers, body: bytes) -> bool:
        """As if both messages were sent. False where sending has to wait for the client, and nothing was written."""
        if not self._under_way:
            return True
        cycle, _ = self._under_way[0]
        if cycle.flow.write_paused:
            return False
        if cycle.disconnected:
            return True
        cycle.response_started = cycle.response_complete = True
        lines = [*cycle.default_headers, *headers, *(() if cycle.keep_alive else _CLOSE)]
        head = _END.join(map(_SEPARATOR.join, lines))
        cycle.transport.write(b"".join((STATUS_LINE[status], head, _END, _END, body)))
        cycle.message_event.set()
        if not cycle.keep_alive:
            cycle.transport.close()
        cycle.on_response()
        return True


def last_refusal(problem: Problem, more: Headers) -> bytes:
    """The whole of an answer with which a connection ends. more: headers."""
    body = json_of(problem)
    headers = [
        *ON_ALL,
        (b"x-request-id", problem.request_id.encode()),
        (b"content-type", refusals.MEDIA.encode()),
        (b"content-length", b"%d" % len(body)),
        *_CLOSE,
        *more,
    ]
    return b"".join((STATUS_LINE[problem.status], _END.join(map(_SEPARATOR.join, headers)), _END, _END, body))
