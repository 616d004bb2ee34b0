"""What a handler calls to send an HTTP request: `ctx.request` and `ctx.arequest`."""

import hashlib
from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import msgspec

from tenure.app import values
from tenure.app.handling.effects import Effects
from tenure.core import fields
from tenure.core.errors import InvalidInput
from tenure.core.ledger.http_response import BODY_BYTES, REPEATABLE, HttpResponse, recorded
from tenure.core.ledger.reconciling import Reconciled
from tenure.core.outcomes import Retry
from tenure.core.payloads import documents

if TYPE_CHECKING:
    from tenure.app.handling.http_calls import HttpCall

KEY_HEADER: Final = "Idempotency-Key"
KEPT: Final = ("content-type", "location")
_JSON: Final = "application/json"
_MOST_RETRIES: Final = 100
_MOST_BODY: Final = 32_768
_STATUSES: Final = (100, 599)
_SCOPES: Final = ("job", "kind")


class Requests(Effects):
    """The part of a Context that speaks HTTP."""

    __slots__ = ()

    def request(
        self,
        name: str,
        method: str,
        url: str,
        *,
        json: Any = msgspec.UNSET,
        content: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
        idempotent: bool | None = None,
        reconcile: Callable[[str], Reconciled] | None = None,
        retries: int = 0,
        wait: float | timedelta = 1.0,
        timeout: float | timedelta | None = None,
        key: str | None = None,
        key_header: str | None = KEY_HEADER,
        expect: Collection[int] = (),
        scope: str = "job",
        keep: Collection[str] = KEPT,
        keep_body: int = BODY_BYTES,
    ) -> HttpResponse:
        """Sends one request, once, as the effect `name`; its answer is on record, and later attempts get it from there.

        Sent with the effect's key as `Idempotency-Key` (key_header: another header, None for none). idempotent: whether
        the service honours it, so that the request may be sent again while nobody knows what became of it; GET, HEAD,
        PUT, DELETE, OPTIONS and TRACE may unless that is denied. `core.ledger.http_response` tells what each answer
        means.

        json or content: the body. Method, URL and body are the same in every attempt; headers may change. retries: how
        often it may be sent again within this attempt, `wait` seconds after a failure that can be retried. All calls
        of the effect together are at most as many as the job has tries. expect: further statuses that are a success.
        scope: "kind" has a throttle slow the whole kind of this tenant. keep: headers of the answer that are kept,
        keep_body: bytes of its body, at most 32 KiB. reconcile, timeout, key: as for `effect`.

        Where somebody has settled the effect with another result than an answer, that is the JSON body of one with
        status 200.

        Raises Throttled (`http_429`, …), Terminal (`http_404`, …, `http_bad_request`, `effect_tries_spent`),
        NotDone (`http_no_connection`, …), Retry or Uncertain; Misconfigured without httpx2 (extra `client`); as
        `effect`.
        """
        call, args = _call(method, url, json, content, headers, idempotent, key_header, expect, scope, keep, keep_body)
        pause = fields.duration("wait", wait)
        for left in range(_retries(retries), -1, -1):
            try:
                told = self.effect(
                    name, call.send, args=args, reconcile=reconcile, timeout=timeout, key=key,
                    idempotent=call.is_repeatable,
                )  # fmt: skip
            except Retry:
                if not left or self._run.wait_stop(pause):
                    raise
            else:
                return recorded(told)
        raise AssertionError("the last round returns or raises")

    async def arequest(
        self,
        name: str,
        method: str,
        url: str,
        *,
        json: Any = msgspec.UNSET,
        content: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
        idempotent: bool | None = None,
        reconcile: Callable[[str], Any] | None = None,
        retries: int = 0,
        wait: float | timedelta = 1.0,
        timeout: float | timedelta | None = None,  # noqa: ASYNC109 (it is the call's, and on record)
        key: str | None = None,
        key_header: str | None = KEY_HEADER,
        expect: Collection[int] = (),
        scope: str = "job",
        keep: Collection[str] = KEPT,
        keep_body: int = BODY_BYTES,
    ) -> HttpResponse:
        """The async twin of `request`."""
        import asyncio

        call, args = _call(method, url, json, content, headers, idempotent, key_header, expect, scope, keep, keep_body)
        pause = fields.duration("wait", wait)
        for left in range(_retries(retries), -1, -1):
            try:
                told = await self.aeffect(
                    name, call.asend, args=args, reconcile=reconcile, timeout=timeout, key=key,
                    idempotent=call.is_repeatable,
                )  # fmt: skip
            except Retry:
                if not left or self._run.cancel_requested:
                    raise
                await asyncio.sleep(pause)
            else:
                return recorded(told)
        raise AssertionError("the last round returns or raises")


def _call(
    method: str,
    url: str,
    json: Any,
    content: bytes | str | None,
    headers: Mapping[str, str] | None,
    idempotent: bool | None,
    key_header: str | None,
    expect: Collection[int],
    scope: str,
    keep: Collection[str],
    keep_body: int,
) -> tuple["HttpCall", dict[str, Any]]:
    """The call, and what of it is the same in every attempt. Raises InvalidInput; Misconfigured without httpx2."""
    from tenure.app.handling.http_calls import HttpCall, library  # Few handlers send requests.

    library()
    method = fields.text("method", method).upper()
    if urlsplit(fields.text("url", url)).scheme not in ("http", "https"):
        raise InvalidInput("url", "must begin with http:// or https://")
    body, said = _body(json, content, _headers(headers))
    call = HttpCall(
        method=method,
        url=url,
        content=body,
        headers=said,
        key_header=None if key_header is None else fields.name("key_header", key_header),
        is_repeatable=method in REPEATABLE if idempotent is None else fields.flag("idempotent", idempotent),
        expected=frozenset(fields.whole("expect", status, *_STATUSES) for status in fields.several("expect", expect)),
        keep=tuple(fields.name("keep", name).lower() for name in fields.several("keep", keep)),
        keep_body=fields.whole("keep_body", keep_body, 0, _MOST_BODY),
        scope=_scope(scope),
    )
    digest = None if body is None else hashlib.sha256(body).hexdigest()
    return call, {"method": method, "url": url, "body": digest}


def _body(json: Any, content: bytes | str | None, headers: dict[str, str]) -> tuple[bytes | None, dict[str, str]]:
    if not (content is None or isinstance(content, (bytes, str))):
        raise InvalidInput("content", f"must be bytes or text, not {type(content).__name__}")
    if json is msgspec.UNSET:
        return content.encode() if isinstance(content, str) else content, headers
    if content is not None:
        raise InvalidInput("json", "and content exclude each other")
    text = documents.dump("json", values.plain("json", json))
    return text.encode(), {"Content-Type": _JSON} | headers


def _headers(said: Mapping[str, str] | None) -> dict[str, str]:
    headers = {} if said is None else fields.members("headers", said)
    return {fields.name("headers", name): fields.words(f"headers.{name}", value) for name, value in headers.items()}


def _scope(said: str) -> str:
    if not isinstance(said, str) or said not in _SCOPES:
        raise InvalidInput("scope", f"must be {' or '.join(_SCOPES)}")
    return said


def _retries(said: int) -> int:
    return fields.whole("retries", said, 0, _MOST_RETRIES)
