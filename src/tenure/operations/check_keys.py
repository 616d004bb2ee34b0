"""Check keys: whether the jobs that wait can be opened by whoever is about to claim them. A bounded look, before the
first claim."""

from collections.abc import Collection
from typing import Final

from tenure.core.errors import Misconfigured
from tenure.core.secrecy.sealed import KEY_MISSING, REMEDY, key_id_of
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script
from tenure.stores.sealing.keyring import Keyring

LOOKED_AT: Final = 100
"""Jobs at each end of what is ready, and of what is scheduled."""


def check_keys(
    verbs: Verbs, keyring: Keyring | None, queues: Collection[str], kinds: Collection[str] | None
) -> Script[None]:
    """kinds: those that would be claimed; None is every one. Raises Misconfigured where a job is sealed with a key that
    is not in `keyring`. One that was sent back for its key already is known to be so, and stops nobody's start."""
    ids = () if keyring is None else keyring.ids
    for queue in queues:
        for job in (yield from verbs.waiting_payloads(queue, LOOKED_AT)):
            key_id = key_id_of(job.head)
            if key_id is None or key_id in ids or (kinds is not None and job.kind not in kinds):
                continue
            if job.last_error_code != KEY_MISSING:
                raise _lacking(queue, key_id, job.job_id)


def _lacking(queue: str, key_id: str, job_id: str) -> Misconfigured:
    return Misconfigured(
        f"jobs wait in queue {queue} that are sealed with key {key_id!r}, which this process lacks: job {job_id}, for "
        "one",
        code=KEY_MISSING,
        hint=f"{REMEDY} Where the key is lost, cancel these jobs.",
    )
