"""What a worker says and hears, in the words of the wire and in those of the engine. Documents stay text, byte for
byte."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Raw

from tenure.client import shapes
from tenure.client.call import Call, body_of, made, raw_list
from tenure.client.claims import Brought, ClaimedJobs, Claiming
from tenure.core import fields
from tenure.core.attempt import Outcome
from tenure.core.lease import Beat, BeatAnswer
from tenure.core.reports import Answer, Completion, Failure, Release, Report, Standing
from tenure.edge import claims
from tenure.edge.reports import Beats, CompleteOf, FailOf, HeartbeatOf, ReleaseOf, Reported, SnoozeOf

T = TypeVar("T")
Read = Callable[[int, bytes], T]
"""What a status and its body mean."""

MOST_ITEMS: Final = 1000
MOST_BYTES: Final = 4 * 1024 * 1024


class ReportsAnswered(msgspec.Struct, frozen=True, kw_only=True):
    answers: list[Answer]
    brought: Brought


class _ReportsTaken(msgspec.Struct, frozen=True, kw_only=True):
    reports: list[Reported]
    claimed: ClaimedJobs | None = None


def claim(said: Claiming) -> Call[Brought]:
    def read(status: int, content: bytes) -> Brought:
        return Brought() if status == 204 else decoded(content, ClaimedJobs).brought()

    return made("claim", said.members(), read, pause=said.wait)


def reports(texts: Sequence[str], said: Claiming | None = None) -> Call[ReportsAnswered]:
    """texts: of `report`."""
    members: dict[str, Any] = {"reports": raw_list(list(texts))}
    if said is not None:
        members["claim"] = Raw(body_of(said.members(), claims.Claim).encode())

    def read(_status: int, content: bytes) -> ReportsAnswered:
        taken = decoded(content, _ReportsTaken)
        _check_number("reports", len(texts), len(taken.reports))
        brought = Brought() if taken.claimed is None else taken.claimed.brought()
        return ReportsAnswered(answers=[_answer(one) for one in taken.reports], brought=brought)

    return made("reports", members, read)


def heartbeats(beats: Sequence[Beat]) -> Call[list[BeatAnswer]]:
    """An answer for each, in order."""
    said = [{"id": b.job_id, "lease_token": b.token, "progress": document(b.progress)} for b in beats]

    def read(_status: int, content: bytes) -> list[BeatAnswer]:
        found = decoded(content, Beats).beats
        _check_number("heartbeats", len(beats), len(found))
        return [BeatAnswer(one.id, one.held, one.lease_expires_at, one.cancel_requested) for one in found]

    texts = [body_of(one, HeartbeatOf) for one in said]
    return made("heartbeats", {"beats": raw_list(texts)}, read)


def report(said: Report) -> str:
    """One item of `reports`."""
    members: dict[str, Any] = {
        "verb": said.verb.value,
        "id": said.job_id,
        "lease_token": said.token,
        "progress": document(said.progress),
    }
    if isinstance(said, Completion):
        return body_of({**members, "result": document(said.result)}, CompleteOf)
    if isinstance(said, Failure):
        return body_of({**members, **_of_failure(said)}, FailOf)
    if isinstance(said, Release):
        return body_of({**members, "begun": said.begun, "code": said.code}, ReleaseOf)
    return body_of({**members, "delay": _seconds(said.delay)}, SnoozeOf)


def parts(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in lists that one request can carry; one empty list where there are none."""
    part: list[str] = []
    size = 0
    for text in texts:
        if part and (len(part) == MOST_ITEMS or size + len(text) > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(text)
        size += len(text)
    yield part


def _of_failure(said: Failure) -> dict[str, Any]:
    return {
        "error_class": said.error_class.value,
        "code": said.code if said.code.strip() else None,
        "error": said.error,
        "traceback": said.traceback,
        "retry_in": None if said.wait is None else _seconds(said.wait),
        "scope": said.scope,
        "outcome": said.outcome.value,
        "least_wait": said.delay or None,
        "rest": said.slow or None,
    }


def document(text: str | None) -> Raw | msgspec.UnsetType:
    """JSON text as it goes into a body, byte for byte; None is left out."""
    return UNSET if text is None else Raw(text.encode())


def _seconds(value: float) -> float:
    """A handler may wish for anything; the wire takes what can be waited."""
    return min(max(0.0, value), fields.LONGEST_DELAY)


def _answer(said: Reported) -> Answer:
    outcome = None if said.outcome is None else Outcome(said.outcome)
    return Answer(said.id, Standing(said.standing), said.state, outcome, said.end_code)


_DECODERS: Final[dict[type, Callable[[bytes], Any]]] = {}


def decoded(content: bytes, shape: type[T]) -> T:
    """The answer, its documents left as they are. Raises TenureError (`unexpected_answer`)."""
    if shape not in _DECODERS:
        _DECODERS[shape] = msgspec.json.Decoder(shape).decode
    try:
        found: T = _DECODERS[shape](content)
    except RecursionError as error:
        raise shapes.no_json(error) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise shapes.unexpected(f"does not read as {shape.__name__.strip('_')}: {error}") from error
    return found


def _check_number(what: str, said: int, answered: int) -> None:
    if said != answered:
        raise shapes.unexpected(f"has {answered} answers to {said} {what}")
