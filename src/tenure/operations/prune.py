"""Prune: delete what has ended and is past its period."""

from tenure.core.retention import Retention
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def expire_payloads(verbs: Verbs, retention: Retention, limit: int = 1000) -> Script[int]:
    """One short batch; how many ended jobs lost their payload. Fewer than `limit`: nothing is left to do."""
    return (yield from verbs.expire_payloads(retention, limit))


def prune(verbs: Verbs, retention: Retention, limit: int = 1000) -> Script[int]:
    """One short batch; how many jobs went or became tombstones, and how many rows of redrives and occurrences went.
    Fewer than `limit`: nothing is left to do."""
    jobs = yield from verbs.prune(retention, limit)
    redrives = yield from verbs.prune_redrives(retention.failed, limit)
    return jobs + redrives + (yield from verbs.prune_occurrences(retention.failed, limit))
