"""Rows to values and back: the columns of `tenure_jobs` and `tenure_attempts` as core's frozen values."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from tenure.core import attempt as attempts
from tenure.core import closing
from tenure.core import job as jobs
from tenure.core import kind as kinds
from tenure.core.attempt import Attempt, EndedBy, ErrorClass, LateReport, Outcome
from tenure.core.closing import Last
from tenure.core.flow.demand import PLAIN
from tenure.core.flow.order import OnFailure
from tenure.core.job import Job, Policy
from tenure.core.kind import Kind
from tenure.core.lease import Lease
from tenure.core.states import State
from tenure.stores.script import Row
from tenure.stores.sqlite.instants import instant_or_none, micros_or_none, span

_JOB_INSTANTS: Final = (
    "created_at", "run_at", "deadline", "ended_at", "updated_at", "pruned_at", "payload_expired_at",
    "started_at", "heartbeat_at", "lease_expires_at", "must_end_at", "progress_at", "cancel_requested_at",
    "burst_at",
)  # fmt: skip
_ATTEMPT_INSTANTS: Final = ("claimed_run_at", "started_at", "heartbeat_at", "lease_lost_at", "ended_at")
_encode = msgspec.json.Encoder().encode
_decode_policy = msgspec.json.Decoder(Policy).decode
_decode_tags = msgspec.json.Decoder(tuple[str, ...]).decode
_decode_late = msgspec.json.Decoder(LateReport).decode
_decode_paths = msgspec.json.Decoder(tuple[str, ...]).decode
_decode_remedies = msgspec.json.Decoder(dict[str, str]).decode
_decode_versions = msgspec.json.Decoder(tuple[int, ...]).decode


def json_text(value: object) -> str:
    """The JSON text of plain values, for one parameter that carries many rows."""
    return _encode(value).decode()


@lru_cache(maxsize=1024)
def policy_of(text: str) -> Policy:
    """A stored policy; one that was damaged is read as the default, so that its job can still be ended (G10)."""
    try:
        return _decode_policy(text)
    except msgspec.DecodeError:
        return Policy()


@lru_cache(maxsize=1024)
def policy_text(policy: Policy) -> str:
    return json_text(policy)


def tags_of(text: str) -> tuple[str, ...]:
    """Stored tags; damaged ones are read as none (G10)."""
    if text == "[]":
        return ()
    try:
        return _decode_tags(text)
    except msgspec.DecodeError:
        return ()


def tags_text(tags: tuple[str, ...]) -> str:
    return json_text(tags) if tags else "[]"


class Picked(NamedTuple):
    """What a claim reads of a ready row, in this order."""

    id: str
    seq: int
    attempt: int
    kind: str
    version: int
    tenant: str
    priority: int
    payload: str | None
    run_at: int
    deadline: int | None
    tries: int
    max_attempts: int
    tags: str
    trace: str | None
    run_time_limit: float
    policy: str


Convert = Callable[[Any], Any]

_READ_JOB: Final[dict[str, Convert]] = {
    **dict.fromkeys(_JOB_INSTANTS, instant_or_none),
    "state": State,
    "policy": policy_of,
    "tags": tags_of,
    "on_failure": lambda value: None if value is None else OnFailure(value),
}
_WRITE_JOB: Final[dict[str, Convert]] = {
    **dict.fromkeys(_JOB_INSTANTS, micros_or_none),
    "state": str,
    "policy": policy_text,
    "tags": tags_text,
}
_READ_ATTEMPT: Final[dict[str, Convert]] = {
    **dict.fromkeys(_ATTEMPT_INSTANTS, instant_or_none),
    "ended_by": EndedBy,
    "outcome": Outcome,
    "begun": bool,
    "after_cancel": bool,
    "after_deadline": bool,
    "error_class": lambda value: None if value is None else ErrorClass(value),
    "late_report": lambda value: None if value is None else _decode_late(value),
}
_READ_LAST: Final = {name: convert for name, convert in _READ_ATTEMPT.items() if name in closing.COLUMNS}
_WRITE_ATTEMPT: Final[dict[str, Convert]] = {
    **dict.fromkeys(_ATTEMPT_INSTANTS, micros_or_none),
    "ended_by": str,
    "outcome": str,
    "error_class": lambda value: None if value is None else str(value),
    "late_report": lambda value: None if value is None else late_text(value),
}


def late_text(report: LateReport) -> str:
    return json_text(report)


def job_of(row: Row) -> Job:
    """A job of its columns, in the order of `core.job.COLUMNS`."""
    return Job(**_converted(jobs.COLUMNS, row, _READ_JOB))


def attempt_of(row: Row) -> Attempt:
    """An attempt of its columns, in the order of `core.attempt.COLUMNS`."""
    return Attempt(**_converted(attempts.COLUMNS, row, _READ_ATTEMPT))


def last_of(row: Row) -> Last:
    """The newest attempt in short of its columns, in the order of `core.closing.COLUMNS`."""
    return Last(**_converted(closing.COLUMNS, row, _READ_LAST))


def lease_of(row: Row) -> Lease:
    """A lease of its columns, in the order of `core.lease.FIELDS`."""
    values = dict(zip(Lease.__struct_fields__, row, strict=False))
    for name in ("run_at", "started_at", "lease_expires_at", "must_end_at", "deadline"):
        values[name] = instant_or_none(values[name])
    return Lease(**values | {"tags": tags_of(values["tags"])})


def _converted(columns: tuple[str, ...], row: Row, read: dict[str, Convert]) -> dict[str, Any]:
    values = dict(zip(columns, row, strict=True))
    for name, convert in read.items():
        values[name] = convert(values[name])
    return values


def changes_of(job: Job) -> tuple[Any, ...]:
    """What `apply.sql` writes of a job, in the order of `core.job.CHANGING`."""
    return _stored(jobs.CHANGING, job, _WRITE_JOB)


def history_of(attempt: Attempt) -> tuple[Any, ...]:
    """An attempt's row, in the order of `core.attempt.COLUMNS`."""
    return _stored(attempts.COLUMNS, attempt, _WRITE_ATTEMPT)


def _stored(columns: tuple[str, ...], value: object, write: dict[str, Convert]) -> tuple[Any, ...]:
    return tuple(write[name](getattr(value, name)) if name in write else getattr(value, name) for name in columns)


def kind_of(row: Row) -> Kind:
    """A kind of its columns, in the order of `core.kind.COLUMNS` and `FLOW`."""
    values = dict(zip((*kinds.COLUMNS, *kinds.FLOW), row, strict=True))
    told = {
        "versions": _decode_versions(values["versions"]),
        "policy": policy_of(values["policy"]),
        "remedies": _decode_remedies(values["remedies"]),
        "secret": _decode_paths(values["secret"]),
        "secret_result": _decode_paths(values["secret_result"]),
        "slots": values["slots"] or PLAIN.slots,
        "uses": uses_of(values["uses"]),
    }
    return Kind(**values | told)


def uses_of(text: str | None) -> tuple[str, ...]:
    return PLAIN.uses if text is None else _decode_paths(text)


def kind_row(kind: Kind) -> tuple[Any, ...]:
    """A kind's row, in the order of `core.kind.COLUMNS`."""
    values = {name: getattr(kind, name) for name in kinds.COLUMNS}
    told = {
        "versions": json_text(kind.versions),
        "policy": policy_text(kind.policy),
        "remedies": json_text(kind.remedies),
        "secret": json_text(kind.secret),
        "secret_result": json_text(kind.secret_result),
    }
    return tuple((values | told).values())


def progress_due(policy: str, since: int) -> int | None:
    """As `core.lease.progress_due_at`, from the stored policy and the last progress in microseconds."""
    timeout = None if policy == "{}" else policy_of(policy).progress_timeout
    return None if timeout is None else since + span(timeout)
