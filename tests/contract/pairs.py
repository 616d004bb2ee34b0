"""Every ordered pair of events on one job: what the second one finds, is answered, and leaves behind."""

from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

from tenure.core import transitions
from tenure.core.attempt import ErrorClass
from tenure.core.flow.supersession import newer
from tenure.core.job import Job
from tenure.core.lease import Lease
from tenure.core.reports import Report
from tenure.core.states import WAITING, State
from tenure.core.transitions import Transition
from tenure.operations.pause import pause, resume
from tenure.stores.script import Script
from tests.conformance.asking import Ask, done, failed, new, released, snoozed

DELAY, DEADLINE, SOMETIME = 10.0, 50_000.0, 10_000_000.0


class Pair(NamedTuple):
    """`first` on a job in state `start`, then `second`; what each was answered, and the job's end."""

    first: str
    second: str
    start: str
    first_answer: str
    second_answer: str
    end: str


class Stage:
    """One job, and what its worker knows of it."""

    def __init__(self, ask: Ask, start: State, *, deadline: bool) -> None:
        """Each job has a supersession key of its own, for there may come a newer one."""
        self.ask = ask
        self.lease: Lease | None = None
        self.newer: list[str] = []
        job = new(
            delay=DELAY if start is State.SCHEDULED else None,
            deadline=ask.clock() + timedelta(seconds=DEADLINE) if deadline else None,
        )
        self.job_id = job.id
        ask.enqueue(newer(job, f"of {job.id}"))
        if start in (State.RUNNING, State.FAILED):
            self.claim()
        if start is State.FAILED:
            self.report(lambda lease: failed(lease, ErrorClass.TERMINAL))

    @property
    def job(self) -> Job:
        return self.ask.job(self.job_id)

    def claim(self) -> str:
        leases = self.ask.leases(1)
        self.lease = leases[0] if leases else self.lease
        return "claimed" if leases else "nothing"

    def report(self, made: Callable[[Lease], Report]) -> str:
        return str(self.ask.answer(made(self.held)).standing)

    @property
    def held(self) -> Lease:
        """The worker's lease; one that nobody ever gave where it has none."""
        never = {**dict.fromkeys(Lease.__struct_fields__), "job_id": self.job_id, "token": "never given"}
        return self.lease or Lease(**never)  # type: ignore[arg-type]

    def later(self, seconds: float, work: Callable[[], bool]) -> str:
        self.ask.clock.advance(seconds)
        return "done" if work() else "nothing"

    def end(self) -> str:
        """Where the job stands, in words."""
        job = self.job
        asked = ", cancellation asked" if job.cancel_requested_at else ""
        return f"{job.state}{f' ({job.end_code})' if job.end_code else ''}{asked}"

    def clear(self) -> None:
        """Ends the job, so that it is in nobody's way."""
        for job_id in (self.job_id, *self.newer):
            self.ask.cancel(job_id)
        self.report(lambda lease: failed(lease, ErrorClass.CANCEL))
        self.ask.run(resume(self.ask.verbs, "queue", self.job.queue, who="op"))

    def pause(self) -> str:
        """Its queue; the job itself is left as it is."""
        return "done" if self.ask.run(pause(self.ask.verbs, "queue", self.job.queue, who="op")).changed else "nothing"

    def supersede(self) -> str:
        """Enqueues a newer job of its key, which is not due while the pair is played. `noted`: it runs, and may
        complete."""
        latest = newer(new(delay=SOMETIME), f"of {self.job_id}")
        self.ask.enqueue(latest)
        self.newer.append(latest.id)
        if self.job.superseded_by == latest.id:
            return "done"
        return "noted" if self.job.state is State.RUNNING else "nothing"

    def decided(self, decide: Callable[[Job], Transition | None]) -> str:
        def script() -> Script[bool]:
            locked = yield from self.ask.verbs.lock([self.job_id])
            move = decide(locked.jobs[self.job_id])
            return bool(move and (yield from self.ask.verbs.apply([move])))

        return "done" if self.ask.run(script()) else "nothing"


RUNNING = {State.RUNNING}
Play = Callable[[Stage], str]


def _report(made: Callable[[Lease], Report]) -> Play:
    return lambda stage: stage.report(made)


EVENTS: dict[str, tuple[set[State], Play]] = {
    "promote": ({State.SCHEDULED}, lambda s: s.later(DELAY, lambda: s.ask.promote().count > 0)),
    "claim": ({State.READY}, Stage.claim),
    "complete": (RUNNING, _report(done)),
    **{
        f"fail {kind}": (RUNNING, _report(lambda lease, kind=kind: failed(lease, kind)))  # type: ignore[misc]
        for kind in ErrorClass
    },
    "release begun": (RUNNING, _report(lambda lease: released(lease, begun=True))),
    "release not begun": (RUNNING, _report(lambda lease: released(lease, begun=False))),
    "snooze": (RUNNING, _report(lambda lease: snoozed(lease, 5.0))),
    "heartbeat": (RUNNING, lambda s: "held" if s.ask.beat(s.held).held else "lost"),
    "lease expires": (RUNNING, lambda s: s.later(61.0, lambda: bool(s.ask.sweep().ended))),
    "cancel": ({*WAITING, State.RUNNING}, lambda s: str(s.ask.cancel(s.job_id).happened)),
    "supersede": ({*WAITING, State.RUNNING, State.FAILED}, Stage.supersede),
    "pause": ({*WAITING, State.RUNNING}, Stage.pause),
    "deadline passes": (set(WAITING), lambda s: s.later(DEADLINE, lambda: bool(s.ask.sweep_deadlines().ended))),
    "redrive": ({State.FAILED}, lambda s: s.decided(lambda job: transitions.redrive(job, s.ask.clock()))),
}
"""Each event with the states in which it finds something to do."""

_STARTS = (State.READY, State.SCHEDULED, State.RUNNING, State.FAILED)


def play(ask: Ask, first: str, second: str) -> Pair:
    """Plays one pair on a fresh job, from a state that suits both if there is one, else the first."""
    (mine, do_first), (others, do_second) = EVENTS[first], EVENTS[second]
    start = next(state for state in _STARTS if state in (mine & others or mine))
    stage = Stage(ask, start, deadline="deadline passes" in (first, second))
    first_answer, second_answer = do_first(stage), do_second(stage)
    end = stage.end()
    stage.clear()
    return Pair(first, second, start.value, first_answer, second_answer, end)


def play_all(ask: Ask) -> list[Pair]:
    return [play(ask, first, second) for first in EVENTS for second in EVENTS]
