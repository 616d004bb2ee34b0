"""Runs attempts: on the event loop, in threads, in child processes. The same steps everywhere:

1. open     the attempt may report its end once; whoever reports first closes it
2. begin    from here on the handler may have had effects
3. call     the handler, to its return or exception
4. judge    what that means
5. report   into the outbox, and wake the dispatcher when a flush is due

An attempt whose time is over is reported at that instant, while its handler may still sit in a thread: then its
slot is leaked until the handler comes back, and what it says then is a late report.
"""

import asyncio
import logging
import sys
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Final

from tenure.core.attempt import ErrorClass
from tenure.core.reports import Completion, Failure, Release, Report
from tenure.engine import barrier
from tenure.engine.attempts import verdict
from tenure.engine.attempts.children import Children
from tenure.engine.attempts.handler import Handler
from tenure.engine.attempts.run import Run, StopReason
from tenure.engine.attempts.threads import Threads
from tenure.engine.claiming.roster import Outbox, Roster
from tenure.engine.storms import Storms

log = logging.getLogger("tenure.engine")

_TOLD_ONLY: Final = frozenset({StopReason.CANCELLED, StopReason.SHUTDOWN})
"""Reasons after which the handler itself still says how its attempt ended."""


class Runner:
    """`start` is called by the dispatcher, `end` by the watch, the rest happens where the handlers run."""

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        roster: Roster,
        outbox: Outbox,
        loop: asyncio.AbstractEventLoop,
        reported: Callable[[], None],
    ) -> None:
        self._handlers = handlers
        self._roster = roster
        self._outbox = outbox
        self._loop = loop
        self._reported = reported
        self._open: dict[str, Run] = {}
        self._closing = threading.Lock()
        self._threads = Threads(roster.slots)
        self._children = Children()
        self._storms = Storms()

    def start(self, runs: Sequence[Run]) -> None:
        """Starts fresh attempts; all of them hold their slots from here on."""
        on_loop: list[tuple[Run, Handler]] = []
        self._roster.add(runs)
        self._open.update((run.lease.token, run) for run in runs)
        for run in runs:
            handler = self._handlers[run.lease.kind]
            run.keep_secret(handler.secret, handler.secret_defaults)
            if handler.isolation == "loop":
                on_loop.append((run, handler))
            elif handler.isolation == "thread":
                self._threads.submit(partial(self._in_thread, run, handler))
            else:
                self._threads.submit(partial(self._in_child, run, handler))
        if on_loop:
            self._loop.call_soon_threadsafe(self._start_on_loop, on_loop)

    def end(self, run: Run, reason: StopReason) -> None:
        """Ends an attempt for a reason of this process. Called by whoever watches, from any thread.

        An attempt whose time is over is closed before its handler hears of it, so that this reason goes on record
        and not what the handler makes of it.
        """
        if run.lease.token not in self._open:
            return
        handler = self._handlers[run.lease.kind]
        if reason not in _TOLD_ONLY:
            self._close_early(run, handler, reason)
        if not run.stop(reason):
            return
        if reason is StopReason.CANCELLED:
            self._children.ask_to_stop(run)
            return
        lease = run.lease
        log.warning("job %s (%s) attempt %d is stopped: %s", lease.job_id, lease.kind, lease.attempt, reason.value)
        if handler.isolation == "loop":
            self._loop.call_soon_threadsafe(self._cancel_task, run)
        elif handler.isolation == "process":
            self._children.kill(run)

    def unfinished(self) -> list[Run]:
        """Those whose handler has not come back."""
        return list(self._open.values())

    def release_rest(self) -> int:
        """The last act of a shutdown: what still runs is given back, guarded by its token; how many."""
        left = [run for run in self.unfinished() if self._close(run)]
        for run in left:
            lease = run.lease
            self._outbox.put(run, Release(job_id=lease.job_id, token=lease.token, begun=run.begun))
        return len(left)

    def close(self) -> None:
        self._threads.close()
        self._children.close()

    # On the event loop

    def _start_on_loop(self, batch: Sequence[tuple[Run, Handler]]) -> None:
        for run, handler in batch:
            run.task = _begun(self._on_loop(run, handler), self._loop)

    async def _on_loop(self, run: Run, handler: Handler) -> None:
        if not self._begin(run):
            return
        try:
            barrier.reach("before_handler")
            result = await handler.call(run)  # type: ignore[misc]
        except BaseException as error:  # noqa: BLE001 (an exit or interrupt raised by a handler ends its attempt only)
            self._finish(run, self._judge(run, handler, error), error)
        else:
            barrier.reach("after_handler")
            self._finish(run, _completion(run, result))

    def _cancel_task(self, run: Run) -> None:
        if run.task is not None:
            run.task.cancel()

    # In threads and children

    def _in_thread(self, run: Run, handler: Handler) -> None:
        self._to_the_end(run, handler, lambda: handler.call(run))

    def _in_child(self, run: Run, handler: Handler) -> None:
        self._to_the_end(run, handler, lambda: self._children.call(run, handler))

    def _to_the_end(self, run: Run, handler: Handler, call: Callable[[], object]) -> None:
        if not self._begin(run):
            return
        try:
            barrier.reach("before_handler")
            result = call()
        except BaseException as error:  # noqa: BLE001 (an exit or interrupt raised by a handler ends its attempt only)
            self._finish(run, self._judge(run, handler, error), error)
        else:
            barrier.reach("after_handler")
            self._finish(run, result if isinstance(result, Failure) else _completion(run, result))

    def _begin(self, run: Run) -> bool:
        """From here on the handler may have had effects; False when the attempt was ended before it began."""
        with self._closing:
            run.begun = run.lease.token in self._open
            return run.begun

    # Ends

    def _judge(self, run: Run, handler: Handler, error: BaseException) -> Report:
        lease = run.lease
        if run.stop_reason is StopReason.SHUTDOWN and isinstance(error, asyncio.CancelledError):
            return Release(job_id=lease.job_id, token=lease.token, begun=True, progress=run.progress)
        return verdict.of_error(run, error, handler.classify)

    def _finish(self, run: Run, said: Report, error: BaseException | None = None) -> None:
        """The handler has come back. Too late, it still says so to history, unless it was cancelled only."""
        with self._closing:
            is_first = self._close(run)
        if is_first:
            claims_it = run.completed_elsewhere and isinstance(said, Completion)
            if isinstance(said, Failure):
                _tell(run, said)
            self._end(run, verdict.of_rollback(run) if claims_it else said)
            return
        if self._roster.unleak(run) and self._handlers[run.lease.kind].isolation != "loop":
            self._threads.find_one()
        if not isinstance(error, asyncio.CancelledError):
            self._report(run, said)

    def _close_early(self, run: Run, handler: Handler, reason: StopReason) -> None:
        """Reports (or, when the lease is lost, drops) an attempt whose handler has not come back yet."""
        with self._closing:
            if not self._close(run):
                return
            if run.begun:
                self._roster.leak(run)
                if handler.isolation != "loop":
                    self._threads.lose_one()
        if reason is StopReason.LEASE_LOST:
            self._roster.remove(run)
        else:
            self._end(run, verdict.of_stop(run, reason))

    def _close(self, run: Run) -> bool:
        """Takes the right to report this attempt's end; True for exactly one caller."""
        return self._open.pop(run.lease.token, None) is not None

    def _end(self, run: Run, said: Report) -> None:
        self._report(run, self._storms.judged(run, self._handlers[run.lease.kind], said))

    def _report(self, run: Run, said: Report) -> None:
        self._outbox.put(run, said)
        self._reported()


def _begun(steps: Coroutine[object, object, None], loop: asyncio.AbstractEventLoop) -> "asyncio.Task[None]":
    """Called on the loop. Where Python can, the first step is taken at once: a handler that never waits costs no
    round."""
    if sys.version_info >= (3, 12):
        return asyncio.Task(steps, loop=loop, eager_start=True)
    return loop.create_task(steps)


def _tell(run: Run, said: Failure) -> None:
    """Logs an attempt that failed, with its traceback where nobody foresaw the error."""
    if run.stop_reason is StopReason.CANCELLED or said.error_class is ErrorClass.CANCEL:
        return
    level = logging.INFO if said.error_class is ErrorClass.THROTTLED else logging.WARNING
    trace = said.traceback if said.error_class is ErrorClass.UNKNOWN else None
    more = f":\n{trace.rstrip()}" if trace else f": {said.error}" if said.error else ""
    lease = run.lease
    log.log(level, "job %s (%s) attempt %d failed: %s%s", lease.job_id, lease.kind, lease.attempt, said.code, more)


def _completion(run: Run, result: object) -> Report:
    lease = run.lease
    if result is None or type(result) is str:
        return Completion(lease.job_id, lease.token, result, run.progress)
    return verdict.of_no_text(run, result)
