"""What a process knows of capacities, and of what waits under them: counts that are at most a second old, and what it
has added itself since. Nobody holds a lock of the database for it, so several processes together can go over a capacity
by what they enqueue within that second.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Final

from tenure.core.flow import capacity, drain
from tenure.core.flow.capacity import FRESH, Capacity, Full, places_of
from tenure.core.flow.drain import LOOKED_AT, WINDOW, Sample
from tenure.core.flow.place import Place
from tenure.core.job import NewJob
from tenure.operations.admit import Drain
from tenure.stores.forking import forgets
from tenure.stores.protocol import Verbs
from tenure.stores.script import Script

_SAMPLE_FRESH: Final = 5.0
"""Seconds for which a sample of attempts tells how fast they go."""
_NEVER: Final = float("-inf")


class _Asked:
    """When something was asked last, and how old the answer is; both on the monotonic clock."""

    __slots__ = ("asked", "at")

    def __init__(self) -> None:
        self.at = self.asked = _NEVER

    def must_ask(self, now: float) -> bool:
        """Past half of its time one caller asks anew, past all of it everybody. Who hears yes asks."""
        is_old = now - self.at >= FRESH
        if is_old or now - max(self.at, self.asked) >= FRESH / 2:
            self.asked = now
            return True
        return False


class _Count(_Asked):
    """By kind. counted: what waited then. added: stored by this process since. on_the_way: not stored yet; asking:
    their ids.

    Who leaves was here: rules come and go while a job is on its way, and one that is taken off without having been
    counted would leave room that there is not, for ever.
    """

    __slots__ = ("added", "asking", "counted", "on_the_way")

    def __init__(self) -> None:
        super().__init__()
        self.counted, self.added, self.on_the_way = Counter[str](), Counter[str](), Counter[str]()
        self.asking = Counter[str]()

    def enter(self, job: NewJob) -> None:
        self.on_the_way[job.kind] += 1
        self.asking[job.id] += 1

    def leave(self, job: NewJob) -> bool:
        """Whether it was on the way here."""
        times = self.asking.pop(job.id, 0)
        if times == 0:
            return False
        if times > 1:
            self.asking[job.id] = times - 1
        self.on_the_way[job.kind] -= 1
        return True

    @property
    def kinds(self) -> Counter[str]:
        return self.counted + self.added + self.on_the_way

    @property
    def jobs(self) -> int:
        return self.counted.total() + self.added.total() + self.on_the_way.total()


class Loads:
    """See `operations.admit.Loads`. Safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """clock: in seconds, never going back."""
        self._clock = clock
        self.forget_parent()
        forgets(self)

    def forget_parent(self) -> None:
        """A forked child asks for itself."""
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """The next enqueue asks for everything."""
        self._rules: dict[Place, int] = {}
        self._rules_asked = _Asked()
        self._counts: dict[Place, _Count] = {}
        self._sample: tuple[float, Sample] | None = None

    @property
    def is_open(self) -> bool:
        """Whether no capacity stood anywhere a moment ago, so that there is nothing to ask and to count."""
        return not self._rules and self._clock() - self._rules_asked.at < FRESH

    def look(self, verbs: Verbs, jobs: Sequence[NewJob], *, borrowed: bool = False) -> Script[None]:
        now = self._clock()
        at = None if borrowed else now
        if self._rules_asked.must_ask(now):
            at = (yield from _as_of(verbs, now)) if at is None else at
            found = capacity.at((yield from verbs.capacities()))
            with self._lock:
                self._rules, self._rules_asked.at = found, at
                self._counts = {place: count for place, count in self._counts.items() if place in found}
        bounds = [place for place in self._places(jobs) if self._count(place).must_ask(now)]
        if bounds:
            at = (yield from _as_of(verbs, now)) if at is None else at
            yield from self._ask(verbs, bounds, at)

    def take(self, jobs: Sequence[NewJob]) -> list[Full | None]:
        if not self._rules:
            return [None] * len(jobs)
        with self._lock:
            here = [place for place in self._places(jobs) if place in self._counts]
            waiting = {place: self._counts[place].jobs for place in here}
            verdicts = capacity.judged(jobs, {place: self._rules[place] for place in here}, waiting)
            for job, count in self._counts_of(capacity.let_in(jobs, verdicts)):
                count.enter(job)
        return verdicts

    def give_back(self, jobs: Sequence[NewJob]) -> None:
        with self._lock:
            for job, count in self._counts_of(jobs):
                count.leave(job)

    def keep(self, jobs: Sequence[NewJob]) -> None:
        with self._lock:
            for job, count in self._counts_of(jobs):
                count.added[job.kind] += count.leave(job)

    def drain(self, verbs: Verbs, place: Place) -> Script[Drain]:
        """By a sample that is some seconds old at most."""
        now = self._clock()
        if self._sample is None or now - self._sample[0] >= _SAMPLE_FRESH:
            self._sample = now, (yield from verbs.seen(WINDOW, LOOKED_AT))
        taken, sample = self._sample
        count = self._counts.get(place)
        waiting = {} if count is None else count.kinds
        return Drain(drain.seconds(waiting, sample, place), sample.now + timedelta(seconds=now - taken))

    def _ask(self, verbs: Verbs, places: Sequence[Place], at: float) -> Script[None]:
        before = {place: self._count(place).added.copy() for place in places}
        found = yield from verbs.waiting([Capacity(place, self._rules.get(place, 0) + 1) for place in places])
        with self._lock:
            for place, kinds in zip(places, found, strict=True):
                count = self._count(place)
                count.counted, count.at, count.added = Counter(kinds), at, count.added - before[place]

    def _count(self, place: Place) -> _Count:
        return self._counts.setdefault(place, _Count())

    def _places(self, jobs: Iterable[NewJob]) -> dict[Place, None]:
        """Those with a capacity."""
        lanes = dict.fromkeys((job.queue, job.tenant) for job in jobs)
        return dict.fromkeys(place for lane in lanes for place in places_of(*lane) if place in self._rules)

    def _counts_of(self, jobs: Iterable[NewJob]) -> Iterator[tuple[NewJob, _Count]]:
        for job in jobs if self._counts else ():
            for place in places_of(job.queue, job.tenant):
                if place in self._counts:
                    yield job, self._counts[place]


def _as_of(verbs: Verbs, now: float) -> Script[float]:
    """When answers in a transaction of the caller's were true."""
    return now if (yield from verbs.sees_the_present()) else _NEVER
