"""A worker process: its loops, its start, and how it leaves.

Leaving, in this order, each step bounded so that the process is gone by its deadline whatever lets go late:

1. claim nothing more
2. give what runs the grace period, with heartbeats
3. end what still runs: async handlers are cancelled, children killed
4. give back what has not ended, guarded by its token (the last act for handlers in threads)
5. stop the loops
"""

import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Final

from tenure.core.attempt import Holder
from tenure.core.errors import Misconfigured, StoreUnavailable
from tenure.core.hints import Woken
from tenure.engine import barrier, exit_codes, health, heartbeat
from tenure.engine.claimer import Claimer
from tenure.engine.desk import Desk, StoreDesk
from tenure.engine.dispatcher import FULL_WAIT, Dispatcher
from tenure.engine.dispatching import Dispatching
from tenure.engine.handler import Handler, by_kind, too_heavy
from tenure.engine.health import Health, Pulses
from tenure.engine.loop import Loop
from tenure.engine.loop_thread import LoopThread
from tenure.engine.memory import FreeMemory
from tenure.engine.options import WorkerOptions
from tenure.engine.pooling import Pooling
from tenure.engine.promoter import LONGEST_WAIT, Promoter
from tenure.engine.pruner import Pruner
from tenure.engine.reaper import Reaper
from tenure.engine.recycling import why_recycle
from tenure.engine.redriver import LONGEST_WAIT as REDRIVE_WAIT
from tenure.engine.redriver import Redriver
from tenure.engine.roster import Outbox, Roster
from tenure.engine.run import StopReason
from tenure.engine.runner import Runner
from tenure.engine.scheduler import LONGEST_WAIT as SCHEDULE_WAIT
from tenure.engine.scheduler import Scheduler
from tenure.engine.signals import Asked, handled
from tenure.engine.waking import Waking
from tenure.engine.watch import LOOK_INTERVAL, Watch
from tenure.operations.check_keys import check_keys
from tenure.stores.protocol import Store

log = logging.getLogger("tenure.engine")

LOOK_AFTER: Final = 1.0
CANCEL_GRACE: Final = 1.0
RELEASE_GRACE: Final = 2.0


class Worker:
    """`run()` works until it is told to stop, and returns the exit code (`engine.exit_codes`).

    Its identity is fresh for each start: never a host name or process id alone.
    """

    def __init__(
        self,
        store: Store | None,
        handlers: Sequence[Handler],
        options: WorkerOptions | None = None,
        desk: Desk | None = None,
    ) -> None:
        """desk: in the place of a store, whoever keeps the jobs elsewhere."""
        if desk is None:
            if store is None:
                raise Misconfigured("a worker needs a store or a desk")
            desk = StoreDesk(store)
        self.options = options or WorkerOptions()
        self.identity = f"{self.options.name}-{uuid.uuid4().hex}"
        self._store = store
        self._desk = desk
        self._handlers = by_kind(handlers)
        self._pooling = Pooling(store, self._handlers.values(), self.options)
        self._stop = Asked()
        self._hasten = Asked()
        self._started = time.monotonic()
        self._state = "starting"
        self._recycle: str | None = None
        self._shutdown_errors = 0
        self._unsettled = False
        self._roster = Roster(self.options.slots)
        self._outbox = Outbox()
        self._pulses = Pulses()

    def stop(self) -> None:
        """Asks the worker to drain and leave. From any thread."""
        self._stop.set()

    def run(self, on_ready: Callable[[], None] = lambda: None) -> int:
        """Blocks until the worker has left. Raises what `store.open` raises, and Misconfigured."""
        self._check_keys()
        self._pooling.fit()
        self._build()
        with handled(self._stop.set, self._hasten.set):
            self._start()
            on_ready()
            self._look_after()
            return self._leave()

    def wake(self, job_id: str) -> Woken:
        """Claims that very job, if the store says that it can be claimed and a slot is free here; else nothing. What came of
        it. From any thread, in which the claim is made. Raises StoreError."""
        return self._waking.wake(job_id) if self._state == "running" else Woken.NO_WORKER

    def health(self) -> Health:
        """How it is now."""
        troubles = self._pulses.troubles() | self._claimer.troubles() | self._pooling.troubles()
        waiting = self._pooling.waiting()
        return Health(
            well=self._state in ("running", "draining") and not troubles,
            state=self._state,
            running=len(self._roster),
            slots=self.options.slots,
            leaked=self._roster.leaked,
            done=self._dispatcher.done,
            blocked_loop=round(self._watch.blocked, 3),
            ages=self._pulses.ages(),
            troubles=troubles,
            waiting=waiting.callers,
            waited=round(waiting.seconds, 3),
        )

    # Starting

    def _build(self) -> None:
        options, desk = self.options, self._desk
        abilities = [ability for handler in self._handlers.values() for ability in handler.abilities()]
        holder = Holder(socket.gethostname(), os.getpid(), options.code_version)
        self._claimer = Claimer(self.identity, holder, abilities, options)
        self._thread = LoopThread()
        self._runner = Runner(self._handlers, self._roster, self._outbox, self._thread.loop, self._reported)
        self._dispatcher = Dispatcher(
            desk, self._claimer, self._roster, self._outbox, self._runner.start, options.gather
        )
        self._watch = Watch(self._roster, self._handlers, self._runner.end, self._thread.loop)
        beat = heartbeat.interval(options, self._handlers.values())
        heart = heartbeat.Heart(desk, self._roster, self._runner.end, beat)
        self._loops = [
            Loop("heartbeat", heart.tick, self._pulses, beat),
            Loop("watch", self._watch.tick, self._pulses, LOOK_INTERVAL + 1.0),
        ]
        if self._store is not None:
            self._loops += self._upkeep(self._store)
        interval = max(options.poll, FULL_WAIT)
        self._dispatching = Dispatching(
            self._dispatcher, self._claimer, self._pulses, interval, has_help=desk.lanes > 1
        )
        self._waking = Waking(self._store, self._dispatcher, self._handlers, options.queues, self._look_again)

    def _upkeep(self, store: Store) -> list[Loop]:
        options = self.options
        return [
            Loop("promote", Promoter(store).tick, self._pulses, LONGEST_WAIT + 1.0),
            Loop("sweep", Reaper(store, options.sweep).tick, self._pulses, options.sweep * 1.2),
            Loop("redrive", Redriver(store).tick, self._pulses, REDRIVE_WAIT + 1.0),
            Loop("schedule", Scheduler(store).tick, self._pulses, SCHEDULE_WAIT + 1.0),
            Loop("prune", Pruner(store, options.retention, options.prune).tick, self._pulses, options.prune * 2),
        ]

    def _check_keys(self) -> None:
        """Raises Misconfigured where jobs wait that this process cannot open. A service has keys of its own."""
        if self._store is not None:
            store = self._store
            store.run(check_keys(store.verbs, store.keyring, self.options.queues, self._handlers))

    def _start(self) -> None:
        self._listener = self._desk.listen(self.options.queues)
        self._thread.start()
        for loop in self._loops:
            loop.start()
        self._dispatching.start(self._listener)
        self._state = "running"
        log.info(
            "worker %s: %d slots, queues %s, kinds %s",
            self.identity,
            self.options.slots,
            ", ".join(self.options.queues),
            ", ".join(sorted(self._handlers)),
        )
        for handler in too_heavy(self._handlers.values(), self.options.slots):
            log.warning(
                "kind %s takes %d slots, and this worker has %d: it leaves its jobs to others; start one with `--slots %d`",
                handler.kind,
                handler.slots,
                self.options.slots,
                handler.slots,
            )
        self._pooling.tell()

    # Running

    def _look_after(self) -> None:
        free = FreeMemory()
        while not self._stop.wait(LOOK_AFTER):
            self._tell_health()
            self._pooling.look()
            free.give_back(time.monotonic())
            self._recycle = why_recycle(
                self.options,
                done=self._dispatcher.done,
                age=time.monotonic() - self._started,
                leaked=self._roster.stuck(LOOK_AFTER),
            )
            if self._recycle is not None:
                log.warning("recycling: %s", self._recycle)
                return

    def _tell_health(self) -> None:
        if self.options.health_file is None:
            return
        try:
            health.write(self.options.health_file, self.health())
        except OSError as error:
            log.warning("the health file cannot be written: %s", error)

    def _look_again(self) -> None:
        self._claimer.hint()
        self._dispatching.wake()

    def _reported(self) -> None:
        self._dispatching.reported()

    # Leaving

    def _leave(self) -> int:
        self._state = "draining"
        log.info("draining: %d running, %.0f s of grace", len(self._roster), self.options.shutdown_grace)
        refused = self._dispatcher.refused
        self._dispatcher.stop_claiming()
        self._dispatching.wake()
        self._wait_out_grace()
        interrupted = self._end_rest()
        self._give_back_unsettled()
        written = self._roster.wait_empty(RELEASE_GRACE)
        self._shutdown_errors += self._dispatcher.refused - refused
        self._state = "left"
        self._stop_loops()
        return self._exit_code(interrupted, written=written)

    def _wait_out_grace(self) -> None:
        deadline = time.monotonic() + self.options.shutdown_grace
        while not self._hasten.is_set() and time.monotonic() < deadline:
            self._tell_health()
            wait = min(LOOK_AFTER, max(0.0, deadline - time.monotonic()))
            if self._dispatcher.wait_round(wait) and self._roster.wait_empty(wait):
                return

    def _end_rest(self) -> int:
        """Steps 3 and 4; how many attempts were interrupted."""
        left = self._runner.unfinished()
        if not left:
            return 0
        for run in left:
            self._runner.end(run, StopReason.SHUTDOWN)
        self._roster.wait_empty(CANCEL_GRACE)
        barrier.reach("before_release")
        released = self._runner.release_rest()
        log.warning("grace is over: %d interrupted, %d of them still in their handler", len(left), released)
        self._dispatching.wake()
        return len(left)

    def _give_back_unsettled(self) -> None:
        """In a thread of its own, since the database may not answer."""
        self._unsettled = True
        giving = threading.Thread(target=self._release_unsettled, name="tenure-release", daemon=True)
        giving.start()
        giving.join(RELEASE_GRACE)

    def _release_unsettled(self) -> None:
        try:
            self._dispatcher.release_unsettled()
            self._unsettled = False
        except StoreUnavailable as error:
            log.error("the leases of an unanswered claim, if it has any, end by themselves: %s", error)
        except Exception:
            self._unsettled = False
            self._shutdown_errors += 1
            log.exception("the leases of an unanswered claim could not be given back; they end by themselves")

    def _stop_loops(self) -> None:
        for loop in self._loops:
            loop.stop()
        self._runner.close()
        self._thread.stop(0.5)
        self._dispatching.stop(0.5)
        for loop in self._loops:
            loop.join(0.1)
        self._listener.close()

    def _exit_code(self, interrupted: int, *, written: bool) -> int:
        if not written:
            ids = ", ".join(run.lease.job_id for run in self._roster.runs())
            log.error("left without an answer from the database; these leases end by themselves: %s", ids)
            return exit_codes.STORE_LOST
        if self._unsettled:
            return exit_codes.STORE_LOST
        if self._shutdown_errors + self._dispatching.drain_errors:
            return exit_codes.SHUTDOWN_ERROR
        if interrupted:
            return exit_codes.GRACE_OVER
        return exit_codes.OK if self._recycle is None else exit_codes.RECYCLE
