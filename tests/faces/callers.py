"""What the tests of a caller's own connection share: a job to enqueue, and whether it is there."""

import itertools

from tenure.core.job import NewJob
from tenure.operations.enqueue import Enqueued, enqueue
from tenure.stores.protocol import Store
from tenure.stores.script import Script

_numbers = itertools.count(1)


def new_job(**changes: object) -> NewJob:
    number = next(_numbers)
    fields = {"id": f"01900000-0000-7000-8000-{number:012d}", "kind": "mail", "payload": '{"to":"100 % é"}'}
    return NewJob(**{**fields, "args_digest": f"digest {number}", **changes})  # type: ignore[arg-type]


def enqueueing(store: Store, *jobs: NewJob) -> Script[list[Enqueued]]:
    return enqueue(store.verbs, jobs)


def is_stored(store: Store, job: NewJob) -> bool:
    """Whether another connection sees the job, whole."""
    row = store.run(store.verbs.read([job.id])).get(job.id)
    return row is not None and row.payload == job.payload
