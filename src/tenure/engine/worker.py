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
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Final

from tenure.core.attempt import Holder
from tenure.core.errors import Misconfigured
from tenure.core.hints import Woken
from tenure.engine import health
from tenure.engine.attempts import heartbeat
from tenure.engine.attempts.handler import Handler, by_kind, too_heavy
from tenure.engine.attempts.loop_thread import LoopThread
from tenure.engine.attempts.runner import Runner
from tenure.engine.attempts.watch import LOOK_INTERVAL, Watch
from tenure.engine.claiming.claimer import Claimer
from tenure.engine.claiming.desk import Desk, StoreDesk
from tenure.engine.claiming.dispatcher import FULL_WAIT, Dispatcher
from tenure.engine.claiming.dispatching import Dispatching
from tenure.engine.claiming.roster import Outbox, Roster
from tenure.engine.claiming.waking import Waking
from tenure.engine.health import Health, Pulses
from tenure.engine.leaving import Leaving
from tenure.engine.loop import Loop
from tenure.engine.memory import FreeMemory
from tenure.engine.options import WorkerOptions
from tenure.engine.pooling import Pooling
from tenure.engine.recycling import why_recycle
from tenure.engine.signals import Asked, handled
from tenure.engine.upkeep.upkeep import upkeep_of
from tenure.operations.check_keys import check_keys
from tenure.stores.protocol import Store

log = logging.getLogger("tenure.engine")

LOOK_AFTER: Final = 1.0


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
        """Claims that very job, if the store says that it can be claimed and a slot is free here; else nothing. What
        came of it. From any thread, in which the claim is made. Raises StoreError."""
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
            self._loops += upkeep_of(
                self._store, self._pulses, sweep=options.sweep, prune=options.prune, retention=options.retention
            )
        interval = max(options.poll, FULL_WAIT)
        self._dispatching = Dispatching(
            self._dispatcher, self._claimer, self._pulses, interval, has_help=desk.lanes > 1
        )
        self._waking = Waking(self._store, self._dispatcher, self._handlers, options.queues, self._look_again)

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
                "kind %s takes %d slots, and this worker has %d: it leaves its jobs to others; start one with "
                "`--slots %d`",
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
        leaving = Leaving(self._roster, self._runner, self._dispatcher, self._dispatching)
        self._dispatcher.stop_claiming()
        self._dispatching.wake()
        self._wait_out_grace()
        leaving.end_rest()
        leaving.give_back_unsettled()
        leaving.wait_written()
        self._state = "left"
        self._stop_loops()
        leaving.close(self._listener)
        return leaving.exit_code(recycles=self._recycle is not None)

    def _wait_out_grace(self) -> None:
        deadline = time.monotonic() + self.options.shutdown_grace
        while not self._hasten.is_set() and time.monotonic() < deadline:
            self._tell_health()
            wait = min(LOOK_AFTER, max(0.0, deadline - time.monotonic()))
            if self._dispatcher.wait_round(wait) and self._roster.wait_empty(wait):
                return

    def _stop_loops(self) -> None:
        for loop in self._loops:
            loop.stop()
        self._runner.close()
        self._thread.stop(0.5)
        self._dispatching.stop(0.5)
        for loop in self._loops:
            loop.join(0.1)
