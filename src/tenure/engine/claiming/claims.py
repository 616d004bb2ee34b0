"""Claims on their way. Each books the slots that it asks for before it leaves, and until its leases are in the roster:
so two of them never ask for the same slot."""

import logging
import threading
import time
from collections.abc import Callable, Collection, Sequence

from tenure.core.claim import Claimed, ClaimRequest
from tenure.core.reports import Answer, Completion
from tenure.core.secrecy import sealed
from tenure.engine import barrier
from tenure.engine.attempts.run import Run
from tenure.engine.claiming.claimer import Claimer
from tenure.engine.claiming.desk import Desk
from tenure.engine.claiming.roster import Roster

log = logging.getLogger("tenure.engine")


class Claims:
    """Safe for two rounds at once."""

    def __init__(self, desk: Desk, claimer: Claimer, roster: Roster, begin: Callable[[Sequence[Run]], None]) -> None:
        """begin: is given fresh attempts, and adds them to the roster."""
        self._desk = desk
        self._claimer = claimer
        self._roster = roster
        self._begin = begin
        self._deciding = threading.Lock()
        self._freed: set[str] = set()

    def next(self, own: int) -> ClaimRequest | None:
        """A claim for every free slot and the `own` ones of completions that travel with it; None where there is no
        slot or, as far as is known, no work. The free ones are booked for it from now on."""
        with self._deciding:
            slots = self._roster.free + own
            if slots <= 0 or not self._claimer.is_hungry() or self._claimer.keeps(slots):
                return None
            self._roster.book(max(0, slots - own))
            return self._claimer.request(slots)

    def freed(self) -> None:
        """Attempts have ended."""
        with self._deciding:
            self._claimer.freed()

    def note_freed(self, queues: Collection[str]) -> None:
        """A limit has room again in these queues, since attempts have ended."""
        if queues:
            with self._deciding:
                self._freed.update(queues)

    def announce_freed(self) -> None:
        """Tells others of the room that no claim of this worker has taken since."""
        if self._freed:
            with self._deciding:
                freed, self._freed = self._freed, set()
            self._desk.announce(freed)

    def send_with(
        self, completions: Sequence[Completion], request: ClaimRequest, own: int
    ) -> tuple[list[Answer], Claimed]:
        """Both in one statement; `took` is to follow."""
        try:
            return self._claimer.ask(request, lambda: self._desk.complete_and_claim(completions, request))
        finally:
            # Whatever becomes of the completions: the slots that travelled with the claim are booked for it by now.
            self._roster.book(min(own, request.limit))

    def send_one(self, job_id: str, queue: str, slots: int) -> int | None:
        """A claim for one job by its id, for free slots, which are booked for it; None where there are not so many."""
        with self._deciding:
            free = self._roster.free
            if free < slots or self._claimer.keeps(free) or self._claimer.rests(queue):
                return None
            self._roster.book(slots)
            request = self._claimer.request_one(job_id, queue, slots)
        return self.send(request)

    def send(self, request: ClaimRequest, *, repeat: bool = False) -> int:
        """A claim by itself; how many attempts it began."""
        sent = time.monotonic()
        return self.took(request, self._claimer.ask(request, lambda: self._desk.claim(request, repeat=repeat)), sent)

    def repeat(self) -> None:
        """Sends one again whose answer was lost; its slots are still booked."""
        request = self._claimer.take_unsettled()
        if request is not None:
            self.send(request, repeat=True)

    def give_back(self) -> int:
        """The leases of claims whose answer was lost; how many."""
        released = self._desk.give_back(None)
        while (request := self._claimer.take_unsettled()) is not None:
            released += self._desk.give_back(request)
        return released

    def took(self, request: ClaimRequest, claimed: Claimed, sent: float) -> int:
        """Begins the fresh attempts; how many."""
        for line in sealed.told(request.queue, claimed.unopened):
            log.error("%s", line)
        with self._deciding:
            fresh = self._claimer.took(request, claimed, sent)
            if self._freed:
                self._freed -= {lease.frees for lease in claimed.leases if lease.frees is not None}
        try:
            if fresh:
                barrier.reach("after_claim")
                self._begin(fresh)
        finally:
            self._roster.unbook(request.limit)
        return len(fresh)
