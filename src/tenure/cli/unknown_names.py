"""A kind, a queue or a tenant may be paused and limited before there is any; who misspells one should hear of it all
the same, on standard error."""

from typing import Final

import click

from tenure.core.job_filter import EVERY_JOB, JobFilter
from tenure.core.spelling import meant
from tenure.stores.protocol import Store
from tenure.stores.reading import By

_LOOKED_AT: Final = 200


def tell_of_unknown(store: Store, kind: str) -> None:
    """Says that the database knows no kind of that name, and which one may have been meant."""
    known = store.run(store.verbs.kinds())
    if kind not in known:
        _tell(f"No kind {kind!r} is declared so far.", meant(kind, known))


def tell_of_empty(store: Store, by: By, name: str) -> None:
    """Says that no queue, or tenant, of that name holds jobs, and which one may have been meant. It counts every job
    where it has that to say."""
    own = JobFilter(queues=(name,)) if by == "queue" else JobFilter(tenants=(name,))
    if not store.run(store.verbs.list_jobs(own, None, 1)):
        known = {count.name for count in store.run(store.verbs.counts_by(by, EVERY_JOB, None, _LOOKED_AT))}
        _tell(f"No job lies in a {by} {name!r} so far.", meant(name, known))


def _tell(words: str, hint: str) -> None:
    click.echo(f"{words} {hint}".rstrip(), err=True)
