"""Bodies and queries of requests: read under their limit, parsed strictly, converted into the operation's struct."""

import asyncio
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl

import msgspec

from tenure.core import defaults, documents
from tenure.core.errors import InvalidInput
from tenure.edge import problems, requests
from tenure.edge.operations import Operation
from tenure.http.converting import converted
from tenure.http.exchange import Request
from tenure.http.options import ServiceOptions
from tenure.http.refusals import Refused, refused

B = TypeVar("B", bound=msgspec.Struct)

DEPTH: Final = defaults.DEPTH + 3
"""A payload of the greatest depth, in an object, in a list, in the body."""

BATCHES: Final = frozenset({"enqueue_many", "heartbeats", "reports"})
_BLOCKING_BYTES: Final = 64 * 1024
"""A longer body is parsed off the event loop."""

_MOST_PARAMETERS: Final = 100
_WHOLE: Final = "body"


def most_bytes(operation: Operation, options: ServiceOptions) -> int:
    """The longest body that an operation takes."""
    return options.batch_bytes if operation.name in BATCHES else options.body_bytes


async def body_of(request: Request, operation: Operation, options: ServiceOptions) -> msgspec.Struct | None:
    """The request's body as the operation's struct; None where it takes none. An empty one is `{}`.

    Takes as long as the client does. Raises Refused (400, 413, 415), InvalidInput and ClientGone.
    """
    if operation.body is None:
        return None
    _check_media(request)
    text = await _read(request, most_bytes(operation, options))
    if not text:
        return converted(operation.body, {})
    if request.header(b"content-type") is None:
        raise _unsupported("The body has no Content-Type.")
    if len(text) > _BLOCKING_BYTES:
        return await asyncio.to_thread(_understood, operation.body, text)
    return _understood(operation.body, text)


def too_slow(seconds: float) -> Refused:
    """For a body that has not come within so many seconds."""
    return refused(408, "request_timeout", f"The body was not whole within {seconds:g} s.", is_last=True)


def query_of(request: Request, operation: Operation) -> msgspec.Struct | None:
    """The query as the operation's struct; None where it takes none. Raises Refused and InvalidInput."""
    if operation.query is None and not request.query:
        return None
    said = _parameters(request.query)
    try:
        made = converted(operation.query or requests.Body, dict(said), strict=False)
        for name in said:
            if getattr(made, name) is None:
                raise InvalidInput(name, "is not one of the values that it takes")
    except InvalidInput as error:
        raise Refused(problems.problem_of(error)) from None
    return None if operation.query is None else made


def _check_media(request: Request) -> None:
    """Before the body is read. Raises Refused."""
    if (request.header(b"content-encoding") or "identity").lower() != "identity":
        raise _unsupported("Compressed bodies are not taken.")
    media = request.only(b"content-type")
    if media is not None and media.partition(";")[0].strip().lower() != "application/json":
        raise _unsupported("The body must be JSON.")


async def _read(request: Request, most: int) -> bytes:
    length = request.header(b"content-length") or "0"
    if length.isdecimal() and int(length[:20]) > most:
        raise _too_large(most)
    body = bytearray()
    async for chunk in request.chunks():
        body += chunk
        if len(body) > most:
            raise _too_large(most)
    return bytes(body)


def _understood(wanted: type[B], text: bytes) -> B:
    return converted(wanted, _object(_parsed(text)))


def _parsed(text: bytes) -> Any:
    """Raises Refused (400) for what is no JSON, InvalidInput for JSON that the product refuses."""
    try:
        return documents.parse(_WHOLE, text, most=len(text), depth=DEPTH)
    except InvalidInput as error:
        field = error.field.removeprefix(_WHOLE).removeprefix(".")
        words = error.message.removeprefix(f"{error.field}: ")
        if error.code == "invalid_json":
            raise refused(400, error.code, f"The body {words}.") from None
        if not field or error.field == _WHOLE:
            raise refused(422, error.code, f"The body {words}.") from None
        raise InvalidInput(field, words, code=error.code, hint=error.hint) from None


def _object(value: Any) -> dict[str, Any]:
    if type(value) is not dict:
        raise refused(422, "wrong_type", "The body must be an object.")
    return value


def _parameters(query: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            query.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_PARAMETERS, errors="strict"
        )
    except ValueError:
        raise refused(400, "invalid_query", "The query is not valid UTF-8, or has too many parameters.") from None
    said = dict(pairs)
    if len(said) != len(pairs):
        raise refused(422, "repeated_parameter", "The query has a parameter twice.")
    for name, value in pairs:
        if documents.UNSTORABLE.search(value):
            raise documents.bad_text(name, value)
    return said


def _unsupported(detail: str) -> Refused:
    hint = "Send it as UTF-8 with `Content-Type: application/json`."
    return refused(415, "unsupported_media_type", detail, hint, [("Accept", "application/json")], is_last=True)


def _too_large(most: int) -> Refused:
    return refused(413, "too_large", f"The body is longer than the {most:,} bytes allowed.", is_last=True)
