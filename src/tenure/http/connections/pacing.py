"""How much of what has come is taken for requests at a time, so that one connection's haste is nobody else's wait.

uvicorn parses whatever a read brings, and reads on with each answer: small requests sent in one go would be made by
thousands, ahead of all other connections. Here they are made by the slice, and none while one waits behind another.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

READ_BYTES: Final = 16 * 1024
SLICE: Final = 1024
"""Bytes that are parsed at a time: some forty of the shortest requests."""

MEAN_CHUNK: Final = 64
"""Bytes. A body whose chunks are smaller in the mean costs more to take apart than it is worth."""


class PacedFlow(FlowControl):
    """may_resume: whether reading may go on. read_on: is called when it does."""

    def __init__(
        self, transport: asyncio.Transport, may_resume: Callable[[], bool], read_on: Callable[[], None]
    ) -> None:
        super().__init__(transport)
        self._may_resume, self._read_on = may_resume, read_on

    def end(self) -> None:
        """Nothing is read any more, and who read is let go."""
        self._may_resume, self._read_on = _never, _nothing

    def resume_reading(self) -> None:
        """Whoever wants to read a body asks for it, also while what was read already waits."""
        if self.read_paused and self._may_resume():
            self.read_paused = False
            self._read_on()


class PacedProtocol(HttpToolsProtocol):
    """Parses nothing that comes after `is_deaf` was set."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.is_deaf = False
        self._unread = bytearray()
        self._chunks = 0
        self._body_size = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if hasattr(transport, "max_size"):  # Of asyncio's own; others read what they like.
            transport.max_size = READ_BYTES
        self.flow = PacedFlow(transport, lambda: not self.pipeline, self._read_soon)

    def connection_lost(self, exc: Exception | None) -> None:
        """What a connection holds, and is held by, would be left to the garbage collector: all of it is let go."""
        self._unread.clear()
        super().connection_lost(exc)
        self.pipeline.clear()
        if isinstance(self.flow, PacedFlow):
            self.flow.end()
        self.cycle = self.scope = self.headers = None  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        if self.is_deaf or self.transport.is_closing():
            return
        if len(data) > SLICE or self._unread or self.flow.read_paused:
            self._unread += data
            self._read()
        else:
            self.parse(data)

    def parse(self, piece: bytes) -> None:
        super().data_received(piece)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._chunks = self._body_size = 0

    def on_chunk_header(self) -> None:
        self._chunks += 1

    def on_body(self, body: bytes) -> None:
        self._body_size += len(body)
        super().on_body(body)

    @property
    def has_small_chunks(self) -> bool:
        """Whether the body that comes, or came last, is in small chunks."""
        return self._body_size < self._chunks * MEAN_CHUNK

    def _read_soon(self) -> None:
        if self._unread:
            self.loop.call_soon(self._read)
        else:
            self.transport.resume_reading()

    def _read(self) -> None:
        """Slice after slice, until a request waits behind another or a body is to be taken first."""
        while self._unread and not self.flow.read_paused:
            piece = bytes(self._unread[:SLICE])
            del self._unread[:SLICE]
            self.parse(piece)
            if self.is_deaf or self.transport.is_closing():
                self._unread.clear()
            elif self._unread and self.has_small_chunks:
                self.transport.pause_reading()
                self.loop.call_soon(self._read)
                return
        if self._unread:
            self.transport.pause_reading()
        elif not self.flow.read_paused:
            self.transport.resume_reading()


def _never() -> bool:
    return False


def _nothing() -> None:
    pass
