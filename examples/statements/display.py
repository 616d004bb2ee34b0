"""What happens, as it happens: a live table on a terminal, plain lines elsewhere."""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from statements import workers
from statements.app import app, render_statement
from statements.workers import WorkerProcess
from tenure.core.job import Job
from tenure.core.states import TERMINAL, State

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

_ORDER = ("scheduled", "ready", "running", "succeeded", "failed", "cancelled")
_LINE_EVERY = 1.0


@dataclass(frozen=True, slots=True)
class Picture:
    """The work at one moment. `interrupted`: the jobs of the killed worker, as they stand now."""

    seconds: float
    states: Counter[str]
    running: Sequence[Job]
    workers: Mapping[str, WorkerProcess]
    interrupted: Sequence[Job]

    @property
    def ended(self) -> int:
        return sum(self.states[state.value] for state in TERMINAL)

    @property
    def left(self) -> int:
        return self.states.total() - self.ended

    def worker_lines(self) -> Iterator[tuple[str, str, str]]:
        """Name and process, what it does, its jobs."""
        for worker in self.workers.values():
            held = workers.held_by(list(self.running), worker)
            if worker.killed:
                yield f"{worker.name} ({worker.pid})", "killed", f"{len(worker.interrupted)} interrupted"
            else:
                yield f"{worker.name} ({worker.pid})", "alive" if worker.alive else "left", f"{len(held)} running"

    def interrupted_lines(self) -> Iterator[tuple[str, str]]:
        """The statement, and where it stands."""
        for job in self.interrupted:
            match job.state:
                case State.RUNNING if job.attempt == 1:
                    text = "lease runs out"
                case State.READY | State.SCHEDULED:
                    text = "lease expired, given back"
                case _:
                    text = f"attempt {job.attempt}, {job.state}"
            yield (job.idempotency_key or job.id).rpartition("/")[0], text


def look(began: float, now_running: Mapping[str, WorkerProcess]) -> Picture:
    """Asks the database."""
    store = app.opened()
    states: Counter[str] = Counter()
    for count in store.run(store.verbs.counts()):
        if count.kind == render_statement.kind:
            states[count.state.value] += count.jobs
    ids = [job.id for worker in now_running.values() for job in worker.interrupted]
    rows = store.run(store.verbs.read(ids)) if ids else {}
    return Picture(time.monotonic() - began, states, workers.running(), now_running, [rows[i] for i in ids])


class Display(Protocol):
    def show(self, picture: Picture) -> None: ...
    def say(self, text: str) -> None: ...


class Lines:
    """A line a second, and one for each event."""

    def __init__(self) -> None:
        self._last = float("-inf")

    def show(self, picture: Picture) -> None:
        if picture.seconds - self._last < _LINE_EVERY and picture.left:
            return
        self._last = picture.seconds
        states = "  ".join(f"{state} {picture.states[state]}" for state in _ORDER if picture.states[state])
        held = "  ".join(f"{name} {what}, {jobs}" for name, what, jobs in picture.worker_lines())
        back = Counter(text for _, text in picture.interrupted_lines())
        recovered = "  ".join(f"{number} × {text}" for text, number in back.items())
        self.say(f"{picture.seconds:5.1f} s  {states}  |  {held}" + (f"  |  interrupted: {recovered}" if back else ""))

    def say(self, text: str) -> None:
        print(text, flush=True)


class LiveTable:
    """A table that is drawn anew in its place."""

    def __init__(self, live: "Live") -> None:
        self._live = live

    def show(self, picture: Picture) -> None:
        self._live.update(_table(picture))

    def say(self, text: str) -> None:
        self._live.console.print(text, highlight=False)


@contextmanager
def opened() -> Iterator[Display]:
    """The display that fits standard output."""
    if not sys.stdout.isatty():
        yield Lines()
        return
    from rich.live import Live

    with Live(refresh_per_second=8) as live:
        yield LiveTable(live)


def _table(picture: Picture) -> "Table":
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    table = Table(title=f"Account statements, {picture.seconds:.1f} s", min_width=72, title_justify="left")
    table.add_column("what", style="bold")
    table.add_column("how", min_width=16)
    table.add_column("how many", justify="right")
    table.add_row("statements", ProgressBar(picture.states.total(), picture.ended, width=24), f"{picture.ended}")
    for state in _ORDER:
        table.add_row("", state, str(picture.states[state]))
    table.add_section()
    for name, what, jobs in picture.worker_lines():
        table.add_row(name, f"[red]{what}[/red]" if what == "killed" else what, jobs)
    if picture.interrupted:
        table.add_section()
        for name, text in picture.interrupted_lines():
            table.add_row(name, text, "[green]recovered[/green]" if text.endswith("succeeded") else "")
    return table
