"""The kinds of an application's tasks, told to a service."""

import logging
from collections.abc import Iterable

from tenure.client.client import Client
from tenure.core import documents
from tenure.core.errors import Forbidden
from tenure.core.kind import Kind

log = logging.getLogger("tenure.client")


def declare(client: Client, kinds: Iterable[Kind]) -> list[str]:
    """Declares each kind; the names of those that this credential may not declare, which somebody else has to.

    How retries are spaced is not told: the service has no word for it, and keeps what it knows. Raises TenureError.
    """
    refused = []
    for kind in kinds:
        try:
            _set(client, kind)
        except Forbidden as error:
            refused.append(kind.name)
            log.warning("kind %s is not declared by this worker: %s", kind.name, error)
    return refused


def _set(client: Client, kind: Kind) -> None:
    client.set_kind(
        kind.name,
        versions=kind.versions,
        schema=None if kind.schema is None else documents.load(kind.schema),
        queue=kind.queue,
        max_retries=kind.max_attempts - 1,
        timeout=kind.run_time_limit,
        concurrency=kind.concurrency,
        priority=kind.priority,
    )
