"""Order keys in words: behind whom a job waits, and which keys are stopped."""

from collections.abc import Sequence
from typing import Final

from tenure.cli.rendering import instant
from tenure.core.job import Job
from tenure.core.states import State

STOPS: Final = "stops its order key until it is redriven or cancelled"
HEADINGS: Final = ("order key", "tenant", "stopped by", "kind", "code", "since")


def behind(job: Job, first: Job | None) -> str:
    """Why a blocked job waits. first: who stands first in its line; None: nobody does, since a moment ago."""
    key = f"order key {job.order_key!r}"
    if first is None or first.id == job.id:
        return f"is next of {key}, and is made ready within a second"
    if first.state is State.FAILED:
        code = f" with {first.end_code}" if first.end_code else ""
        return (
            f"waits: {key} is stopped by job {first.id}, which failed{code} at {instant(first.ended_at)}; redrive it, "
            "or cancel it to go on without it"
        )
    return f"waits behind job {first.id} of {key}, which is {first.state.value}"


def stopped_lines(jobs: Sequence[Job]) -> list[tuple[str, ...]]:
    """A row for each job that stops its key; the columns are HEADINGS."""
    return [
        (job.order_key or "", job.tenant, job.id, job.kind, job.end_code or "", instant(job.ended_at)) for job in jobs
    ]
