"""What uvicorn leaves open of a connection: heads without end, clients that never finish one, too many connections.

Bodies are read, limited and timed by the application itself.
"""

import asyncio
from collections import deque
from http import HTTPStatus
from typing import Any, Final

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tenure.edge import problems
from tenure.http import refusals

HEAD_SECONDS: Final = 10.0
WRITE_SECONDS: Final = 30.0
_CONTINUE: Final = b"HTTP/1.1 100 "
_NOWHERE: Final[deque[tuple[bytes, bytes]]] = deque(maxlen=0)
"""For trailers, which come after the body: they would grow the list of headers without end, and nothing reads them."""

_RETRY_AFTER: Final = b"retry-after: 2\r\n"


class AnswerTransport:
    """The transport of one answer whose head waits for the beginning of its body, so that both are written at once:
    two writes cost server and client a system call more each. uvicorn writes a body of every answer, be it empty, but
    of one to HEAD."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._head: bytes | None = None
        self._is_begun = False
        self._transport = transport
        self.close, self.is_closing = transport.close, transport.is_closing

    def write(self, data: bytes) -> None:
        if self._is_begun or data.startswith(_CONTINUE):
            self._transport.write(data)
        elif self._head is None:
            self._head = data
        else:
            self._is_begun = True
            self._transport.write(self._head + data)


class GuardedProtocol(HttpToolsProtocol):
    """connections_most: open at once. head_bytes: of a request line and headers that are not whole yet.
    head_seconds: from the first moment in which a head is waited for to its end. write_seconds: for so long a client may
    take nothing of an answer that has been written."""

    connections_most: int = 1000
    head_bytes: int = 16 * 1024
    head_seconds: float = HEAD_SECONDS
    write_seconds: float = WRITE_SECONDS

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._in_head = False
        self._head_size = 0
        self._waiting_since: float | None = None
        self._head_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    # Connections

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.connections_most:
            self._refuse(503, "too_many_connections", "The server has as many connections as it takes.", _RETRY_AFTER)
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
        self._end_writing()
        super().connection_lost(exc)

    # Heads

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.is_closing():
            return
        self._head_size = self._head_size + len(data) if self._in_head else 0
        if self._head_size > self.head_bytes:
            self._refuse(431, "head_too_large", f"The head is longer than {self.head_bytes:,} bytes.")
        elif self._is_idle:
            self._await_head()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._waiting_since = None
        if self.parser.should_upgrade():
            # The parser would leave the body unread, and what comes of it later would be taken for a request.
            self._refuse(400, "upgrade_not_taken", "Send the request again without the header Upgrade, as HTTP/1.1.")
            self.headers = _NOWHERE  # type: ignore[assignment]
            return
        super().on_headers_complete()
        if self.scope["method"] != "HEAD":
            # The task that answers has been made, and has not begun to run.
            self.cycle.transport = AnswerTransport(self.transport)  # type: ignore[assignment]
        self.headers = _NOWHERE  # type: ignore[assignment]

    def send_400_response(self, msg: str) -> None:
        """uvicorn calls it for what is no HTTP."""
        self._refuse(400, "bad_request", msg)

    # Answers

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._end_writing()
        self._watch_writing()

    def _watch_writing(self) -> None:
        left = self.transport.get_write_buffer_size()
        self._write_timer = self.loop.call_later(self.write_seconds, self._look_at_writing, left) if left else None

    def _look_at_writing(self, before: int) -> None:
        """A connection that is closed still waits for its client to take what was written, for ever if it does not."""
        if self.transport.get_write_buffer_size() >= before:
            self.transport.abort()
        else:
            self._watch_writing()

    def _end_writing(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    @property
    def _is_idle(self) -> bool:
        """Whether no request is under way: a head is waited for."""
        return self.cycle is None or self.cycle.response_complete

    def _await_head(self) -> None:
        """The timer stays for the requests that follow: to set one for each would cost more than to look once too often."""
        if self._waiting_since is None:
            self._waiting_since = self.loop.time()
        if self._head_timer is None:
            self._head_timer = self.loop.call_at(self._waiting_since + self.head_seconds, self._look_at_head)

    def _look_at_head(self) -> None:
        self._head_timer = None
        if self._waiting_since is None:
            return
        late_at = self._waiting_since + self.head_seconds
        if self.loop.time() < late_at:
            self._head_timer = self.loop.call_at(late_at, self._look_at_head)
        else:
            self._head_is_late()

    def _head_is_late(self) -> None:
        if not self._is_idle:
            return
        if self._in_head:
            self._refuse(408, "request_timeout", f"The head was not whole within {self.head_seconds:g} s.")
        else:
            self.transport.close()

    def _refuse(self, status: int, code: str, detail: str, more: bytes = b"") -> None:
        """Answers by itself and ends the connection. An answer that is under way is cut: this would be its middle."""
        if self._is_idle or not self.cycle.response_started:
            body = msgspec.json.encode(problems.plain(status, code, detail, ""))
            head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: {refusals.MEDIA}\r\n"
            head += f"content-length: {len(body)}\r\ncache-control: no-store\r\nconnection: close\r\n"
            self.transport.write(head.encode() + more + b"\r\n" + body)
        self.transport.close()
