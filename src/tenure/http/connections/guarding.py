"""What uvicorn leaves open of a connection: heads without end, clients that never finish one, too many connections.

Bodies are read, limited and timed by the application itself.
"""

import asyncio
import re
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tenure.edge import problems
from tenure.http import access_log
from tenure.http.connections.pacing import MEAN_CHUNK, PacedProtocol
from tenure.http.connections.whole import last_refusal
from tenure.http.exchange import Headers, request_id_of

HEAD_SECONDS: Final = 10.0
WRITE_SECONDS: Final = 30.0
WRITE_RATE: Final = 4096
"""Bytes a second."""

MOST_SMALL_CHUNKS: Final = 1000

_NOWHERE: Final[deque[tuple[bytes, bytes]]] = deque(maxlen=0)
"""For trailers, which come after the body: they would grow the list of headers without end, and nothing reads them."""

_HOST: Final = re.compile(rb"[A-Za-z0-9._~%!$&'()*+,;=:\[\]-]*")
_CHUNKED: Final = b"chunked"
_REQUEST_ID: Final = b"x-request-id"
_RETRY_AFTER: Final = ((b"retry-after", b"2"),)


class GuardedProtocol(PacedProtocol):
    """connections_most: open at once. head_bytes: of a request line and headers that are not whole yet.
    head_seconds: from the first moment in which a head is waited for to its end. write_rate: bytes a second that a
    client takes of the answers that have been written, over every write_seconds."""

    connections_most: int = 1000
    head_bytes: int = 16 * 1024
    head_seconds: float = HEAD_SECONDS
    write_seconds: float = WRITE_SECONDS
    write_rate: float = WRITE_RATE

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._in_head = False
        self._head_size = 0
        self._last_words: Callable[[], None] | None = None
        self._is_between = False
        self._late_at: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    # Connections

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.connections_most:
            self._refuse(503, "too_many_connections", "The server has as many connections as it takes.", _RETRY_AFTER)
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._end_writing()
        self._last_words = None
        super().connection_lost(exc)

    # Heads

    def parse(self, piece: bytes) -> None:
        self._head_size += len(piece)
        super().parse(piece)
        if self.is_deaf:
            return
        if self._in_head and self._head_size > self.head_bytes:
            self._refuse(431, "head_too_large", f"The head is longer than {self.head_bytes:,} bytes.")
        elif self._chunks > MOST_SMALL_CHUNKS and self.has_small_chunks and self.cycle.more_body:
            words = f"The body is in more than {MOST_SMALL_CHUNKS:,} chunks of less than {MEAN_CHUNK} bytes each."
            self._refuse(400, "chunks_too_small", words)
        elif self._is_idle:
            self._await_head()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        self._head_size = 0  # Without what has come of it in the same piece, which is not much.

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._late_at = None
        if self.is_deaf:
            return
        refusal = self._wrong_head()
        if refusal is not None:
            self._refuse(*refusal)
            self.headers = _NOWHERE  # type: ignore[assignment]
            return
        if self.parser.get_http_version() == "1.0":
            self.expect_100_continue = False  # HTTP/1.0 knows no interim answers.
        super().on_headers_complete()
        self.headers = _NOWHERE  # type: ignore[assignment]

    def on_body(self, body: bytes) -> None:
        if not self.is_deaf:
            super().on_body(body)

    def on_message_complete(self) -> None:
        if not self.is_deaf:
            super().on_message_complete()

    def _wrong_head(self) -> tuple[int, str, str] | None:
        """Status, code and words for a head that leaves open where its request ends, or whom it is for (RFC 9112)."""
        if self.parser.should_upgrade():
            # The parser would leave the body unread, and what comes of it later would be taken for a request.
            return 400, "upgrade_not_taken", "Send the request again without the header Upgrade, as HTTP/1.1."
        hosts = [value for name, value in self.headers if name == b"host"]
        codings = [value.lower() for name, value in self.headers if name == b"transfer-encoding"]
        is_old = self.parser.get_http_version() == "1.0"
        if len(hosts) > 1 or not (hosts or is_old) or not all(map(_HOST.fullmatch, hosts)):
            return 400, "bad_host", "The request must have one header Host, with a name and perhaps a port."
        if codings and is_old:
            return 400, "bad_transfer_coding", "HTTP/1.0 has no Transfer-Encoding."
        if codings and codings != [_CHUNKED]:
            return 501, "unknown_transfer_coding", "Of transfer codings `chunked` alone is known, once."
        return None

    def send_400_response(self, msg: str) -> None:
        """uvicorn calls it for what is no HTTP."""
        self._refuse(400, "bad_request", msg)

    # Answers

    def on_response_complete(self) -> None:
        """As uvicorn's own, which sets a timer for each request that may follow."""
        self.server_state.total_requests += 1
        if not self.transport.is_closing():
            if self.pipeline:
                self._start_asgi_task(*self.pipeline.pop())
            elif self._last_words is not None:
                self._last_words()
            else:
                self.flow.resume_reading()
                self._is_between = True
                self._await(self.timeout_keep_alive)
        self._watch_writing()

    def _watch_writing(self) -> None:
        """Anew with each answer: what had been written before it was nearly taken, or it would not have been
        written."""
        self._end_writing()
        left = self.transport.get_write_buffer_size()
        if left:
            most = max(0.0, left - self.write_rate * self.write_seconds)
            self._write_timer = self.loop.call_later(self.write_seconds, self._look_at_writing, most)

    def _look_at_writing(self, most: float) -> None:
        """A connection that is closed still waits for its client to take what was written, for ever if it does not."""
        if self.transport.get_write_buffer_size() > most:
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
        if self._late_at is None or self._is_between:
            self._is_between = False
            self._await(self.head_seconds)

    def _await(self, seconds: float) -> None:
        """The timer stays for what follows: to set one for each request would cost more than to look once too often."""
        self._late_at = self.loop.time() + seconds
        if self._timer is not None and self._timer.when() > self._late_at:
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._timer = self.loop.call_at(self._late_at, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._late_at is None:
            return
        if self.loop.time() < self._late_at:
            self._timer = self.loop.call_at(self._late_at, self._look)
        else:
            self._head_is_late()

    def _head_is_late(self) -> None:
        if not self._is_idle:
            return
        if self._in_head:
            self._refuse(408, "request_timeout", f"The head was not whole within {self.head_seconds:g} s.")
        else:
            self.transport.close()

    def _refuse(self, status: int, code: str, detail: str, more: Headers = ()) -> None:
        """Answers by itself and ends the connection, after the answers to the requests before. Nothing more is
        parsed."""
        if self.is_deaf:
            return
        self.is_deaf = True
        end = partial(self._end, status, code, detail, more, request_id_of(self._said_id()))
        if self._is_idle:
            end()
        elif not self.cycle.more_body:  # What is wrong comes after whole requests.
            self._last_words = end
        elif self.pipeline:  # What is wrong is the body of the last one.
            self.pipeline.popleft()
            self._last_words = end
        else:
            end(is_said=not self.cycle.response_started)
            self.cycle.disconnected = True

    def _end(
        self, status: int, code: str, detail: str, more: Headers, request_id: str, *, is_said: bool = True
    ) -> None:
        """is_said: not in the middle of an answer that is under way."""
        if is_said:
            self.transport.write(last_refusal(problems.plain(status, code, detail, request_id), more))
        self.transport.close()
        self._watch_writing()
        access_log.write_refusal(self.client, status, code, request_id)

    def _said_id(self) -> str | None:
        """What the head says, as far as it has come."""
        found = (value for name, value in self.headers or () if name == _REQUEST_ID)
        return next((value.decode("latin-1") for value in found), None)
