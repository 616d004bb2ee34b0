"""The loop between the database and the handlers: what has ended goes in, what is next comes out.

One round, in this order:

1. gather   let the first report wait a moment for company, then take all that wait to be written
2. flush    write them; completions travel with the next claim where slots come free
3. settle   free the slots, and note what was stale
4. claim    if slots are free and work may be there
5. start    hand the fresh leases to the runner

Two rounds may be under way at once, each in its lane: `tick()` is the first lane's; `help()` is the second's, for what
has piled up while the first waits for an answer. What keeps them apart:

- a report is in one hand only, and two reports of one attempt never travel at once
- a claim books the slots that it asks for (`claims`); so does one for a single job (`take`), in its caller's thread
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Final

from tenure.core.claim import ClaimRequest
from tenure.core.errors import StoreBusy
from tenure.core.hints import Woken
from tenure.core.reports import Completion, Release
from tenure.engine import barrier
from tenure.engine.attempts.run import Run
from tenure.engine.claiming.claimer import Claimer
from tenure.engine.claiming.claims import Claims
from tenure.engine.claiming.desk import Desk
from tenure.engine.claiming.hand import Hand
from tenure.engine.claiming.held import LOOK_AGAIN, Held, Item
from tenure.engine.claiming.roster import Outbox, Roster
from tenure.engine.claiming.writing import Writing, ids

log = logging.getLogger("tenure.engine")

FULL_WAIT: Final = 1.0
"""Seconds between rounds while no slot is free; a finished attempt ends the wait at once."""


class Dispatcher:
    """`tick()` does one round; the waits for company (`gathering`) and for hints lie between rounds."""

    def __init__(
        self,
        desk: Desk,
        claimer: Claimer,
        roster: Roster,
        outbox: Outbox,
        start: Callable[[Sequence[Run]], None],
        gather: float,
    ) -> None:
        self._desk = desk
        self._claimer = claimer
        self._roster = roster
        self._outbox = outbox
        self._start = start
        self._gather = gather
        self._enough = max(1, roster.slots // 2)
        self._first_at: float | None = None
        self._held = Held(desk)
        self._claims = Claims(desk, claimer, roster, self._begin)
        self._writing = Writing(desk, roster, self._held, self._readied, self._claims.note_freed)
        self._taking = threading.Lock()
        self._first, self._second, self._third = threading.Lock(), threading.Lock(), threading.Lock()
        self._first_hand, self._second_hand = Hand(), Hand()
        self.claiming = True

    @property
    def done(self) -> int:
        """Attempts whose end is written."""
        return self._writing.done

    @property
    def refused(self) -> int:
        """Batches and reports that the database refused."""
        return self._writing.refused

    # When a round is due

    def gathering(self) -> float:
        """Seconds for which the reports that wait shall still wait for company; 0 when a round is due."""
        waiting = len(self._outbox)
        if waiting == 0 or self._is_enough(waiting):
            return 0.0
        now = time.monotonic()
        first_at = self._first_at
        if first_at is None:
            self._first_at = first_at = now
        return max(0.0, first_at + self._gather - now)

    def has_due(self) -> bool:
        """Whether reports are worth a wake-up: the first, so that its gathering time starts, or enough for a flush."""
        waiting = len(self._outbox)
        return waiting > 0 and (self._first_at is None or self._is_enough(waiting))

    def needs_help(self) -> bool:
        """Whether enough reports wait for a flush while the first lane is busy with others."""
        return len(self._outbox) >= self._enough and self._first.locked()

    def _is_enough(self, waiting: int) -> bool:
        return waiting >= len(self._roster) or waiting >= self._enough

    def wait(self) -> float:
        """Seconds until the next round is due, unless something wakes the dispatcher first."""
        if len(self._outbox):
            return 0.0
        if not self.claiming:
            return FULL_WAIT
        if self._claimer.is_owed:
            return 0.0
        if self._roster.free <= 0:
            return FULL_WAIT
        is_hungry = self._claimer.is_hungry() and not self._claimer.keeps(self._roster.free)
        wait = 0.0 if is_hungry else max(0.0, self._claimer.seconds_to_poll())
        return min(wait, LOOK_AGAIN) if len(self._held) else wait

    # Rounds

    def tick(self) -> float:
        """One round; the answer of `wait` after it."""
        with self._first:
            with self._taking:
                items = self._outbox.take()
                self._first_at = None
                self._first_hand.take(items)
                meets = self._first_hand.meets(self._second_hand)
            if meets:
                with self._second:
                    pass  # Its round is over: what an attempt said first is written first.
            self._go(self._first_hand, items, looks_at_held=True)
            free = self._roster.free
            self._desk.expect(free if self.claiming and not self._claimer.keeps(free) else 0)
        return self.wait()

    def help(self) -> bool:
        """One round beside the first lane's, for reports of attempts not in its hand; whether there were any."""
        with self._second:
            with self._taking:
                waiting = self._outbox.take()
                self._first_at = None
                items = [item for item in waiting if not self._first_hand.holds(item[0])]
                self._outbox.put_back([item for item in waiting if self._first_hand.holds(item[0])])
                self._second_hand.take(items)
            if items:
                self._go(self._second_hand, items)
        return bool(items)

    def take(self, job_id: str, queue: str, slots: int = 1) -> Woken:
        """Claims that very job and begins its attempt, where it can be had and so many slots are free."""
        if self._roster.are_booked:
            self.wait_round(FULL_WAIT)  # A claim on its way has booked what it may not need.
        with self._third:
            if not self.claiming:
                return Woken.NO_WORKER
            taken = self._claims.send_one(job_id, queue, slots)
            if taken is None:
                return Woken.BUSY
            return Woken.NO_WORKER if not self.claiming else Woken.CLAIMED if taken else Woken.CLOSED

    def _go(self, hand: Hand, items: list[Item], *, looks_at_held: bool = False) -> None:
        try:
            if looks_at_held:
                freed = self._held.freed()
                hand.take(freed)
                items += freed
            self._round(hand, items)
        except BaseException:
            left = hand.left()
            self._outbox.put_back(left)
            if left and not self.claiming:
                log.warning("reports of these jobs are not written yet: %s", ids(left))
            raise
        finally:
            hand.let_go()

    def _round(self, hand: Hand, items: Sequence[Item]) -> None:
        items = self._writing.without_completed_elsewhere(hand, items)
        completions = [item for item in items if isinstance(item[1], Completion)]
        others = [item for item in items if not isinstance(item[1], Completion)]
        if others:
            self._writing.write(hand, others)
        if items:
            self._claims.freed()
        own = sum(run.lease.slots for run, _said in completions if self._roster.holds(run))
        repeats = self.claiming and self._claimer.is_owed
        request = self._claims.next(own) if self.claiming and not repeats else None
        if request is not None and completions:
            self._write_and_claim(hand, completions, request, own)
        elif completions:
            self._writing.write(hand, completions)
        elif request is not None:
            self._claims.send(request)
        if repeats:
            self._claims.repeat()
        self._claims.announce_freed()

    def _write_and_claim(self, hand: Hand, items: Sequence[Item], request: ClaimRequest, own: int) -> None:
        barrier.reach("before_flush")
        sent = time.monotonic()
        completions = [item[1] for item in items if isinstance(item[1], Completion)]
        try:
            answers, claimed = self._claims.send_with(completions, request, own)
        except StoreBusy:
            others = self._writing.without_held(hand, items)
            if others:
                self._writing.write(hand, others)
            raise
        except Exception:
            self._writing.write(hand, items)
            raise
        barrier.reach("after_flush")
        self._writing.settle(hand, items, answers)
        self._claims.took(request, claimed, sent)

    def _begin(self, fresh: Sequence[Run]) -> None:
        """Starts fresh attempts; those of a claim that was on its way when claiming stopped go back unbegun."""
        if self.claiming:
            self._start(fresh)
            return
        self._roster.add(fresh)
        for run in fresh:
            self._outbox.put(run, Release(job_id=run.lease.job_id, token=run.lease.token, begun=False))

    def _readied(self, queues: Collection[str]) -> None:
        self._claimer.hint()
        self._desk.announce(queues)

    # Leaving

    def stop_claiming(self) -> None:
        self.claiming = False

    def wait_round(self, seconds: float) -> bool:
        """Waits for the rounds in progress, at most so long; whether they have ended. After `stop_claiming` no later
        round brings leases."""
        until = time.monotonic() + seconds
        for lane in (self._first, self._second, self._third):
            if not lane.acquire(timeout=max(0.0, until - time.monotonic())):
                return False
            lane.release()
        return True

    def release_unsettled(self) -> int:
        """At shutdown: gives back the leases of claims whose answer was lost; how many."""
        with self._first, self._second, self._third:
            return self._claims.give_back()
