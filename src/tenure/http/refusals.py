"""Refusals as answers: problems (RFC 9457) with the headers that belong to them."""

import math
from collections.abc import Sequence

import msgspec

from tenure.core.errors import TenureError
from tenure.edge import problems
from tenure.edge.problem import Problem

MEDIA = "application/problem+json"


class Refused(Exception):
    """A refusal of the protocol, not of the product. is_last: the connection ends with its answer."""

    def __init__(self, problem: Problem, headers: Sequence[tuple[str, str]] = (), *, is_last: bool = False) -> None:
        super().__init__(problem.detail)
        self.problem, self.headers, self.is_last = problem, headers, is_last


def refused(
    status: int,
    code: str,
    detail: str,
    hint: str = "",
    headers: Sequence[tuple[str, str]] = (),
    *,
    is_last: bool = False,
) -> Refused:
    """To be raised."""
    return Refused(problems.plain(status, code, detail, "", hint), headers, is_last=is_last)


def problem_of(error: Refused | TenureError, request_id: str, body: type[msgspec.Struct] | None = None) -> Problem:
    """What the caller is told. body: the shape of what the operation takes."""
    if isinstance(error, Refused):
        return msgspec.structs.replace(error.problem, request_id=request_id)
    return problems.problem_of(error, request_id, body)


def headers_of(problem: Problem) -> list[tuple[str, str]]:
    """What HTTP wants said beside the problem itself."""
    headers = []
    if problem.retry_after is not msgspec.UNSET:
        headers.append(("Retry-After", str(max(1, math.ceil(problem.retry_after)))))
    if problem.status == 401:
        headers.append(("WWW-Authenticate", 'Bearer realm="tenure"'))
    return headers
