"""What one round has taken out of the outbox and not written yet."""

from collections.abc import Iterable

from tenure.core.reports import Report
from tenure.engine.attempts.run import Run
from tenure.engine.claiming.held import Item


class Hand:
    """Used by one round. `holds` may be asked from any thread."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._left: dict[int, Item] = {}
        self._tokens: set[str] = set()
        self.take(items)

    def take(self, items: Iterable[Item]) -> None:
        for run, said in items:
            self._left[id(said)] = (run, said)
            self._tokens.add(run.lease.token)

    def drop(self, said: Report) -> None:
        """It is written, or need not be any more."""
        del self._left[id(said)]

    def left(self) -> list[Item]:
        """What is not written yet, in the order in which it was taken."""
        return list(self._left.values())

    def holds(self, run: Run) -> bool:
        """Whether it took a report of this attempt."""
        return run.lease.token in self._tokens

    def let_go(self) -> None:
        """The round is over."""
        self._left.clear()
        self._tokens.clear()

    def meets(self, other: "Hand") -> bool:
        """Whether both took reports of one attempt."""
        return not self._tokens.isdisjoint(other._tokens)
