"""A cancel of many, batch by batch, by somebody who sees it through."""

from collections.abc import Iterator

from tenure.core.job_filter import JobFilter
from tenure.operations.cancel_many import CancelledBatch, cancel_many
from tenure.stores.protocol import Store


def batches(store: Store, which: JobFilter, *, who: str, why: str) -> Iterator[CancelledBatch]:
    """What has been cancelled in all, after each batch. Raises InvalidInput for a filter that names nothing,
    StoreError."""
    cancelled, requested, before = 0, 0, None
    while True:
        batch = store.run(cancel_many(store.verbs, which, before, who=who, why=why))
        if batch.queues:
            store.announce(batch.queues)
        cancelled, requested, before = cancelled + batch.cancelled, requested + batch.requested, batch.next
        yield CancelledBatch(cancelled, requested, before)
        if before is None:
            return
