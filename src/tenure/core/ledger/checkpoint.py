"""A checkpoint: a named value that a job's attempts hand on to each other, saved under the lease."""

from datetime import datetime
from typing import Final

import msgspec


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `tenure_checkpoints`. Its identity is (job_id, name). value: JSON text. attempt: whose."""

    job_id: str
    name: str
    value: str
    attempt: int
    fencing_token: int
    saved_at: datetime


COLUMNS: Final[tuple[str, ...]] = Checkpoint.__struct_fields__
"""The columns of `tenure_checkpoints`, in the order in which every store reads them."""
