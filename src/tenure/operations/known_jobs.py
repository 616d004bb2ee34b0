"""What a submission meets: the job that holds its id or its key."""

from collections.abc import Callable, Sequence

import msgspec

from tenure.core import dedupe
from tenure.core.errors import RetryTransaction, TenureError
from tenure.core.job import Job, NewJob
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


class Enqueued(msgspec.Struct, frozen=True):
    """One submission's outcome: a new job, or the known one that its key or id already named.

    row: or what makes it.
    """

    id: str
    created: bool
    row: Job | Callable[[], Job]

    @property
    def job(self) -> Job:
        """The row, as it was when this was answered. Made on demand: a bulk of 1,000 rarely wants it."""
        return self.row if isinstance(self.row, Job) else self.row()


def known_rows(verbs: Verbs, jobs: Sequence[NewJob]) -> Script[dict[object, Job]]:
    """The rows that hold the ids and the keys of `jobs`."""
    found: dict[object, Job] = dict((yield from verbs.read([job.id for job in jobs])).items())
    keys = [(job.tenant, job.kind, job.idempotency_key) for job in jobs if job.idempotency_key is not None]
    if keys:
        found.update((yield from verbs.read_keys(keys)).items())
    return found


def same_or_clash(job: NewJob, known: dict[object, Job]) -> Enqueued | TenureError:
    """The answer to a job that was not inserted: the one that it met, or their clash."""
    row = row_of(job, known)
    if row is None:
        return RetryTransaction(f"the job that holds key {job.idempotency_key!r} is not visible to this transaction")
    return dedupe.clash(job, row) or Enqueued(row.id, False, row)


def row_of(job: NewJob, known: dict[object, Job]) -> Job | None:
    """The known row that holds the job's id or key."""
    return known.get(job.id) or known.get((job.tenant, job.kind, job.idempotency_key))
