"""What a refusal of the service means: the product's own errors again, with code, field and hint."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

import msgspec
from msgspec.structs import replace

from tenure.core import errors
from tenure.core.errors import TenureError
from tenure.core.secrecy import cleaning
from tenure.edge.problem import Problem

_OF_INPUT: Final[dict[str, type[errors.InvalidInput]]] = {
    "too_large": errors.TooLarge,
    "too_deep": errors.TooLarge,
    "unknown_kind": errors.UnknownKind,
}
_CONFLICTS: Final[dict[str, type[errors.Conflict]]] = {
    kind.code: kind for kind in (errors.KeyConflict, errors.IdConflict)
}
_AWAY: Final[dict[str, type[errors.StoreError]]] = {
    kind.code: kind for kind in (errors.StoreBusy, errors.SchemaTooOld, errors.SchemaTooNew)
}
_GATEWAYS: Final = frozenset({502, 503, 504})
_SECONDS_UNSAID: Final = 1.0


def error_of(status: int, headers: Mapping[str, str], content: bytes) -> TenureError:
    """The error that a refused call raises. Not a problem document: the status alone says what is known."""
    if 300 <= status < 400:
        return TenureError(
            f"the service redirects to {cleaning.shown(headers.get('location', 'elsewhere'))}",
            code="redirected",
            hint="Name the address it leads to, if that is meant: a key is sent to no other host by itself.",
        )
    problem = _problem(status, content)
    return _of_status(problem, retry_after(headers))


def of_problem(problem: Problem) -> TenureError:
    """The error that a problem inside an answer stands for, as of one item of a batch."""
    return _of_status(problem, None if problem.retry_after is msgspec.UNSET else problem.retry_after)


def as_away(error: errors.TooMany) -> errors.StoreUnavailable:
    """A service that asks for a pause, to who makes one whenever the service is away."""
    return errors.StoreUnavailable(error.message, code=error.code, hint=error.hint)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the service asks to wait, None where it does not say (or says a date)."""
    said = headers.get("retry-after", "").strip()
    return float(said) if said.isascii() and said.isdigit() and len(said) < 10 else None


def _problem(status: int, content: bytes) -> Problem:
    try:
        return msgspec.json.decode(content, type=Problem)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        title = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "no known status"
        return Problem(
            type="about:blank", title=title, status=status, code=f"http_{status}", detail=f"{status} {title}"
        )


def _of_status(said: Problem, wait: float | None) -> TenureError:
    problem = _shown(said)
    status, code, hint = problem.status, problem.code, None if problem.hint is msgspec.UNSET else problem.hint
    if status in (400, 413, 415, 422, 431):
        return _input(problem, hint)
    if status == 409 and code in _CONFLICTS:
        return _conflict(_CONFLICTS[code], problem)
    if status == 403:
        field = None if problem.field is msgspec.UNSET else problem.field
        return errors.Forbidden(field, _without_field(problem.detail, field), code=code, hint=hint)
    if status == 429 and code == errors.QueueFull.code:
        return _full(problem, _SECONDS_UNSAID if wait is None else wait, hint)
    if status == 429:
        return errors.TooMany(problem.detail, _SECONDS_UNSAID if wait is None else wait, code=code, hint=hint)
    if status in _GATEWAYS:
        return _AWAY.get(code, errors.StoreUnavailable)(problem.detail, code=code, hint=hint)
    kinds = {401: errors.Unauthenticated, 404: errors.NotFound}
    if code == errors.StaleLease.code:
        kinds[409] = errors.StaleLease
    return kinds.get(status, TenureError)(problem.detail, code=code, hint=hint)


def _shown(problem: Problem) -> Problem:
    """As text that may stand in a log or on a terminal: what would steer it is written out."""
    texts = {name: getattr(problem, name) for name in ("code", "detail", "hint", "field", "job_id", "queue", "tenant")}
    return replace(problem, **{name: cleaning.shown(text) for name, text in texts.items() if isinstance(text, str)})


def _input(problem: Problem, hint: str | None) -> errors.InvalidInput:
    """Whatever its class needs to be made, it says what the service said."""
    field = "body" if problem.field is msgspec.UNSET else problem.field
    kind = _OF_INPUT.get(problem.code, errors.TooLarge if problem.status == 413 else errors.InvalidInput)
    error = kind.__new__(kind)
    errors.InvalidInput.__init__(error, field, _without_field(problem.detail, field), code=problem.code, hint=hint)
    return error


def _full(problem: Problem, wait: float, hint: str | None) -> errors.QueueFull:
    said = {name: getattr(problem, name) for name in ("queue", "tenant", "waiting", "capacity", "drain_seconds")}
    told = {name: None if value is msgspec.UNSET else value for name, value in said.items()}
    return errors.QueueFull(problem.detail, wait, hint=hint, **told)


def _conflict(kind: type[errors.Conflict], problem: Problem) -> errors.Conflict:
    return kind(problem.detail, "" if problem.job_id is msgspec.UNSET else problem.job_id)


def _without_field(detail: str, field: str | None) -> str:
    """The error puts the field's name in front by itself."""
    return detail if field is None else detail.removeprefix(f"{field}: ")
