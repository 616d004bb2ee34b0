"""Keeps the leases of all running attempts, from a thread and a connection that no handler can starve."""

import logging
import time
from collections.abc import Callable, Iterable

from tenure.core import defaults
from tenure.core import lease as leases
from tenure.core.lease import Beat, BeatAnswer
from tenure.engine.attempts.handler import Handler
from tenure.engine.attempts.run import Run, StopReason
from tenure.engine.claiming.desk import Desk
from tenure.engine.claiming.roster import Roster
from tenure.engine.options import WorkerOptions

log = logging.getLogger("tenure.engine")


def interval(options: WorkerOptions, handlers: Iterable[Handler]) -> float:
    """Seconds between heartbeats.

    Where a handler has a progress deadline, its notes must be in the database before the end grace after that
    deadline is over, or the sweep would end an attempt that does make progress.
    """
    if any(handler.progress_timeout is not None for handler in handlers):
        return min(options.heartbeat_interval, defaults.END_GRACE * defaults.HEARTBEAT_SHARE)
    return options.heartbeat_interval


class Heart:
    """`tick()` sends one heartbeat for everything that runs."""

    def __init__(self, desk: Desk, roster: Roster, end: Callable[[Run, StopReason], None], interval: float) -> None:
        self._desk = desk
        self._roster = roster
        self._end = end
        self._interval = interval

    def tick(self) -> float:
        """One beat; the seconds until the next."""
        runs = {run.lease.job_id: run for run in self._roster.runs()}
        if not runs:
            return self._interval
        sent = time.monotonic()
        beats = [_beat(run) for run in runs.values()]
        answers = self._desk.heartbeat(beats)
        for beat, answer in zip(beats, answers, strict=True):
            self._take(runs[answer.job_id], beat, answer, sent)
        return max(0.0, self._interval - (time.monotonic() - sent))

    def _take(self, run: Run, beat: Beat, answer: BeatAnswer, sent: float) -> None:
        if answer.held and answer.expires_at is None:
            run.noted = sent  # skipped: the lock keeps the lease, notes or not
        elif answer.held and beat.progress is not None:
            run.progress_sent, run.noted = beat.progress, sent
        if answer.held:
            run.safe_until = sent + leases.safe_seconds(run.lease.lease_seconds)
            if answer.cancel_requested:
                self._end(run, StopReason.CANCELLED)
        elif self._roster.holds(run):
            self._end(run, StopReason.LEASE_LOST)


def _beat(run: Run) -> Beat:
    """The note travels until it has arrived; after that only when it is news."""
    note = run.progress
    return Beat(run.lease.job_id, run.lease.token, None if note is run.progress_sent else note)
