"""What the answer to an outgoing HTTP request tells of its effect.

answer                                           the effect            the attempt
2xx, 303, 304, and what the caller expects       confirmed             goes on
429; 408 and 503 that say when to come back      did not happen        throttled
408, 425                                         did not happen        retried
409, where the request may be repeated           may have happened     retried (an earlier one is on its way)
501, other 3xx and 4xx                           did not happen        terminal
other 5xx                                        may have happened     uncertain; retried where it may be repeated
"""

from collections.abc import Collection
from enum import StrEnum
from typing import Any, Final

import msgspec

from tenure.core import defaults
from tenure.core.errors import InvalidInput
from tenure.core.payloads import documents

REPEATABLE: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
"""Methods that mean the same however often they are sent (RFC 9110, 9.2.2)."""

BODY_BYTES: Final = 16_384
"""How much of an answer's body is kept unless more or less is said."""

_DONE: Final = frozenset({303, 304})
_COME_BACK: Final = frozenset({408, 503})
_TRY_AGAIN: Final = frozenset({408, 425})


class HttpResponse(msgspec.Struct, frozen=True, kw_only=True):
    """As it is on record. headers: those that were asked for, lower-case names. text: the body, None where it is no
    text; is_cut: more of it came than is kept."""

    status: int
    headers: dict[str, str] = {}
    text: str | None = None
    is_cut: bool = False

    def json(self) -> Any:
        """The body as JSON. Raises InvalidInput where it is none, or is not kept whole."""
        if self.is_cut:
            raise InvalidInput("text", "is cut, so it is no JSON any more", hint="Say a larger keep_body.")
        try:
            return msgspec.json.decode(self.text or "")
        except msgspec.DecodeError as error:
            raise InvalidInput("text", f"is no JSON: {error}") from error


_MEMBERS: Final = frozenset(HttpResponse.__struct_fields__)
_STATUSES: Final = range(100, 600)
_OK: Final = 200


def recorded(result: Any) -> HttpResponse:
    """The answer of a result that is on record: what was kept of one, or what an operator or a reconcile function has
    said to have happened. That is no response as a rule: it counts as the JSON body of one with status 200; None as no
    body.
    """
    if isinstance(result, dict) and result.keys() <= _MEMBERS and _is_status(result.get("status")):
        try:
            return msgspec.convert(result, HttpResponse)
        except msgspec.ValidationError:
            pass  # only looks like one
    if result is None:
        return HttpResponse(status=_OK, text="")
    text = documents.dump("result", result, defaults.RESULT_BYTES)
    return HttpResponse(status=_OK, headers={"content-type": "application/json"}, text=text)


def _is_status(said: Any) -> bool:
    return type(said) is int and said in _STATUSES


class Meaning(StrEnum):
    DONE = "done"
    THROTTLED = "throttled"
    NOT_DONE = "not_done"
    REFUSED = "refused"
    UNCLEAR = "unclear"


def meaning(status: int, *, says_when: bool, is_repeatable: bool, expected: Collection[int] = ()) -> Meaning:
    """As the head of this module says. says_when: whether the answer has a Retry-After."""
    if 200 <= status < 300 or status in _DONE or status in expected:
        return Meaning.DONE
    if status == 429 or (status in _COME_BACK and says_when):
        return Meaning.THROTTLED
    if status in _TRY_AGAIN:
        return Meaning.NOT_DONE
    if status == 409 and is_repeatable:
        return Meaning.UNCLEAR
    return Meaning.REFUSED if status < 500 or status == 501 else Meaning.UNCLEAR
