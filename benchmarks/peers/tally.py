"""How a peer's handler counts, and when its process has seen enough."""

import time
from collections.abc import Callable

from benchmarks.child import answer


class Tally:
    """Jobs done, and when the first and the last were."""

    def __init__(self) -> None:
        self.done, self.began, self.ended = 0, 0.0, 0.0

    def count(self) -> None:
        self.done += 1
        self.ended = time.time()
        self.began = self.began or self.ended

    def answer(self) -> None:
        answer(began=self.began, ended=self.ended, jobs=self.done)


def until_done(jobs: int) -> Callable[[Tally], bool]:
    """So many jobs, or none for half a second."""

    def is_over(tally: Tally) -> bool:
        return tally.done >= jobs or (tally.done > 0 and time.time() - tally.ended > 0.5)

    return is_over


def until_seconds(seconds: float) -> Callable[[Tally], bool]:
    """So many seconds from the first look."""
    began: list[float] = []

    def is_over(_tally: Tally) -> bool:
        began.append(time.time())
        return began[-1] - began[0] > seconds

    return is_over
