"""Who is running, and what has ended and waits to be written. Safe from any thread."""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Iterable

from tenure.core.reports import Report
from tenure.engine.attempts.run import Run


class Roster:
    """The attempts of this process, by lease token. An attempt keeps its slots until its report is written.

    A leaked attempt has been reported already, but its handler still sits in a thread; it keeps the slots too. A booked
    slot is one that a claim on its way may fill.
    """

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._runs: dict[str, Run] = {}
        self._leaked: dict[str, float] = {}
        self._taken = 0
        self._booked = 0
        self._lock = threading.Lock()
        self._emptied = threading.Condition(self._lock)

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def free(self) -> int:
        with self._lock:
            return self.slots - self._taken - self._booked

    @property
    def are_booked(self) -> bool:
        """Whether all slots that nobody is in belong to claims on their way."""
        with self._lock:
            unused = self.slots - self._taken
            return 0 < unused <= self._booked

    @property
    def leaked(self) -> int:
        return len(self._leaked)

    def stuck(self, seconds: float) -> int:
        """Leaked for so long already: not merely on their way out, as a child that has just been killed is."""
        before = time.monotonic() - seconds
        with self._lock:
            return sum(since <= before for since in self._leaked.values())

    def runs(self) -> list[Run]:
        """Those whose end is not written yet."""
        return list(self._runs.values())

    def add(self, runs: Iterable[Run]) -> None:
        with self._lock:
            for run in runs:
                self._taken += 0 if run.lease.token in self._runs else run.lease.slots
                self._runs[run.lease.token] = run

    def book(self, slots: int) -> None:
        """So many slots belong to a claim on its way."""
        with self._lock:
            self._booked += slots

    def unbook(self, slots: int) -> None:
        """The claim is answered, and its attempts are added."""
        self.book(-slots)

    def holds(self, run: Run) -> bool:
        return run.lease.token in self._runs

    def remove(self, run: Run) -> bool:
        """Its end is written: the slot is free, unless the handler still sits in it. Whether it was there."""
        return self.remove_all((run,)) == 1

    def remove_all(self, runs: Iterable[Run]) -> int:
        """As `remove`; how many were there."""
        count = 0
        with self._lock:
            for run in runs:
                if self._runs.pop(run.lease.token, None) is not None:
                    count += 1
                    self._taken -= run.lease.slots
            if not self._runs:
                self._emptied.notify_all()
        return count

    def leak(self, run: Run) -> None:
        """The attempt is over, its handler is not."""
        with self._lock:
            if run.lease.token not in self._leaked:
                self._taken += run.lease.slots
            self._leaked[run.lease.token] = time.monotonic()

    def unleak(self, run: Run) -> bool:
        """The handler has come back at last; whether its attempt was leaked."""
        with self._lock:
            leaked = self._leaked.pop(run.lease.token, None)
            self._taken -= 0 if leaked is None else run.lease.slots
            return leaked is not None

    def wait_empty(self, seconds: float) -> bool:
        """Waits until every attempt is written, at most so long; whether that is so."""
        with self._lock:
            return self._emptied.wait_for(lambda: not self._runs, seconds)


class Outbox:
    """Reports that wait to be written. The first one in, and every later mark, wakes the dispatcher. A report that two
    take at once is taken by one of them."""

    def __init__(self) -> None:
        self._items: deque[tuple[Run, Report]] = deque()

    def __len__(self) -> int:
        return len(self._items)

    def put(self, run: Run, report: Report) -> int:
        """How many wait, this one included."""
        self._items.append((run, report))
        return len(self._items)

    def put_back(self, items: list[tuple[Run, Report]]) -> None:
        """What could not be written, in front of what came meanwhile."""
        self._items.extendleft(reversed(items))

    def take(self) -> list[tuple[Run, Report]]:
        taken: list[tuple[Run, Report]] = []
        with contextlib.suppress(IndexError):
            while True:
                taken.append(self._items.popleft())
        return taken
