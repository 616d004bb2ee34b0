"""One request as it came, and the answer as it goes, over ASGI."""

import asyncio
import itertools
import re
import secrets
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from itertools import chain
from typing import Any, Final, Protocol
from urllib.parse import quote, unquote

import msgspec

from tenure.http.connections.delivery import Delivery, delivery_of
from tenure.http.refusals import refused

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = Sequence[tuple[bytes, bytes]]

WHOLE: Final = "tenure.whole"
"""The extension of ASGI by which `http.connections.whole` offers a `Whole`."""


_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_TRACEPARENT: Final = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_encode_lines = msgspec.json.Encoder().encode_lines
_PROCESS: Final = secrets.token_hex(8)
_NUMBERS: Final = itertools.count(1)
_SMALL_BYTES: Final = 64 * 1024
_SMALL_SECONDS: Final = 0.1
_DISCARD_SECONDS: Final = 2.0
_DISCARD_BYTES: Final = 16 * 1024 * 1024
ON_ALL: Final = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """headers: beyond those of every answer. is_last: the connection ends with it."""

    status: int
    body: bytes = b""
    media: str = "application/json"
    headers: Sequence[tuple[str, str]] = ()
    is_last: bool = False


def json_of(body: msgspec.Struct | dict[str, Any]) -> bytes:
    """The JSON of a body, with an end of line for whoever reads it in a terminal."""
    return _encode_lines([body])


def request_id_of(said: str | None = None) -> str:
    """By which answer and log name a request: what the client said where it is short and plain, else a fresh one."""
    return said if said and _REQUEST_ID.fullmatch(said) else f"{_PROCESS}-{next(_NUMBERS):x}"


class Whole(Protocol):
    """A request and its answer that need no more than one step each."""

    @property
    def has_come(self) -> bool:
        """Whether the body is here, to its end."""

    def take(self) -> bytes:
        """The body. Only where it has come."""

    def write(self, status: int, headers: Headers, body: bytes) -> bool:
        """Whether the answer has been written."""


class Request:
    """request_id: the client's own where it is short and plain, else a fresh one. raw_path: as it was sent,
    percent-encoded, below the path under which the application is mounted."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._scope = scope
        self._receive = receive
        self._is_read = False
        self._is_gone = False
        self.method: str = scope["method"]
        self.raw_path = _raw_path(scope)
        self._headers: dict[bytes, bytes] = dict(scope["headers"])
        self._repeats = len(self._headers) < len(scope["headers"])
        extensions = scope.get("extensions")
        self._whole: Whole | None = extensions.get(WHOLE) if extensions else None
        self.request_id = request_id_of(self.header(b"x-request-id"))

    @property
    def delivery(self) -> Delivery:
        """What becomes of the answer."""
        return delivery_of(self._scope)

    @property
    def address(self) -> str:
        """The client's, empty where there is none (a Unix socket)."""
        client = self._scope.get("client")
        return str(client[0]) if client else ""

    @property
    def query(self) -> bytes:
        found: bytes = self._scope.get("query_string", b"")
        return found

    @property
    def head_bytes(self) -> int:
        """The size of the request line and the headers."""
        line = len(self.method) + len(self._scope.get("raw_path") or self._scope["path"]) + len(self.query)
        headers = self._scope["headers"]
        return line + sum(map(len, chain.from_iterable(headers))) + 4 * len(headers)

    def segments(self) -> tuple[str, ...]:
        """The parts of the path between slashes, decoded. Raises Refused for what is no UTF-8."""
        parts = tuple(self.raw_path[1:].split("/"))
        if "%" not in self.raw_path:
            return parts
        try:
            return tuple(unquote(part, errors="strict") for part in parts)
        except UnicodeDecodeError:
            raise refused(400, "invalid_path", "The path is not valid UTF-8.") from None

    def header(self, name: bytes) -> str | None:
        """The value of a header, the last one where it comes several times. name: in small letters."""
        value = self._headers.get(name)
        return None if value is None else value.decode("latin-1")

    def only(self, name: bytes) -> str | None:
        """The value of a header that may come once. Raises Refused."""
        value = self.header(name)
        if value is not None and self._repeats and sum(other == name for other, _ in self._scope["headers"]) > 1:
            raise refused(400, "repeated_header", f"The header {name.decode()} is there more than once.")
        return value

    @property
    def traceparent(self) -> str | None:
        """W3C Trace Context; None for one that is none, as the standard wants it."""
        said = self.header(b"traceparent")
        return said if said and _TRACEPARENT.fullmatch(said) else None

    @property
    def has_come(self) -> bool:
        """Whether the whole body is known to be here, so that nobody waits for it."""
        return self._whole is not None and self._whole.has_come

    async def chunk(self) -> bytes | None:
        """The next piece of the body, None after the last one. Raises ClientGone."""
        if self._is_read:
            return None
        if self._whole is not None and self._whole.has_come:
            self._is_read = True
            return self._whole.take()
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self._is_gone = True
            raise ClientGone
        self._is_read = not message.get("more_body", False)
        return message.get("body", b"")  # type: ignore[no-any-return]

    async def left(self) -> None:
        """Returns when the client has gone away, or looks like it. Only after the body has been read."""
        while not self._is_gone:
            self._is_gone = (await self._receive())["type"] == "http.disconnect" or self.delivery.is_lost

    async def answer(self, answer: Answer, send: Send) -> None:
        """Sends it. What is left of the body is taken off the connection first: a client that still writes would
        see its connection cut instead of the answer. A connection whose body did not end soon ends with the answer."""
        is_whole = self._is_read or not self._has_body or await self._discard(_SMALL_BYTES, _SMALL_SECONDS)
        is_last = answer.is_last or not is_whole
        headers = self._head_of(answer, is_last=is_last)
        body = b"" if self.method == "HEAD" else answer.body
        if self._whole is not None and not is_last and self._whole.write(answer.status, headers, body):
            return
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        if is_last:
            await send({"type": "http.response.body", "body": body, "more_body": True})
            if not is_whole:
                await self._discard(_DISCARD_BYTES, _DISCARD_SECONDS)
            body = b""
        await send({"type": "http.response.body", "body": body, "more_body": False})

    @property
    def _has_body(self) -> bool:
        return self._headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in self._headers

    def _head_of(self, answer: Answer, *, is_last: bool) -> list[tuple[bytes, bytes]]:
        headers = [*ON_ALL, (b"x-request-id", self.request_id.encode())]
        if answer.status != 204:
            headers.append((b"content-type", answer.media.encode()))
            headers.append((b"content-length", str(len(answer.body)).encode()))
        if is_last:
            headers.append((b"connection", b"close"))
        headers += [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in answer.headers]
        return headers

    async def _discard(self, most: int, seconds: float) -> bool:
        """Takes what is left of the body, at most so much and so long; whether that was all. A client that waits to
        be told to go on (`Expect: 100-continue`) is not told so."""
        if b"expect" in self._headers:
            return False
        taken = 0
        try:
            async with asyncio.timeout(seconds):
                while (chunk := await self.chunk()) is not None:
                    taken += len(chunk)
                    if taken > most:
                        break
        except (TimeoutError, ClientGone):
            return False
        return self._is_read


def _raw_path(scope: Scope) -> str:
    root: str = scope.get("root_path", "")
    raw: bytes | None = scope.get("raw_path")
    path = quote(scope["path"]) if raw is None else raw.decode("ascii", "replace")
    for prefix in (root, quote(root)) if root else ():
        if path.startswith(f"{prefix}/"):
            return path.removeprefix(prefix)
    return path


class ClientGone(Exception):
    """The client went away before its request was whole: there is nobody to answer."""
