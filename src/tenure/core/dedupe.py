"""Whether an enqueue is new, known, or a clash: the identity of one submission."""

from functools import lru_cache
from hashlib import blake2b
from typing import Any

from tenure.core.errors import IdConflict, KeyConflict, TenureError
from tenure.core.job import Job, NewJob
from tenure.core.payloads.documents import canonical


def digest(secret: bytes, kind: str, payload: Any) -> str:
    """Keyed BLAKE2b-256 (RFC 7693) under the database's digest key of the payload as sent, before defaults, in its one
    spelling, in hexadecimal.

    secret: at most 64 bytes. The digest outlives the payload, and without the key nobody can guess a payload from it.
    Unlike HMAC it keeps the interpreter while it works on little: a producer beside busy threads waits less.
    """
    digest = _begun(secret, kind).copy()
    digest.update(canonical(payload))
    return digest.hexdigest()


@lru_cache(maxsize=256)
def _begun(secret: bytes, kind: str) -> blake2b:
    """The state that all digests of a kind begin with."""
    return blake2b(kind.encode() + b"\0", key=secret, digest_size=32)


def clash(new: NewJob, known: Job) -> TenureError | None:
    """The error that `new` deserves beside the `known` job that holds its key or its id; None: the same."""
    same = new.args_digest == known.args_digest and new.tenant == known.tenant and new.kind == known.kind
    if new.id == known.id:
        same = same and new.idempotency_key == known.idempotency_key
        return None if same else IdConflict(f"job {known.id} exists with other arguments", known.id)
    if same:
        return None
    return KeyConflict(
        f"idempotency key {new.idempotency_key!r} of kind {new.kind} belongs to job {known.id}, "
        "which was enqueued with other arguments",
        known.id,
    )
