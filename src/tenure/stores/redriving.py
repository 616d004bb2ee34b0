"""What every store can be asked about dead letters and redrives of selections. The rules are in
`core.redriving.redrive`."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

import msgspec

from tenure.core.job_filter import JobFilter
from tenure.core.redriving.dead_letter import DeadLetter, LastError
from tenure.core.redriving.redrive import Frozen, FrozenState, Lane, Redrive
from tenure.core.states import State
from tenure.core.switch import Switch
from tenure.stores.script import Script

Cursor = tuple[datetime, str]
"""When the last dead letter of the page before had failed, and its id."""


class HeldRedrive(msgspec.Struct, frozen=True):
    """A redrive's row, held for the rest of the transaction, or None; and the store's instant."""

    now: datetime
    redrive: Redrive | None


class End(msgspec.Struct, frozen=True):
    """A row that was sent, whose job has ended (state, end_code and ended_at are the job's) or is gone (None)."""

    row: Frozen
    state: State | None
    code: str | None
    ended_at: datetime | None


class RedriveVerbs(Protocol):
    """Part of `stores.protocol.Verbs`."""

    def dead_letters(self, which: JobFilter, before: Cursor | None, limit: int) -> Script[list[DeadLetter]]:
        """Newest first, by the instant of the failure and the id; `states` of the filter narrows nothing. What it
        reads grows with the jobs that have failed, never with those that succeeded."""

    def dead_letters_after(self, which: JobFilter, after: Cursor | None, limit: int) -> Script[list[DeadLetter]]:
        """As `dead_letters`, the oldest first."""

    def last_errors(self, job_ids: Collection[str]) -> Script[dict[str, LastError]]:
        """By job id, of those that are there; nothing else of their rows is read."""

    def add_redrive(self, redrive: Redrive) -> Script[bool]:
        """Whether it is a row now: False where one has its id."""

    def freeze(self, rows: Sequence[Frozen]) -> Script[None]:
        """Writes new rows of one redrive."""

    def read_redrive(self, redrive_id: str) -> Script[Redrive | None]:
        """None where there is none of this id."""

    def redrives(self, before: str | None, limit: int) -> Script[list[Redrive]]:
        """Newest first, by id; `before` is the id of the last one of the page before."""

    def open_redrives(self) -> Script[list[str]]:
        """Ids of those that freeze or run, and of any with jobs out without an outcome; the oldest first."""

    def hold_redrive(self, redrive_id: str) -> Script[HeldRedrive]:
        """Waits for whoever holds the row."""

    def write_redrive(self, before: Redrive, after: Redrive) -> Script[bool]:
        """G9: where the row still has `before`'s revision; whether it did so."""

    def waiting_in_redrive(
        self, redrive_id: str, *, canary_only: bool, closed: Collection[Lane], limit: int
    ) -> Script[list[Frozen]]:
        """Rows that wait for their turn, in its order: the canary first, then by place. Left out are those of the
        lanes in `closed`, and of paused queues, kinds, tenants and resources."""

    def ended_in_redrive(self, redrive_id: str, limit: int) -> Script[list[End]]:
        """Rows that were sent, whose job has ended or is gone; by place."""

    def outcomes_of_redrive(self, redrive_id: str, since: datetime, limit: int) -> Script[list[Frozen]]:
        """Rows that succeeded or failed again at or after `since`, newest first."""

    def sent_in_redrive(self, redrive_id: str, after: datetime) -> Script[Mapping[Lane, int]]:
        """How many jobs of each tenant and kind were sent after that instant."""

    def write_frozen(self, rows: Sequence[Frozen]) -> Script[None]:
        """Writes the rows as they are now; the caller holds their redrive."""

    def leave_waiting(self, redrive_id: str, reason: str, at: datetime) -> Script[None]:
        """Sets every row that waits to left; the caller holds the redrive."""

    def frozen_in_redrive(
        self, redrive_id: str, state: FrozenState | None, after: int, limit: int
    ) -> Script[list[Frozen]]:
        """Rows by place, past the place `after`; state: None is any."""

    def prune_redrives(self, period: timedelta, limit: int) -> Script[int]:
        """Deletes up to `limit` rows of redrives that ended so long ago, and a redrive with its last row; how many."""

    def read_switch(self, name: str) -> Script[Switch | None]:
        """None where it does not stand."""

    def put_switch(self, switch: Switch) -> Script[bool]:
        """Whether it stands now by this: False where it stood already."""

    def drop_switch(self, name: str) -> Script[bool]:
        """Whether it stood."""
