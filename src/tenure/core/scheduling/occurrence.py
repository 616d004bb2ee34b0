"""One occurrence of a schedule: its key, its id and its job."""

from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any, Final

from tenure.core import dedupe, defaults
from tenure.core.errors import InvalidInput
from tenure.core.flow.supersession import key_of, newer
from tenure.core.job import NewJob
from tenure.core.kind import Kind
from tenure.core.payloads import documents
from tenure.core.scheduling.schedule import TAG, Cause, Occurrence, Schedule, Skip
from tenure.core.secrecy import sealed
from tenure.core.uuid7 import TAIL_BITS, uuid7

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_DIGEST_BYTES: Final = 16


def iso(instant: datetime) -> str:
    """`2026-05-01T07:00:00Z`: how an instant stands in keys and payloads; microseconds only where there are any."""
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def key(schedule: Schedule, at: datetime) -> str:
    """The idempotency key of a slot's job."""
    return f"schedule/{schedule.id}/{schedule.edition}/{iso(at)}"


def job_id(schedule: Schedule, at: datetime) -> str:
    """The id of a slot's job: who decides on the slot a second time means the same job. Ids rise with the slots."""
    return _id(at, key(schedule, at))


def job(schedule: Schedule, kind: Kind, at: datetime, digest_key: bytes, *, cause: Cause, new_id: str) -> NewJob:
    """What is enqueued. A slot that is due has its instant as run_at, so that lateness is counted from it."""
    sent = payload(schedule.payload, schedule.occurrence_as, at)
    plain = NewJob(
        id=new_id,
        kind=schedule.kind,
        payload=documents.dump("payload", sent),
        args_digest=dedupe.digest(digest_key, schedule.kind, sent),
        version=max(kind.versions),
        tenant=schedule.tenant,
        queue=schedule.queue,
        priority=schedule.priority,
        idempotency_key=None if cause is Cause.RUN_NOW else key(schedule, at),
        run_at=at if cause is Cause.DUE else None,
        max_attempts=kind.max_attempts,
        run_time_limit=kind.run_time_limit,
        policy=kind.policy,
        tags=tags(schedule),
    )
    members = kind.policy.supersede_by
    return plain if members is None else newer(plain, key_of(digest_key, schedule.kind, members, sent))


def tags(schedule: Schedule) -> tuple[str, ...]:
    """Of its jobs; of a very long name the beginning."""
    return (f"{TAG}{schedule.name}"[: defaults.NAME_CHARACTERS],)


def payload(text: str, occurrence_as: str | None, at: datetime) -> dict[str, Any]:
    """The payload of a slot's job, as plain JSON values."""
    said = arguments(text)
    return said if occurrence_as is None else said | {occurrence_as: iso(at)}


def arguments(text: str) -> dict[str, Any]:
    """The payload that a schedule says. Raises InvalidInput for one that is sealed and that nobody here has opened."""
    if sealed.is_sealed(text):
        raise InvalidInput("payload", sealed.reason("it", text), code=sealed.code_of(text))
    said: dict[str, Any] = documents.load(text)
    return said


def fired(schedule: Schedule, at: datetime, cause: Cause, job_id: str, now: datetime) -> Occurrence:
    return Occurrence(
        id=job_id, schedule_id=schedule.id, edition=schedule.edition, cause=cause, at=at, until_at=at, job_id=job_id,
        decided_at=now,
    )  # fmt: skip


def skipped(
    schedule: Schedule, why: Skip, at: datetime, until_at: datetime, slots: int | None, now: datetime
) -> Occurrence:
    """A run of slots that made no job."""
    return Occurrence(
        id=_id(at, f"{key(schedule, at)}/{why}"), schedule_id=schedule.id, edition=schedule.edition, cause=Cause.DUE,
        at=at, until_at=until_at, slots=slots, skipped=why, decided_at=now,
    )  # fmt: skip


def _id(at: datetime, text: str) -> str:
    tail = int.from_bytes(blake2b(text.encode(), digest_size=_DIGEST_BYTES).digest()) >> (8 * _DIGEST_BYTES - TAIL_BITS)
    return uuid7((at - _EPOCH) // _MILLISECOND, tail)
