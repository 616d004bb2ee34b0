"""Every ordered pair of events on two jobs of one order key: where they stand then, and who moves next."""

from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

from tenure.core.attempt import ErrorClass
from tenure.core.flow.order import OnFailure
from tenure.operations.redrive import redrive
from tests.conformance.asking import Ask, done, failed, new

DEADLINE = 30.0


class LinePair(NamedTuple):
    """What became of the three jobs of a line, the first of which runs, when two events have met."""

    on_failure: str
    first: str
    second: str
    head: str
    following: str
    last: str


class Line:
    """Three jobs of one key; the second has a deadline."""

    def __init__(self, ask: Ask, key: str, on_failure: OnFailure) -> None:
        self.ask = ask
        ends = ask.clock() + timedelta(seconds=DEADLINE)
        jobs = [new(order_key=key, on_failure=on_failure, deadline=ends if place == 1 else None) for place in range(3)]
        self.head, self.following, self.last = (answer.id for answer in ask.enqueue(*jobs))
        self.lease = ask.lease()

    def stand(self) -> list[str]:
        """Where the three are, in words."""
        jobs = [self.ask.job(job_id) for job_id in (self.head, self.following, self.last)]
        return [f"{job.state}{f' ({job.end_code})' if job.end_code else ''}" for job in jobs]

    def clear(self) -> None:
        """Ends all three, so that they are in nobody's way."""
        for job_id in (self.last, self.following, self.head):
            self.ask.cancel(job_id)
        self.ask.report(failed(self.lease, ErrorClass.CANCEL))
        for job_id in (self.last, self.following, self.head):
            self.ask.cancel(job_id)


def _lose(line: Line) -> object:
    line.ask.clock.advance(61.0)
    return line.ask.sweep()


def _pass_deadline(line: Line) -> object:
    line.ask.clock.advance(DEADLINE + 1.0)
    return line.ask.sweep_deadlines()


Play = Callable[[Line], object]

OF_HEAD: dict[str, Play] = {
    "the head completes": lambda line: line.ask.answer(done(line.lease)),
    "the head fails for good": lambda line: line.ask.answer(failed(line.lease, ErrorClass.TERMINAL)),
    "the head fails, with tries left": lambda line: line.ask.answer(failed(line.lease)),
    "the head's lease expires": _lose,
    "the head is cancelled": lambda line: line.ask.cancel(line.head),
    "the head is redriven": lambda line: line.ask.run(redrive(line.ask.verbs, line.head, who="op")),
}
OF_NEXT: dict[str, Play] = {
    "the next is cancelled": lambda line: line.ask.cancel(line.following),
    "the next misses its deadline": _pass_deadline,
}
_AFTER_FAILURE = ("the head is cancelled", "the head is redriven")


def pairs() -> list[tuple[str, str]]:
    """An event of the head with one of the next job, in both orders; and what may follow the head's failure."""
    met = [(one, other) for one in OF_HEAD for other in OF_NEXT]
    failing = [("the head fails for good", then) for then in _AFTER_FAILURE]
    return [*met, *((other, one) for one, other in met), *failing]


def play_all(ask: Ask) -> list[LinePair]:
    found = []
    for on_failure in OnFailure:
        for first, second in pairs():
            line = Line(ask, f"{on_failure} {first} {second}", on_failure)
            for event in (first, second):
                (OF_HEAD | OF_NEXT)[event](line)
            found.append(LinePair(on_failure.value, first, second, *line.stand()))
            line.clear()
    return found
