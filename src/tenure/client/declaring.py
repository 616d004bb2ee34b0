"""The kinds of an application's tasks, told to a service."""

import logging
from collections.abc import Iterable

from tenure.client.client import Client
from tenure.core.errors import Forbidden, NotFound
from tenure.core.kind import Kind
from tenure.core.payloads import documents

log = logging.getLogger("tenure.client")


def declare(client: Client, kinds: Iterable[Kind]) -> set[str]:
    """Declares each kind that this credential may declare; the names of those, and of what is there already.

    The others are outside its scope, or somebody else has to declare them first: no worker of it is given one. What is
    there and may not be changed by it stays as it is. Raises TenureError.
    """
    return {kind.name for kind in kinds if _set(client, kind) or _is_there(client, kind.name)}


def _set(client: Client, kind: Kind) -> bool:
    """Whether the credential may."""
    policy = kind.policy
    try:
        client.set_kind(
            kind.name,
            versions=kind.versions,
            schema=None if kind.schema is None else documents.load(kind.schema),
            queue=kind.queue,
            max_retries=kind.max_attempts - 1,
            timeout=kind.run_time_limit,
            concurrency=kind.concurrency,
            priority=kind.priority,
            backoff=(policy.backoff_base, policy.backoff_cap),
            progress_timeout=policy.progress_timeout,
            payload_retention=policy.payload_retention,
            effects=policy.effects,
            on_failure=policy.on_failure,
            remedies=kind.remedies,
            secret=kind.secret,
            secret_result=kind.secret_result,
            slots=kind.slots,
            uses=kind.uses,
            supersede_by=policy.supersede_by,
            debounce=policy.debounce,
            max_wait=policy.max_wait,
            when_full=policy.when_full,
        )
    except Forbidden as error:
        log.warning("kind %s is not declared by this worker: %s", kind.name, error)
        return False
    return True


def _is_there(client: Client, name: str) -> bool:
    try:
        client.kind(name)
    except NotFound:
        log.warning("no job of kind %s comes to this worker: its key neither declares nor sees that kind", name)
        return False
    return True
