"""One outgoing HTTP request as the call of an effect: sent, read as far as it is kept, and judged.

Each request has a connection of its own. One that is kept open may be closed by the other side just when the request is
sent, and nobody would know whether it was taken.
"""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NoReturn
from urllib.parse import quote

from tenure.app.extras import lacking
from tenure.app.handling.http_silence import silence
from tenure.core.ledger.effect import EffectCall
from tenure.core.ledger.http_response import HttpResponse, Meaning, meaning
from tenure.core.outcomes import NotDone, Terminal, Throttled

if TYPE_CHECKING:
    import ssl

    import httpx2

_CONNECT, _SEND, _READ = 0.25, 0.25, 0.5
"""Shares of a request's time: for a connection, for each write, and for each wait for an answer."""
_IN_A_HEADER: Final = "".join(chr(code) for code in range(0x21, 0x7F))


class HttpUnclear(Exception):
    """An answer that does not tell whether the request was acted on."""


@dataclass(frozen=True, slots=True)
class HttpCall:
    """A request, and what is kept of its answer. content: the body. key_header: under which the effect's key is sent.

    expected: further statuses of success. keep: lower-case names of headers; keep_body: bytes. scope: of a throttle.
    """

    method: str
    url: str
    content: bytes | None
    headers: Mapping[str, str]
    key_header: str | None
    is_repeatable: bool
    expected: Collection[int]
    keep: Collection[str]
    keep_body: int
    scope: str

    def send(self, call: EffectCall) -> HttpResponse:
        """Raises NotDone, Throttled and Terminal where it did not happen; anything else says nothing."""
        httpx = library()
        ends = time.monotonic() + call.timeout
        try:
            with (
                silence(),
                httpx.Client(verify=_trust(), timeout=_timeouts(call)) as client,
                client.stream(self.method, self.url, content=self.content, headers=self._headers(call)) as answer,
            ):
                body = _Body(self.keep_body)
                for chunk in answer.iter_bytes():
                    if not body.takes(chunk) or time.monotonic() > ends:
                        break
        except Exception as error:
            _refuse_unsent(error)
            raise
        return self._judged(answer, body)

    async def asend(self, call: EffectCall) -> HttpResponse:
        """The async twin of `send`. Its caller sees to the timeout."""
        httpx = library()
        try:
            with silence():
                async with (
                    httpx.AsyncClient(verify=_trust(), timeout=_timeouts(call)) as client,
                    client.stream(self.method, self.url, content=self.content, headers=self._headers(call)) as answer,
                ):
                    body = _Body(self.keep_body)
                    async for chunk in answer.aiter_bytes():
                        if not body.takes(chunk):
                            break
        except Exception as error:
            _refuse_unsent(error)
            raise
        return self._judged(answer, body)

    def _headers(self, call: EffectCall) -> dict[str, str]:
        own = {} if self.key_header is None else {self.key_header: quote(call.key, safe=_IN_A_HEADER)}
        return {**self.headers, **own}

    def _judged(self, answer: "httpx2.Response", body: "_Body") -> HttpResponse:
        when = answer.headers.get("retry-after")
        status = answer.status_code
        told = f"{self.method} was answered with {status} {answer.reason_phrase}".rstrip()
        match meaning(status, says_when=when is not None, is_repeatable=self.is_repeatable, expected=self.expected):
            case Meaning.DONE:
                kept = {name: answer.headers[name] for name in self.keep if name in answer.headers}
                text = body.text(answer.encoding or "utf-8")
                return HttpResponse(status=status, headers=kept, text=text, is_cut=body.is_cut)
            case Meaning.THROTTLED:
                raise Throttled(f"http_{status}", told, retry_after=retry_after(when), scope=self.scope)
            case Meaning.NOT_DONE:
                raise NotDone(f"http_{status}", told)
            case Meaning.REFUSED:
                raise Terminal(f"http_{status}", told)
            case _:
                raise HttpUnclear(told)


class _Body:
    """The first bytes of a body."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept = bytearray()
        self.is_cut = False

    def takes(self, chunk: bytes) -> bool:
        """Whether it wants more."""
        self._kept += chunk[: self._most - len(self._kept) + 1]
        self.is_cut = len(self._kept) > self._most
        return not self.is_cut

    def text(self, encoding: str) -> str | None:
        try:
            return bytes(self._kept[: self._most]).decode(encoding, "ignore" if self.is_cut else "strict")
        except (UnicodeDecodeError, LookupError):
            return None


def library() -> Any:
    """httpx2. Raises Misconfigured where it is not installed."""
    try:
        import httpx2
    except ModuleNotFoundError as error:
        raise lacking("an outgoing HTTP request", error, "client") from error
    return httpx2


def retry_after(said: str | None) -> float | None:
    """Seconds, of either form of the header; None where it says nothing that can be read."""
    if said is None:
        return None
    if said.strip().isdecimal():
        return float(said)
    try:
        at = parsedate_to_datetime(said)
    except ValueError:
        return None
    return max(0.0, (at - datetime.now(UTC)).total_seconds()) if at.tzinfo is not None else None


def _refuse_unsent(error: Exception) -> None:
    """Raises NotDone or Terminal where the request did not leave. Every other error tells nothing of its effect."""
    httpx = library()
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)):
        raise NotDone("http_no_connection", f"{type(error).__name__}: {error}") from error
    if isinstance(error, (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError)):
        _refuse_for_good(error)


def _refuse_for_good(error: Exception) -> NoReturn:
    raise Terminal("http_bad_request", f"{type(error).__name__}: {error}") from error


def _timeouts(call: EffectCall) -> Any:
    connect, send, read = (call.timeout * share for share in (_CONNECT, _SEND, _READ))
    return library().Timeout(connect=connect, write=send, read=read, pool=connect)


@lru_cache(maxsize=1)
def _trust() -> "ssl.SSLContext":
    """Read once: it is slow to make."""
    import ssl

    return ssl.create_default_context()
