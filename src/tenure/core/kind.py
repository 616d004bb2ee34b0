"""A kind: what is known of an operation, with or without its code at hand."""

import msgspec

from tenure.core import defaults
from tenure.core.job import Policy


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `tenure_kinds`. Written when a worker or producer starts with the task, never deleted by a start.

    versions: the handler versions that were ever declared. schema: JSON Schema of the payload as text, or None.
    concurrency: how many of its jobs may run at once over all workers, None without a limit.
    """

    name: str
    versions: tuple[int, ...] = (defaults.HANDLER_VERSION,)
    schema: str | None = None
    queue: str = defaults.QUEUE
    max_attempts: int = defaults.MAX_ATTEMPTS
    run_time_limit: float = defaults.RUN_TIME_LIMIT
    policy: Policy = Policy()
    concurrency: int | None = None
    priority: int = defaults.PRIORITY


COLUMNS = Kind.__struct_fields__
