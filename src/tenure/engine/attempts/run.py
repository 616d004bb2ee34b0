"""One attempt as the process that executes it sees it: its lease, what was asked of it, and what it said."""

import threading
import time
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from tenure.core import lease as leases
from tenure.core.errors import LeaseLost
from tenure.core.lease import Lease
from tenure.core.reports import Report
from tenure.core.secrecy.secret_fields import Hiding, SecretFields
from tenure.core.secrecy.secret_values import SecretValues

if TYPE_CHECKING:
    import asyncio


R = TypeVar("R", bound=Report)


class StopReason(StrEnum):
    """Why the process itself ends an attempt before its handler has returned."""

    TIMED_OUT = "timed_out"
    NO_PROGRESS = "no_progress"
    CANCELLED = "cancelled"
    LEASE_LOST = "lease_lost"
    SHUTDOWN = "shutdown"


_GRAVITY = {
    StopReason.CANCELLED: 1,
    StopReason.NO_PROGRESS: 2,
    StopReason.TIMED_OUT: 2,
    StopReason.SHUTDOWN: 3,
    StopReason.LEASE_LOST: 4,
}


class Run:
    """A running attempt. Safe to read from any thread.

    `safe_until` is on this process's monotonic clock: the moment of *sending* the claim or the last heartbeat that
    was answered, plus the lease, less its margin. Past it the process no longer believes in its lease. `noted`, on the
    same clock, is the moment of sending the newest progress note that has arrived. `task` runs it, where that is the
    event loop.
    """

    __slots__ = (
        "_asked",
        "_hides",
        "_resolved",
        "_resolved_values",
        "begun",
        "completed_elsewhere",
        "lease",
        "must_end",
        "noted",
        "on_progress",
        "progress",
        "progress_sent",
        "progressed",
        "safe_until",
        "started",
        "stop_reason",
        "task",
    )  # fmt: skip

    def __init__(self, lease: Lease, sent: float) -> None:
        """sent: this process's monotonic clock just before the claim was sent."""
        self.lease = lease
        self.started = sent
        self.safe_until = sent + leases.safe_seconds(lease.lease_seconds)
        self.must_end = sent + (lease.must_end_at - lease.started_at).total_seconds()
        self.begun = False
        self.progress: str | None = None
        self.progress_sent: str | None = None
        self.progressed = self.noted = sent
        self.stop_reason: StopReason | None = None
        self.completed_elsewhere = False
        self.on_progress: Callable[[str], None] | None = None
        self.task: asyncio.Task[None] | None = None
        self._asked: threading.Event | None = None
        self._resolved: tuple[str, ...] = ()
        self._resolved_values: SecretValues | None = None
        self._hides: Hiding | None = None

    @property
    def cancel_requested(self) -> bool:
        """Whether somebody asked the job to stop, or the process is ending the attempt for another reason."""
        return self.stop_reason is not None

    @property
    def lost(self) -> bool:
        """Whether the attempt no longer owns its job, as far as this process knows."""
        return self.stop_reason is StopReason.LEASE_LOST or time.monotonic() >= self.safe_until

    def note_progress(self, text: str) -> None:
        """Keeps the newest note (JSON text) for the next heartbeat."""
        self.progress = text if self._hides is None else self._hides.note(text)
        self.progressed = time.monotonic()
        if self.on_progress is not None:
            self.on_progress(self.progress)

    def keep_secret(self, fields: SecretFields, defaults: Iterable[Any] = ()) -> None:
        """Takes the values of these fields of the payload out of every text about this attempt from here on. defaults:
        of fields that the payload leaves out, plain JSON values."""
        self._hides = Hiding(self.lease.payload, fields, defaults) if fields else None

    @property
    def has_secrets(self) -> bool:
        """Whether `without_secrets` has anything to take out."""
        return self._hides is not None or bool(self._resolved)

    def hide(self, secret: str) -> None:
        """Takes a secret out of every text about this attempt from here on, by the rule of
        `core.secrecy.secret_values`."""
        if secret not in self._resolved:
            self._resolved, self._resolved_values = (*self._resolved, secret), None

    def without_secrets(self, text: str, *, keeps_end: bool = False, is_cut: bool = False) -> str:
        """keeps_end: of a very long text the end is kept, not the beginning. is_cut: it was cut before, where it is not
        kept, perhaps inside of a secret."""
        if self._resolved:
            self._resolved_values = found = self._resolved_values or SecretValues(self._resolved)
            text = found.hidden(text, keeps_end=keeps_end, is_cut=is_cut)
        return text if self._hides is None else self._hides.text(text, keeps_end=keeps_end, is_cut=is_cut)

    def stored(self, said: R) -> R:
        """A report as it may be stored."""
        return said if self._hides is None else self._hides.report(said)

    def stop(self, reason: StopReason) -> bool:
        """Asks the attempt to end. A graver reason replaces a lesser one. Whether it is news."""
        if self.stop_reason is not None and _GRAVITY[reason] <= _GRAVITY[self.stop_reason]:
            return False
        self.stop_reason = reason
        if self._asked is not None:
            self._asked.set()
        return True

    def wait_stop(self, seconds: float) -> bool:
        """Sleeps until the attempt is asked to stop (True) or the time is over. For handlers in threads."""
        if self._asked is None:
            self._asked = threading.Event()
            if self.stop_reason is not None:
                self._asked.set()
        return self._asked.wait(seconds)

    def check_owner(self) -> None:
        """Raises LeaseLost when the attempt no longer owns its job."""
        if self.lost:
            raise LeaseLost(f"attempt {self.lease.attempt} of job {self.lease.job_id} lost its lease")
