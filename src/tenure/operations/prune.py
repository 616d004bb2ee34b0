"""Prune: delete what has ended and is past its period."""

from tenure.core.retention import Retention
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script


def prune(verbs: Verbs, retention: Retention, limit: int = 1000) -> Script[int]:
    """One short batch; how many jobs went or became tombstones. Fewer than `limit`: nothing is left to do."""
    return (yield from verbs.prune(retention, limit))
