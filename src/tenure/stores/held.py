"""What a store answers of rows that it has inserted, or holds."""

from datetime import datetime

import msgspec

from tenure.core.job import Job


class Inserted(msgspec.Struct, frozen=True):
    """Which of the new jobs are rows now: `created` maps their id to their seq. The others met a known key or id."""

    now: datetime
    created: dict[str, int]


class Locked(msgspec.Struct, frozen=True):
    """Rows held for the rest of the transaction, and the store's instant."""

    now: datetime
    jobs: dict[str, Job]
