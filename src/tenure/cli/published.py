"""What `--json` prints of a job, its attempts and its effects: all but their secrets, documents as JSON rather than
text."""

from typing import Any, Final

import msgspec

from tenure.core.attempt import Attempt
from tenure.core.fields import priority_label
from tenure.core.job import Job
from tenure.core.ledger.effect import Effect
from tenure.core.secrecy import sealed

_SECRET: Final = frozenset({"lease_token", "token_hash", "claim_id", "args_digest", "revision"})
_DOCUMENTS: Final = frozenset({"payload", "result", "progress", "holder"})


def public(job: Job) -> dict[str, Any]:
    """The job for JSON: without its secrets, its documents as JSON rather than text."""
    return _documented(job) | {
        "priority_label": priority_label(job.priority),
        "tries_left": job.tries_left,
        "unrecoverable": job.unrecoverable,
        "sealed_with": sealed.sealed_with(job.payload, job.result),
    }


def public_attempt(attempt: Attempt) -> dict[str, Any]:
    """The attempt for JSON, without the hash of its token."""
    return _documented(attempt)


def public_effect(effect: Effect) -> dict[str, Any]:
    """The effect for JSON, without what stands for its lease and arguments."""
    shown = msgspec.structs.asdict(effect)
    told = {"result": _raw(effect.result), "sealed_with": sealed.sealed_with(effect.result)}
    return {name: value for name, value in shown.items() if name not in _SECRET} | told


def _documented(row: Job | Attempt) -> dict[str, Any]:
    found = {name: getattr(row, name) for name in row.__struct_fields__ if name not in _SECRET}
    for name in _DOCUMENTS & found.keys():
        found[name] = _raw(found[name])
    return found


def _raw(document: str | None) -> msgspec.Raw | None:
    """A document for JSON, null for one that could not be opened."""
    shown = sealed.readable(document)
    return None if shown is None else msgspec.Raw(shown.encode())
