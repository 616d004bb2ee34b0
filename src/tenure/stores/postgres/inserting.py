"""New jobs on their way in: what `insert.sql`, `insert_alike.sql` and `insert_one.sql` take, and what they answer."""

from collections.abc import Sequence
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, Final

import msgspec

from tenure.core.job import NewJob
from tenure.stores.postgres import wire
from tenure.stores.protocol import Inserted
from tenure.stores.script import Rows

_OWN: Final = ("id", "payload", "args_digest")
"""What differs from job to job, as a rule."""

_SHARED: Final = {name: attrgetter(name) for name in NewJob.__struct_fields__ if name not in _OWN}

_DRAWN: Final = 1000
"""Enqueue numbers to a number of the sequence (`insert.sql`)."""


class _Answer(msgspec.Struct, frozen=True):
    now: datetime
    firsts: list[int]
    created: dict[str, int] | None


_DECODER: Final = msgspec.json.Decoder(_Answer)


def texts(job: NewJob) -> tuple[str | None, ...]:
    """The row of a job by itself, in the order of `insert_one.sql`."""
    return (
        job.id,
        job.kind,
        job.payload,
        job.args_digest,
        str(job.version),
        job.tenant,
        job.queue,
        str(job.priority),
        job.idempotency_key,
        _text(job.deadline),
        str(job.max_attempts),
        str(job.run_time_limit),
        wire.encode(job.policy).decode(),
        wire.encode(job.tags).decode() if job.tags else "[]",
        job.trace,
        _text(job.run_at),
        _text(job.delay),
    )


def _text(value: datetime | float | None) -> str | None:
    return None if value is None else str(value)


def batch(jobs: Sequence[NewJob]) -> tuple[str, dict[str, Any]]:
    """The statement that inserts new jobs, and what it reads: what is the same in all of them is said once, under
    `shared`. A bulk is mostly one task's, and most of what the server did with it was to parse the same words a
    thousand times.
    """
    if len(jobs) < 2:
        return "insert", {"jobs": jobs}
    shared: dict[str, Any] = {}
    own = list(_OWN)
    for name, read in _SHARED.items():
        values = list(map(read, jobs))
        if values.count(values[0]) == len(values):
            shared[name] = values[0]
        else:
            own.append(name)
    if shared.get("idempotency_key", "") is not None:
        return "insert", {"shared": shared, "jobs": _by_key(jobs, own)}
    if len(own) == len(_OWN):
        return "insert_alike", {
            "shared": shared,
            "jobs": [job.id for job in jobs],
            "payload": [job.payload for job in jobs],
            "args_digest": [job.args_digest for job in jobs],
        }
    return "insert", {"shared": shared, "jobs": [{name: getattr(job, name) for name in own} for job in jobs]}


def _by_key(jobs: Sequence[NewJob], own: Sequence[str]) -> list[dict[str, Any]]:
    """Rows by key, so that two producers who share keys cannot wait for each other in a circle; each says its place.
    Here, since for the server it was a tenth of the work, with keys or without."""
    places = sorted(range(len(jobs)), key=lambda place: (_key(jobs[place]), place))
    return [{name: getattr(jobs[place], name) for name in own} | {"place": place + 1} for place in places]


def _key(job: NewJob) -> tuple[str, str, str]:
    return job.tenant, job.kind, job.idempotency_key or ""


def inserted(rows: Rows, jobs: Sequence[NewJob]) -> Inserted:
    """The answer to a batch. Where every job is new it names none of them, but the first number of each thousand."""
    said = _DECODER.decode(wire.answer(rows))
    now = said.now.astimezone(UTC)
    if said.created is not None:
        return Inserted(now, said.created)
    numbers = (first + place for first in said.firsts for place in range(_DRAWN))
    return Inserted(now, {job.id: seq for job, seq in zip(jobs, numbers, strict=False)})
