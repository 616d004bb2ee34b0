"""Errors of the product as problems (RFC 9457)."""

from http import HTTPStatus
from typing import Any, Final

import msgspec
from msgspec import UNSET

from tenure.core import errors
from tenure.core.payloads import paths
from tenure.core.secrecy import cleaning
from tenure.edge.problem import Problem

_STATUS: Final[tuple[tuple[type[errors.TenureError], int], ...]] = (
    (errors.TooLarge, 422),
    (errors.InvalidInput, 422),
    (errors.Conflict, 409),
    (errors.StaleLease, 409),
    (errors.Unauthenticated, 401),
    (errors.Forbidden, 403),
    (errors.NotFound, 404),
    (errors.TooMany, 429),
    (errors.RetryTransaction, 503),
    (errors.StoreUnavailable, 503),
    (errors.StoreBusy, 503),
    (errors.SchemaTooOld, 503),
    (errors.SchemaTooNew, 503),
)
RETRY_AFTER: Final = 2.0
"""Seconds after which a caller may ask again while the database is away."""

LONGEST: Final = 1000
"""Bytes of what a refusal says, and characters of the field that it names: what was sent is not sent back whole."""

_SENT: Final = frozenset({"unknown_member", "duplicate_key", "number_out_of_range"})
"""Codes of what was sent in a body, whether or not the body has such a member by its shape."""

_AWAY: Final = "The database does not answer at present."


def status_of(error: errors.TenureError) -> int:
    """500 for one that no caller can cause."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def problem_of(error: errors.TenureError, request_id: str = "", body: type[msgspec.Struct] | None = None) -> Problem:
    """What a caller is told. Of the database's own troubles nothing but that it is away.

    body: the shape of what was sent; a pointer leads only into this, never to a parameter of the path or the query.
    """
    status = status_of(error)
    if status == 500:
        return internal(request_id)
    field = getattr(error, "field", None)
    if field is not None and len(field) > LONGEST:
        field = None
    away = status == 503
    retry_after = getattr(error, "retry_after", RETRY_AFTER if away else UNSET)
    return Problem(
        type="about:blank",
        title=HTTPStatus(status).phrase,
        status=status,
        code=error.code,
        detail=_AWAY if away else cleaning.cut(error.message, LONGEST),
        request_id=request_id,
        hint=UNSET if away or not error.hint else error.hint,
        field=UNSET if field is None else field,
        pointer=UNSET if field is None or body is None else _pointer(field, body, error.code),
        job_id=getattr(error, "job_id", "") or UNSET,
        retry_after=retry_after,
        **(_of_full(error) if isinstance(error, errors.QueueFull) else {}),
    )


def internal(request_id: str) -> Problem:
    """A fault of ours; its text is in the log, under the request id."""
    return Problem(
        type="about:blank",
        title=HTTPStatus(500).phrase,
        status=500,
        code="internal_error",
        detail="Something went wrong here. The log has it under this request id.",
        request_id=request_id,
    )


def plain(status: int, code: str, detail: str, request_id: str, hint: str = "") -> Problem:
    """A refusal that no error of the product stands for: of the protocol, not of the product."""
    return Problem(
        type="about:blank",
        title=HTTPStatus(status).phrase,
        status=status,
        code=code,
        detail=detail,
        request_id=request_id,
        hint=hint or UNSET,
    )


def pointer_of(field: str) -> str:
    """A field's path (`payload.items[3]`) as a JSON Pointer (RFC 6901)."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in paths.steps(field))


def _of_full(error: errors.QueueFull) -> dict[str, Any]:
    told = {"queue": error.queue, "tenant": error.tenant, "drain_seconds": error.drain_seconds}
    known = {"waiting": error.waiting, "capacity": error.capacity}
    return told | {name: UNSET if number is None else number for name, number in known.items()}


def _pointer(field: str, body: type[msgspec.Struct], code: str) -> str | msgspec.UnsetType:
    """A member that the body does not have by its shape is one that was sent nevertheless, or a parameter."""
    members = {member.encode_name for member in msgspec.structs.fields(body)}
    return pointer_of(field) if code in _SENT or members.issuperset(paths.steps(field)[:1]) else UNSET
