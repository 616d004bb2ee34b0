"""Bodies and queries of requests: read under their limit, parsed strictly, converted into the operation's struct."""

from functools import partial
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec

from tenure.core import defaults
from tenure.core.errors import InvalidInput, TooLarge
from tenure.core.payloads import documents
from tenure.core.payloads.structure import check_values
from tenure.edge import problems, requests
from tenure.edge.operation import Operation
from tenure.http.bodies import telling
from tenure.http.bodies.converting import converted, of_texts
from tenure.http.bodies.long_bodies import Share
from tenure.http.exchange import Request
from tenure.http.options import ServiceOptions
from tenure.http.refusals import Refused, refused

DEPTH: Final = defaults.DEPTH + 3
"""A payload of the greatest depth, in an object, in a list, in the body."""

BATCHES: Final = frozenset({"enqueue_many", "heartbeats", "reports"})
_MOST_PARAMETERS: Final = 100
_WHOLE: Final = "body"
_FEWER: Final = "Send it in several."
_JSON: Final = "application/json"


def most_bytes(operation: Operation, options: ServiceOptions) -> int:
    """The longest body that an operation takes."""
    return options.batch_bytes if operation.name in BATCHES else options.body_bytes


async def text_of(request: Request, most: int, share: Share) -> bytearray:
    """The request's body as it came. most: bytes.

    Takes as long as the client does. Raises Refused (413, 415, 503) and ClientGone.
    """
    _check_media(request)
    text = await _read(request, most, share)
    if text and request.header(b"content-type") is None:
        raise _unsupported("The body has no Content-Type.")
    return text


def understood(operation: Operation, text: bytearray) -> msgspec.Struct:
    """What was sent as the operation's struct; an empty text is `{}`. Raises Refused (400, 422) and InvalidInput."""
    wanted = operation.body or requests.Body
    return converted(wanted, _object(_parsed(wanted, text)) if text else {})


def understood_if_few(operation: Operation, text: bytearray, most: int) -> msgspec.Struct:
    """The same, if it holds at most so many values. Raises Refused (413) besides. May take a second."""
    try:
        check_values(_WHOLE, text, most)
    except TooLarge as error:
        raise refused(413, error.code, f"The body holds more than {most:,} values.", _FEWER) from None
    return understood(operation, text)


def too_slow(seconds: float) -> Refused:
    """For a body that has not come within so many seconds."""
    return refused(408, "request_timeout", f"The body was not whole within {seconds:g} s.", is_last=True)


def query_of(request: Request, operation: Operation) -> msgspec.Struct | None:
    """The query as the operation's struct; None where it takes none. Raises Refused and InvalidInput."""
    if operation.query is None and not request.query:
        return None
    said = _parameters(request.query)
    try:
        made = of_texts(operation.query or requests.Body, said)
        for name in said:
            if getattr(made, name) is None:
                raise InvalidInput(name, "is not one of the values that it takes")
    except InvalidInput as error:
        raise Refused(problems.problem_of(error)) from None
    return None if operation.query is None else made


def _check_media(request: Request) -> None:
    """Before the body is read. Raises Refused."""
    coding = request.header(b"content-encoding")
    if coding and coding.lower() != "identity":
        raise _unsupported("Compressed bodies are not taken.")
    media = request.only(b"content-type")
    if media not in (_JSON, None) and media.partition(";")[0].strip().lower() != _JSON:
        raise _unsupported("The body must be JSON.")


async def _read(request: Request, most: int, share: Share) -> bytearray:
    length = request.header(b"content-length") or "0"
    if length.isdecimal() and int(length[:20]) > most:
        raise _too_large(f"is longer than the {most:,} bytes allowed")
    body = bytearray()
    while (chunk := await request.chunk()) is not None:
        body += chunk
        if len(body) > most:
            raise _too_large(f"is longer than the {most:,} bytes allowed")
        share.grow(len(body))
    return body


def _parsed(wanted: type[msgspec.Struct], text: bytearray) -> Any:
    """Raises Refused (400) for what is no JSON, InvalidInput for JSON that the product refuses."""
    judged = partial(telling.judged, wanted) if telling.tells(wanted) else None
    try:
        return documents.parse(_WHOLE, text, most=len(text), depth=DEPTH, judged=judged)
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


def _too_large(words: str) -> Refused:
    return refused(413, "too_large", f"The body {words}.", is_last=True)
