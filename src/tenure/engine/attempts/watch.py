"""Ends attempts whose time is over, by this process's own monotonic clock: at the run-time limit or deadline, at the
progress deadline, and before a lease ends that no heartbeat could renew."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import Final

from tenure.core import defaults
from tenure.core.lease import safe_seconds
from tenure.engine.attempts.handler import Handler
from tenure.engine.attempts.run import Run, StopReason
from tenure.engine.claiming.roster import Roster

log = logging.getLogger("tenure.engine")

LOOK_INTERVAL: Final = 0.1
BLOCKED_AFTER: Final = 1.0


class Watch:
    """`tick()` looks at every attempt once; and at the event loop, whether a handler blocks it."""

    def __init__(
        self,
        roster: Roster,
        handlers: Mapping[str, Handler],
        end: Callable[[Run, StopReason], None],
        loop: asyncio.AbstractEventLoop,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._roster = roster
        self._handlers = handlers
        self._end = end
        self._loop = loop
        self._clock = clock
        self._asked: float | None = None
        self._answered = True
        self._warned = False

    @property
    def blocked(self) -> float:
        """Seconds for which the event loop has not answered; 0 when it is well."""
        return 0.0 if self._answered or self._asked is None else self._clock() - self._asked

    def tick(self) -> float:
        """One look; the seconds until the next."""
        now = self._clock()
        runs = self._roster.runs()
        for run in runs:
            reason = self._why_end(run, now)
            if reason is not None:
                self._end(run, reason)
        if runs:
            self._look_at_loop(now)
        return LOOK_INTERVAL

    def _why_end(self, run: Run, now: float) -> StopReason | None:
        if now >= run.safe_until:
            return StopReason.LEASE_LOST
        if now >= run.must_end:
            return StopReason.TIMED_OUT
        limit = self._handlers[run.lease.kind].progress_timeout
        if limit is None:
            return None
        if run.begun and now - run.progressed >= limit:
            return StopReason.NO_PROGRESS
        # Without notes from here the store lets the lease end so long after its progress deadline.
        unheard = now - run.noted >= limit + safe_seconds(defaults.END_GRACE)
        return StopReason.LEASE_LOST if unheard else None

    def _look_at_loop(self, now: float) -> None:
        if self._answered:
            self._answered, self._asked, self._warned = False, now, False
            self._loop.call_soon_threadsafe(self._loop_answers)
        elif self.blocked > BLOCKED_AFTER and not self._warned:
            self._warned = True
            log.warning(
                "loop blocked %.1f s: an async handler does not yield; use `def`, a thread or isolation='process'",
                self.blocked,
            )

    def _loop_answers(self) -> None:
        if self._warned:
            log.warning("loop was blocked for %.1f s", self.blocked)
        self._answered = True
