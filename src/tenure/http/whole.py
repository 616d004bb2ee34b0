"""Answers that are whole when they begin, written to the connection at once.

uvicorn takes an answer as two messages and writes each: a system call more for server and client. And it looks in every
header for what must not stand there, which `http.exchange` does not write. So the server offers this beside `send`.
"""

from typing import Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from tenure.edge.problem import Problem
from tenure.http import refusals
from tenure.http.exchange import ON_ALL, Headers, json_of

_SEPARATOR: Final = b": "
_END: Final = b"\r\n"
_CLOSE: Final = [(b"connection", b"close")]


class WholeAnswer:
    """cycle: a request that has not been answered."""

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle = cycle

    def __call__(self, status: int, headers: Headers, body: bytes) -> bool:
        """As if both messages were sent. False where sending has to wait for the client, and nothing was written."""
        cycle = self._cycle
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
