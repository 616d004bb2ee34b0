"""Reports on their way into the database: in one batch where that can be, without the rows that somebody holds, and
one by one where the batch is refused."""

import logging
import threading
from collections.abc import Callable, Collection, Sequence

from tenure.core.errors import StoreBusy
from tenure.core.reports import Answer, Report, Standing
from tenure.core.states import State
from tenure.engine import barrier
from tenure.engine.attempts import verdict
from tenure.engine.claiming.desk import Desk
from tenure.engine.claiming.hand import Hand
from tenure.engine.claiming.held import Held, Item
from tenure.engine.claiming.one_by_one import PASSING
from tenure.engine.claiming.roster import Roster

log = logging.getLogger("tenure.engine")


class Writing:
    """Safe for two rounds at once, each with its own hand.

    done: attempts whose end is written. refused: batches and reports that the database refused.
    """

    def __init__(
        self,
        desk: Desk,
        roster: Roster,
        held: Held,
        readied: Callable[[Collection[str]], None],
        freed: Callable[[Collection[str]], None],
    ) -> None:
        """readied: is told of queues that have a ready job again, freed: of those in which a limit has room again."""
        self._desk = desk
        self._roster = roster
        self._held = held
        self._readied, self._freed = readied, freed
        self._counting = threading.Lock()
        self.done = 0
        self.refused = 0

    def write(self, hand: Hand, items: Sequence[Item], *, last: bool = False) -> None:
        """Writes reports in one batch; should the batch be refused, one by one (`last`), so that one bad row holds
        up nobody."""
        barrier.reach("before_flush")
        try:
            self.settle(hand, items, self.send([item[1] for item in items]))
        except StoreBusy:
            others = self.without_held(hand, items)
            if len(others) == len(items):
                raise
            if others:
                self.write(hand, others, last=last)
            return
        except PASSING:
            raise
        except Exception as error:  # noqa: BLE001 (whatever is wrong with one row must not stop the others)
            self._count(refused=1)
            if last:
                self._set_aside(hand, items[0], error)
                return
            log.warning("reports were refused, writing them one by one: %s (jobs %s)", _told(error, items), ids(items))
            for item in items:
                self.write(hand, [item], last=True)
        barrier.reach("after_flush")

    def send(self, reports: Sequence[Report]) -> list[Answer]:
        return self._desk.report(reports)

    def settle(self, hand: Hand, items: Sequence[Item], answers: Sequence[Answer]) -> None:
        """Frees the slots of what is written, and says what came too late."""
        ready: set[str] = set()
        done = self._roster.remove_all([run for run, _said in items])
        for (run, said), answer in zip(items, answers, strict=True):
            hand.drop(said)
            if answer.standing is Standing.STALE:
                log.warning("job %s attempt %d: its report came too late", run.lease.job_id, run.lease.attempt)
            elif answer.state is State.READY:
                ready.add(run.lease.queue)
            if answer.next_queue is not None:
                ready.add(answer.next_queue)
        self._count(done=done)
        self._freed({run.lease.frees for run, _said in items if run.lease.frees is not None})
        if ready:
            self._readied(ready)

    def without_held(self, hand: Hand, items: Sequence[Item]) -> list[Item]:
        """After a lock that was not to be had: those that need not wait for it. The others are tried again later."""
        others = self._held.set_apart(items)
        if len(others) < len(items):
            apart = [item for item in items if item not in others]
            log.warning("the rows of these jobs are locked, their reports wait: %s", ids(apart))
            for _run, said in apart:
                hand.drop(said)
        return others

    def without_completed_elsewhere(self, hand: Hand, items: Sequence[Item]) -> Sequence[Item]:
        """Leaves out the attempts that completed their job in a transaction of the handler's which was committed.
        The others of them go in as what they are by now: failures, `completion_rolled_back`."""
        doubtful = [run for run, _said in items if run.completed_elsewhere]
        if not doubtful:
            return items
        gone = self._desk.ended_elsewhere({run.lease.token: run.lease.job_id for run in doubtful})
        committed = [run for run in doubtful if run.lease.token in gone]
        for run in committed:
            self._roster.remove(run)
        self._count(done=len(committed))
        self._freed({run.lease.frees for run in committed if run.lease.frees is not None})
        for run, said in items:
            if run in committed:
                hand.drop(said)
            elif run in doubtful:
                lease = run.lease
                log.warning(
                    "job %s (%s) attempt %d: its completion was not committed", lease.job_id, lease.kind, lease.attempt
                )
        return [item for item in items if item[0] not in committed]

    def _set_aside(self, hand: Hand, item: Item, error: Exception) -> None:
        """One report that cannot be written is not tried for ever: where the handler has ended, that it was refused
        goes in in its place. Otherwise, or should that be refused too, the lease ends by itself and says so."""
        run, said = item
        has_secrets = run.has_secrets
        told = _told(error, [item])
        cause = None if has_secrets else error
        log.error("job %s: its report cannot be written: %s", run.lease.job_id, told, exc_info=cause)
        hand.drop(said)
        instead = verdict.of_refused(run, said, error)
        if instead is None:
            self._roster.remove(run)
            return
        hand.take([(run, instead)])
        self.write(hand, [(run, instead)], last=True)

    def _count(self, *, done: int = 0, refused: int = 0) -> None:
        with self._counting:
            self.done += done
            self.refused += refused


def _told(error: Exception, items: Sequence[Item]) -> str:
    """What the database says of reports, which it may quote."""
    told = repr(error)
    for run, _said in items:
        told = run.without_secrets(told)
    return told


def ids(items: Sequence[Item]) -> str:
    """The jobs of some reports, for a log line."""
    return ", ".join(run.lease.job_id for run, _said in items)
