"""The loop between the database and the handlers: what has ended goes in, what is next comes out.

One round, in this order:

1. gather   let the first report wait a moment for company, then take all that wait to be written
2. flush    write them; completions travel with the next claim where slots come free
3. settle   free the slots, and note what was stale
4. claim    if slots are free and work may be there
5. start    hand the fresh leases to the runner
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Final

from tenure.core.errors import StoreBusy
from tenure.core.lease import Claimed, ClaimRequest
from tenure.core.reports import Answer, Completion, Release, Report, Standing
from tenure.core.states import State
from tenure.engine import barrier, verdict
from tenure.engine.claimer import Claimer
from tenure.engine.held import LOOK_AGAIN, Held, Item
from tenure.engine.one_by_one import PASSING
from tenure.engine.roster import Outbox, Roster
from tenure.engine.run import Run
from tenure.operations.claim import claim
from tenure.operations.report import complete_and_claim, report
from tenure.stores.protocol import Store

log = logging.getLogger("tenure.engine")

FULL_WAIT: Final = 1.0
"""Seconds between rounds while no slot is free; a finished attempt ends the wait at once."""


class Dispatcher:
    """`tick()` does one round; the waits for company (`gathering`) and for hints lie between rounds."""

    def __init__(
        self,
        store: Store,
        claimer: Claimer,
        roster: Roster,
        outbox: Outbox,
        start: Callable[[Sequence[Run]], None],
        gather: float,
    ) -> None:
        self._store = store
        self._claimer = claimer
        self._roster = roster
        self._outbox = outbox
        self._start = start
        self._gather = gather
        self._first_at: float | None = None
        self._unwritten: dict[int, Item] = {}
        self._held = Held(store)
        self._rounds = threading.Lock()
        self.claiming = True
        self.done = 0
        self.refused = 0

    def gathering(self) -> float:
        """Seconds for which the reports that wait shall still wait for company; 0 when a round is due."""
        waiting = len(self._outbox)
        if waiting == 0 or self._is_enough(waiting):
            return 0.0
        now = time.monotonic()
        if self._first_at is None:
            self._first_at = now
        return max(0.0, self._first_at + self._gather - now)

    def tick(self) -> float:
        """One round. The seconds to wait until the next, unless something wakes the dispatcher first."""
        with self._rounds:
            items = self._outbox.take()
            self._first_at = None
            self._unwritten = {id(said): (run, said) for run, said in items}
            try:
                fresh = self._round([*items, *self._freed()])
            except BaseException:
                self._put_back()
                raise
            if fresh:
                barrier.reach("after_claim")
                self._begin(fresh)
        return self._wait()

    def has_due(self) -> bool:
        """Whether reports wait that are worth a wake-up: the first one, so that its gathering time starts, or
        enough for a flush."""
        waiting = len(self._outbox)
        return waiting > 0 and (self._first_at is None or self._is_enough(waiting))

    def stop_claiming(self) -> None:
        self.claiming = False

    def wait_round(self, seconds: float) -> bool:
        """Waits for the round in progress, at most so long; whether it has ended. After `stop_claiming` no later
        round brings leases."""
        if not self._rounds.acquire(timeout=seconds):
            return False
        self._rounds.release()
        return True

    def _freed(self) -> list[Item]:
        freed = self._held.freed()
        self._unwritten |= {id(said): (run, said) for run, said in freed}
        return freed

    def _without_held(self, items: Sequence[Item]) -> list[Item]:
        """After a lock that was not to be had: those that need not wait for it. The others are tried again later."""
        others = self._held.set_apart(items)
        if len(others) < len(items):
            apart = [item for item in items if item not in others]
            log.warning("the rows of these jobs are locked, their reports wait: %s", _ids(apart))
            for _run, said in apart:
                del self._unwritten[id(said)]
        return others

    def _put_back(self) -> None:
        left = list(self._unwritten.values())
        self._outbox.put_back(left)
        if left and not self.claiming:
            log.warning("reports of these jobs are not written yet: %s", _ids(left))

    def _begin(self, fresh: Sequence[Run]) -> None:
        """Starts fresh attempts; those of a claim that was on its way when claiming stopped go back unbegun."""
        if self.claiming:
            self._start(fresh)
            return
        for run in fresh:
            self._roster.add(run)
            self._outbox.put(run, Release(job_id=run.lease.job_id, token=run.lease.token, begun=False))

    def _is_enough(self, waiting: int) -> bool:
        return waiting >= len(self._roster) or waiting >= max(1, self._roster.slots // 2)

    def _round(self, items: Sequence[Item]) -> list[Run]:
        items = self._without_completed_elsewhere(items)
        completions = [item for item in items if isinstance(item[1], Completion)]
        others = [item for item in items if not isinstance(item[1], Completion)]
        if others:
            self._write(others)
        free = self._roster.free + sum(self._roster.holds(run) for run, _said in completions)
        wants = self.claiming and free > 0 and self._claimer.is_hungry()
        if completions and wants:
            return self._write_and_claim(completions, free)
        if completions:
            self._write(completions)
        return self._claim(self._roster.free) if wants else []

    def _without_completed_elsewhere(self, items: Sequence[Item]) -> Sequence[Item]:
        """Leaves out the attempts that completed their job in a transaction of the handler's which was committed.
        The others of them go in as what they are by now: failures, `completion_rolled_back`."""
        doubtful = [run for run, _said in items if run.completed_elsewhere]
        if not doubtful:
            return items
        jobs = self._store.run(self._store.verbs.read([run.lease.job_id for run in doubtful]), "claim")
        running = {job.lease_token for job in jobs.values()}
        committed = [run for run in doubtful if run.lease.token not in running]
        for run in committed:
            self._roster.remove(run)
            self.done += 1
        for run, said in items:
            if run in committed:
                self._unwritten.pop(id(said))
        return [item for item in items if item[0] not in committed]

    def _write_and_claim(self, items: Sequence[Item], free: int) -> list[Run]:
        request, repeats = self._claimer.request(free)
        if repeats:
            self._write(items)
            return self._claim(self._roster.free)
        barrier.reach("before_flush")
        sent = time.monotonic()
        completions = [item[1] for item in items if isinstance(item[1], Completion)]
        script = complete_and_claim(self._store.verbs, completions, request)
        try:
            answers, claimed = self._claimer.ask(request, lambda: self._store.run(script, "claim"))
        except StoreBusy:
            others = self._without_held(items)
            if others:
                self._write(others)
            raise
        except Exception:
            self._write(items)
            raise
        barrier.reach("after_flush")
        self._settle(items, answers)
        return self._claimer.took(request, claimed, sent)

    def _claim(self, free: int) -> list[Run]:
        if free <= 0:
            return []
        request, repeats = self._claimer.request(free)
        sent = time.monotonic()
        claimed = self._claimer.ask(request, lambda: self._send_claim(request, repeats=repeats))
        return self._claimer.took(request, claimed, sent)

    def _send_claim(self, request: ClaimRequest, *, repeats: bool) -> Claimed:
        return self._store.run(claim(self._store.verbs, request, repeat=repeats), "claim")

    def _write(self, items: Sequence[Item], *, last: bool = False) -> None:
        """Writes reports in one batch; should the batch be refused, one by one (`last`), so that one bad row holds
        up nobody."""
        barrier.reach("before_flush")
        try:
            self._settle(items, self._send([item[1] for item in items]))
        except StoreBusy:
            others = self._without_held(items)
            if len(others) == len(items):
                raise
            if others:
                self._write(others, last=last)
            return
        except PASSING:
            raise
        except Exception as error:  # noqa: BLE001 (whatever is wrong with one row must not stop the others)
            self.refused += 1
            if last:
                self._set_aside(items[0], error)
                return
            log.warning("reports were refused, writing them one by one: %r (jobs %s)", error, _ids(items))
            for item in items:
                self._write([item], last=True)
        barrier.reach("after_flush")

    def _send(self, reports: Sequence[Report]) -> list[Answer]:
        return self._store.run(report(self._store.verbs, reports), "claim")

    def _set_aside(self, item: Item, error: Exception) -> None:
        """One report that cannot be written is not tried for ever: where the handler has ended, that it was refused
        goes in in its place. Otherwise, or should that be refused too, the lease ends by itself and says so."""
        run, said = item
        log.error("job %s: its report cannot be written: %r", run.lease.job_id, error, exc_info=error)
        del self._unwritten[id(said)]
        instead = verdict.of_refused(run, said, error)
        if instead is None:
            self._roster.remove(run)
            return
        self._unwritten[id(instead)] = (run, instead)
        self._write([(run, instead)], last=True)

    def _settle(self, items: Sequence[Item], answers: Sequence[Answer]) -> None:
        ready: set[str] = set()
        for (run, said), answer in zip(items, answers, strict=True):
            del self._unwritten[id(said)]
            self.done += self._roster.holds(run)
            self._roster.remove(run)
            if answer.standing is Standing.STALE:
                log.warning("job %s attempt %d: its report came too late", run.lease.job_id, run.lease.attempt)
            elif answer.state is State.READY:
                ready.add(run.lease.queue)
        if ready:
            self._announce(ready)

    def _announce(self, queues: Collection[str]) -> None:
        self._claimer.hint()
        self._store.announce(queues)

    def _wait(self) -> float:
        if len(self._outbox):
            return 0.0
        if not self.claiming or self._roster.free <= 0:
            return FULL_WAIT
        wait = 0.0 if self._claimer.is_hungry() else max(0.0, self._claimer.seconds_to_poll())
        return min(wait, LOOK_AGAIN) if len(self._held) else wait

    def release_unsettled(self) -> int:
        """At shutdown: gives back the leases of a claim whose answer was lost; how many."""
        with self._rounds:
            request = self._claimer.give_up()
            if request is None:
                return 0
            held = self._store.run(self._store.verbs.leases(request.claim_id, request.worker), "claim")
            reports = [Release(job_id=lease.job_id, token=lease.token, begun=False) for lease in held]
            if reports:
                self._send(reports)
            return len(reports)


def _ids(items: Sequence[Item]) -> str:
    return ", ".join(run.lease.job_id for run, _said in items)
