"""The calls of a worker. Each names a claim or a lease token, so that a lost answer is settled by the same call
again."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, Literal, TypedDict
from uuid import UUID

from msgspec import UNSET

from tenure.app.submitting.ids import new_id
from tenure.client import shapes
from tenure.client.call import Call, body_of, made, raw_list
from tenure.client.shapes import ClaimedJob, ReportedJob, ReportsTaken
from tenure.core.errors import InvalidInput
from tenure.edge import requests
from tenure.edge.reports import Beat, Beats, CompleteOf, FailOf, HeartbeatOf, ReleaseOf, SnoozeOf

Id = str | UUID
ErrorClass = Literal["retryable", "throttled", "terminal", "uncertain", "unknown", "cancel"]


class Claiming(TypedDict, total=False):
    """What `reports` may claim next, in the words of `claim_many`. It does not wait."""

    claim_id: str
    types: Sequence[str] | None
    versions: Mapping[str, Sequence[int]] | None
    queues: Sequence[str] | None
    limit: int
    slots: int | None
    lease_seconds: float | None
    holder: Mapping[str, Any] | None


class Pulse(TypedDict, total=False):
    """One lease of `heartbeats`."""

    id: Id
    lease_token: str
    progress: Any


class Report(TypedDict, total=False):
    """One end of `reports`: verb (complete, fail, release or snooze), and the members of that call."""

    verb: Literal["complete", "fail", "release", "snooze"]
    id: Id
    lease_token: str
    result: Any
    error: str
    error_class: ErrorClass
    code: str
    retry_in: float | timedelta | None
    scope: Literal["job", "kind"]
    least_wait: float | timedelta
    rest: float | timedelta
    outcome: Literal["failed", "timed_out", "no_progress"]
    traceback: str | None
    begun: bool
    delay: float | timedelta
    progress: Any


def claim(
    *,
    types: Sequence[str] | None = None,
    versions: Mapping[str, Sequence[int]] | None = None,
    queues: Sequence[str] | None = None,
    wait: float = 0.0,
    lease_seconds: float | None = None,
    claim_id: str | None = None,
    holder: Mapping[str, Any] | None = None,
) -> Call[ClaimedJob | None]:
    """Takes a job under a lease, None where there is none; `wait`: seconds to wait for one, at most 30.

    types: left out, all of the credential's scope. claim_id: made here where none is said. lease_seconds: how long one
    heartbeat lasts, 60 unless said; count them from before the call. holder: host, process and code_version, for
    people.
    """
    said = {"types": types, "versions": versions, "queues": queues, "lease_seconds": lease_seconds, "holder": holder}
    read = _first_or_none
    return made("claim", {**said, "wait": wait, "claim_id": claim_id or new_id()}, read, pause=wait)


def claim_many(
    limit: int,
    *,
    slots: int | None = None,
    types: Sequence[str] | None = None,
    versions: Mapping[str, Sequence[int]] | None = None,
    queues: Sequence[str] | None = None,
    wait: float = 0.0,
    lease_seconds: float | None = None,
    claim_id: str | None = None,
    holder: Mapping[str, Any] | None = None,
) -> Call[list[ClaimedJob]]:
    """As `claim`, jobs that take up to `limit` slots at once, best first. slots: those of the whole worker: a job that
    takes more than `limit` but no more than these is waited for, otherwise passed over."""
    said = {"types": types, "versions": versions, "queues": queues, "lease_seconds": lease_seconds, "holder": holder}
    more = {"wait": wait, "claim_id": claim_id or new_id(), "limit": limit, "slots": slots}
    return made("claim", {**said, **more}, _all_of_them, pause=wait)


def heartbeat(id: Id, lease_token: str, *, progress: Any = UNSET) -> Call[Beat]:  # noqa: A002 (the word of the product)
    """Renews a lease, and hears whether cancellation was asked. progress: a note of up to 1 KiB. Raises StaleLease."""
    said = {"id": id, "lease_token": lease_token, "progress": progress}
    return made("heartbeat", said, shapes.reader(Beat))


def heartbeats(beats: Sequence[Pulse]) -> Call[list[Beat]]:
    """Renews up to 1,000 leases; an answer for each, in order. A lease that is not `held` is lost for good."""
    texts = [body_of(beat, HeartbeatOf) for beat in beats]
    read = _beats_of(len(texts))
    return made("heartbeats", {"beats": raw_list(texts)}, read)


def complete(id: Id, lease_token: str, *, result: Any = None, progress: Any = UNSET) -> Call[ReportedJob]:  # noqa: A002
    """The work is done. result: any JSON up to 64 KiB. Raises StaleLease, NotFound."""
    said = {"id": id, "lease_token": lease_token, "result": result, "progress": progress}
    return made("complete", said, shapes.reader(ReportedJob))


def fail(
    id: Id,  # noqa: A002 (the word of the product)
    lease_token: str,
    error: str = "",
    *,
    error_class: ErrorClass | None = None,
    code: str | None = None,
    retry_in: float | timedelta | None = None,
    scope: Literal["job", "kind"] | None = None,
    least_wait: float | timedelta | None = None,
    rest: float | timedelta | None = None,
    outcome: Literal["failed", "timed_out", "no_progress"] | None = None,
    traceback: str | None = None,
    progress: Any = UNSET,
) -> Call[ReportedJob]:
    """The attempt failed; its class decides what comes next, and without one it is retried. retry_in: seconds, 0 at
    once. least_wait, rest: seconds that a retry, and the other jobs of the tenant and kind, wait at least (in a storm).

    Raises StaleLease, NotFound.
    """
    said = {
        "id": id, "lease_token": lease_token, "error": error, "error_class": error_class, "code": code,
        "retry_in": retry_in, "scope": scope, "least_wait": least_wait, "rest": rest, "outcome": outcome,
        "traceback": traceback, "progress": progress,
    }  # fmt: skip
    return made("fail", said, shapes.reader(ReportedJob))


def release(
    id: Id,  # noqa: A002 (the word of the product)
    lease_token: str,
    *,
    begun: bool = True,
    code: str | None = None,
    progress: Any = UNSET,
) -> Call[ReportedJob]:
    """Gives the job back unharmed. begun: whether the work had started. Raises StaleLease, NotFound."""
    said = {"id": id, "lease_token": lease_token, "begun": begun, "code": code, "progress": progress}
    return made("release", said, shapes.reader(ReportedJob))


def snooze(
    id: Id,  # noqa: A002 (the word of the product)
    lease_token: str,
    delay: float | timedelta,
    *,
    progress: Any = UNSET,
) -> Call[ReportedJob]:
    """Nothing happened and it is too early: run again after `delay` (seconds). Raises StaleLease, NotFound."""
    said = {"id": id, "lease_token": lease_token, "delay": delay, "progress": progress}
    return made("snooze", said, shapes.reader(ReportedJob))


def reports(reports: Sequence[Report], *, claim: Claiming | None = None) -> Call[ReportsTaken]:
    """Ends of up to 1,000 attempts, and the next claim, in one call. An answer for each report, in order.

    Raises InvalidInput for what no JSON can carry; a stale report is told by its standing.
    """
    texts = [body_of(report, _shape_of(place, report)) for place, report in enumerate(reports)]
    said: dict[str, Any] = {"reports": raw_list(texts)}
    if claim is not None:
        said["claim"] = {"claim_id": new_id(), "limit": 1, **claim}
    return made("reports", said, shapes.reader(ReportsTaken))


_SHAPES: Final[dict[Any, type[requests.Body]]] = {
    shape.__struct_config__.tag: shape for shape in (CompleteOf, FailOf, ReleaseOf, SnoozeOf)
}


def _shape_of(place: int, report: Report) -> type[requests.Body]:
    found = _SHAPES.get(report.get("verb"))
    if found is None:
        raise InvalidInput(f"reports[{place}].verb", f"must be one of {', '.join(map(str, _SHAPES))}")
    return found


def _first_or_none(status: int, content: bytes) -> ClaimedJob | None:
    return None if status == 204 else shapes.read(content, ClaimedJob)


def _all_of_them(status: int, content: bytes) -> list[ClaimedJob]:
    return [] if status == 204 else shapes.read(content, shapes.ClaimedJobs).jobs


def _beats_of(number: int) -> Callable[[int, bytes], list[Beat]]:
    def read(_status: int, content: bytes) -> list[Beat]:
        beats = shapes.read(content, Beats).beats
        if len(beats) != number:
            raise shapes.unexpected(f"has {len(beats)} answers to {number} heartbeats")
        return beats

    return read
