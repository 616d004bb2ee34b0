"""What a worker does at its end with attempts that still run, and with leases that it cannot answer for."""

import logging
import threading
from typing import Final

from tenure.core.errors import StoreUnavailable
from tenure.engine import barrier, exit_codes
from tenure.engine.attempts.run import StopReason
from tenure.engine.attempts.runner import Runner
from tenure.engine.claiming.dispatcher import Dispatcher
from tenure.engine.claiming.dispatching import Dispatching
from tenure.engine.claiming.roster import Roster
from tenure.stores.protocol import Listener

log = logging.getLogger("tenure.engine")

CANCEL_GRACE: Final = 1.0
RELEASE_GRACE: Final = 2.0


class Leaving:
    """Made when the worker begins to drain; `exit_code` tells how it went."""

    def __init__(self, roster: Roster, runner: Runner, dispatcher: Dispatcher, dispatching: Dispatching) -> None:
        self._roster, self._runner = roster, runner
        self._dispatcher, self._dispatching = dispatcher, dispatching
        self._refused = dispatcher.refused
        self._interrupted = 0
        self._errors = 0
        self._is_unsettled = False
        self._is_written = False

    def end_rest(self) -> None:
        """Ends what the grace period has not."""
        left = self._runner.unfinished()
        if not left:
            return
        for run in left:
            self._runner.end(run, StopReason.SHUTDOWN)
        self._roster.wait_empty(CANCEL_GRACE)
        barrier.reach("before_release")
        released = self._runner.release_rest()
        log.warning("grace is over: %d interrupted, %d of them still in their handler", len(left), released)
        self._dispatching.wake()
        self._interrupted = len(left)

    def give_back_unsettled(self) -> None:
        """The leases of claims that were not answered. In a thread of its own, since the database may not answer."""
        self._is_unsettled = True
        giving = threading.Thread(target=self._release_unsettled, name="tenure-release", daemon=True)
        giving.start()
        giving.join(RELEASE_GRACE)

    def wait_written(self) -> None:
        """Until every end is in the database, or the time for that is over."""
        self._is_written = self._roster.wait_empty(RELEASE_GRACE)
        self._errors += self._dispatcher.refused - self._refused

    def close(self, listener: Listener) -> None:
        """When nobody waits for it any more. One that cannot be closed keeps no process from leaving."""
        try:
            listener.close()
        except Exception:
            self._errors += 1
            log.exception("what waits for jobs could not be closed")

    def exit_code(self, *, recycles: bool) -> int:
        """Once the loops have stopped."""
        if not self._is_written:
            ids = ", ".join(run.lease.job_id for run in self._roster.runs())
            log.error("left without an answer from the database; these leases end by themselves: %s", ids)
            return exit_codes.STORE_LOST
        if self._is_unsettled:
            return exit_codes.STORE_LOST
        if self._errors + self._dispatching.drain_errors:
            return exit_codes.SHUTDOWN_ERROR
        if self._interrupted:
            return exit_codes.GRACE_OVER
        return exit_codes.RECYCLE if recycles else exit_codes.OK

    def _release_unsettled(self) -> None:
        try:
            self._dispatcher.release_unsettled()
            self._is_unsettled = False
        except StoreUnavailable as error:
            log.error("the leases of an unanswered claim, if it has any, end by themselves: %s", error)
        except Exception:
            self._is_unsettled = False
            self._errors += 1
            log.exception("the leases of an unanswered claim could not be given back; they end by themselves")
