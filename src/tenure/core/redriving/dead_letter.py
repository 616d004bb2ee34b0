"""A dead letter: what is looked at of a job that has failed, to group it by cause or to run it again."""

from datetime import datetime

import msgspec

from tenure.core.job import Job
from tenure.core.states import State


class DeadLetter(msgspec.Struct, frozen=True, kw_only=True):
    """code: the one that ended the job. attempt: the number of its newest attempt.

    has_payload: it has not expired. is_superseded: a newer job stands in its place.
    """

    id: str
    tenant: str
    queue: str
    kind: str
    version: int
    code: str
    attempt: int
    max_attempts: int
    ended_at: datetime
    has_payload: bool
    is_superseded: bool


class LastError(msgspec.Struct, frozen=True, kw_only=True):
    """What a job failed with last: no more of its row than that, so that one which cannot be read whole is told too."""

    code: str | None
    message: str | None


def of_job(job: Job) -> DeadLetter | None:
    """None for a job that has not failed."""
    if job.state is not State.FAILED or job.ended_at is None:
        return None
    return DeadLetter(
        id=job.id,
        tenant=job.tenant,
        queue=job.queue,
        kind=job.kind,
        version=job.version,
        code=job.end_code or "",
        attempt=job.attempt,
        max_attempts=job.max_attempts,
        ended_at=job.ended_at,
        has_payload=job.payload is not None,
        is_superseded=job.superseded_by is not None,
    )
