"""What the tests of a caller's own connection share: a job to enqueue, and stores of their own."""

import itertools
from collections.abc import Iterator
from pathlib import Path

from tenure.core.job import NewJob
from tenure.operations.enqueue import Enqueued, enqueue
from tenure.stores.protocol import Store
from tenure.stores.script import Script
from tenure.stores.sqlite import SqliteStore

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


def sqlite_store(path: Path) -> Iterator[SqliteStore]:
    """An open store, with a table of the caller's in the same file."""
    store = SqliteStore(path)
    store.open()
    yield store
    store.close()


def postgres_store() -> Iterator[Store]:
    from tenure.stores.postgres.store import PostgresStore
    from tests.conformance.postgres_server import shared

    store = PostgresStore(shared().fresh_database())
    store.open()
    yield store
    store.close()
