"""Dead letters by cause: what failed together, grouped by kind, code and handler version."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec

from tenure.core.kind import Kind
from tenure.core.redriving.dead_letter import DeadLetter, LastError
from tenure.core.redriving.remedies import remedy

SAMPLES: Final = 5
"""Ids that stand for a group."""

MOST_READ: Final = 10_000
"""Dead letters that one look reads; beyond them a count is «at least»."""

MOST_GROUPS: Final = 200


class Met(msgspec.Struct, frozen=True, kw_only=True):
    """One failure of a group. code: that of the job's last error, message: its words."""

    job_id: str
    at: datetime
    code: str
    message: str | None


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """Dead letters of one kind, code and handler version, before their errors are looked up.

    samples: ids of the newest. unrecoverable_jobs: those whose payload has expired. first, last: ids of the one that
    failed first and last.
    """

    kind: str
    code: str
    version: int
    jobs: int
    first_at: datetime
    last_at: datetime
    first: str
    last: str
    samples: tuple[str, ...]
    unrecoverable_jobs: int


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """A cause, with the first and last error, and the remedy for its code (`core.redriving.remedies`).

    unrecoverable_jobs: jobs whose payload has expired, so that they never run again.
    """

    kind: str
    code: str
    version: int
    jobs: int
    first: Met
    last: Met
    samples: tuple[str, ...]
    remedy: str | None
    unrecoverable_jobs: int = 0


class Failures(msgspec.Struct, frozen=True, kw_only=True):
    """Groups, the largest first. read: the dead letters that were counted.

    at_least: there are more dead letters, or more groups, than were looked at.
    """

    groups: tuple[Group, ...]
    read: int
    at_least: bool


def causes(letters: Sequence[DeadLetter]) -> list[Cause]:
    """The groups of `letters`, which come newest first; the largest first, then by kind, code and version."""
    together: dict[tuple[str, str, int], list[DeadLetter]] = {}
    for letter in letters:
        together.setdefault((letter.kind, letter.code, letter.version), []).append(letter)
    found = [_cause(*place, some) for place, some in together.items()]
    return sorted(found, key=lambda cause: (-cause.jobs, cause.kind, cause.code, cause.version))


def _cause(kind: str, code: str, version: int, letters: Sequence[DeadLetter]) -> Cause:
    newest, oldest = letters[0], letters[-1]
    return Cause(
        kind=kind,
        code=code,
        version=version,
        jobs=len(letters),
        first_at=oldest.ended_at,
        last_at=newest.ended_at,
        first=oldest.id,
        last=newest.id,
        samples=tuple(letter.id for letter in letters[:SAMPLES]),
        unrecoverable_jobs=sum(not letter.has_payload for letter in letters),
    )


def group(cause: Cause, errors: Mapping[str, LastError], kinds: Mapping[str, Kind]) -> Group:
    """errors: by id, those of the first and last failure, as far as the jobs are still there."""
    return Group(
        kind=cause.kind,
        code=cause.code,
        version=cause.version,
        jobs=cause.jobs,
        first=_met(cause.first, cause.first_at, cause.code, errors),
        last=_met(cause.last, cause.last_at, cause.code, errors),
        samples=cause.samples,
        remedy=remedy(kinds.get(cause.kind), cause.code),
        unrecoverable_jobs=cause.unrecoverable_jobs,
    )


def _met(job_id: str, at: datetime, code: str, errors: Mapping[str, LastError]) -> Met:
    error = errors.get(job_id)
    if error is None:
        return Met(job_id=job_id, at=at, code=code, message=None)
    return Met(job_id=job_id, at=at, code=error.code or code, message=error.message)
