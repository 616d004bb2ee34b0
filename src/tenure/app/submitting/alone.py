"""One job by itself, by the shortest way: most producers record one and wait for it, and every step on its way costs
twice what it costs in a loop, since the wait for the disk has emptied the processor's caches.

Whatever asks for more than a row goes by `app.submitting.sending`, step by step.
"""

from tenure.app.databases.database import Database
from tenure.app.submitting.item import Item
from tenure.core.errors import RetryTransaction
from tenure.operations.enqueue import Enqueued


def submitted_alone(database: Database, item: Item) -> Enqueued | None:
    """The answer to a new job; None, and nothing is stored, where it has to go the other way. Raises StoreError."""
    store, known, policy = database.open(), database.known, item.policy
    if not (item.is_plain and database.loads.is_open):
        return None
    if known.misses(item.kind, item.version, policy.secret, policy.secret_result):
        return None
    job = item.new_job(known.digest_key)
    try:
        row = store.insert_alone(job)
    except RetryTransaction:
        return None
    if row is None:
        return None
    store.announce((job.queue,))
    return Enqueued(job.id, True, row)
