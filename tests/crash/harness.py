"""Real worker processes on a real database, started, signalled and reaped by one test.

site.start("--lease", "1")        a worker of `tests.crash.application`
site.enqueue("ledger", n=1)       a job, by the product's own producer
until(lambda: …, "the job ends")  a bounded wait for a condition; nothing here sleeps to be in step
"""

import itertools
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import psutil  # type: ignore[import-untyped]

from tenure import Tenure
from tenure.core.attempt import Attempt
from tenure.core.job import Job
from tenure.core.states import TERMINAL, State
from tenure.stores.script import Script
from tests.crash.application import LEDGER

ROOT = Path(__file__).parents[2]
SOURCE = "tests.crash.application:app"
PATIENCE = 60.0
_LOOK = 0.02
_LOCK_WAIT = 2.0
T = TypeVar("T")


def until(condition: Callable[[], T | None], what: str, seconds: float = PATIENCE) -> T:
    """Waits until `condition()` is true; its answer. Fails with `what` after so many seconds."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds:g} s: {what}")
        time.sleep(_LOOK)


class Line(NamedTuple):
    """One line of the ledger. at: seconds of the machine's monotonic clock."""

    job: str
    attempt: int
    fencing: int
    event: str
    at: float
    pid: int


class WorkerProcess:
    """One `tenure worker`, alone or a supervisor with its children."""

    def __init__(
        self,
        number: int,
        folder: Path,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        prefix: Sequence[str] = (),
    ) -> None:
        self.health_file = folder / f"health-{number}.json"
        self.log_file = folder / f"worker-{number}.log"
        supervises = "--processes" in arguments
        health = [] if supervises else ["--health-file", str(self.health_file)]
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(
                [*prefix, sys.executable, "-m", "tenure", "worker", *arguments, *health],
                cwd=ROOT, env=dict(environment), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        self._known: dict[int, psutil.Process] = {}

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    @property
    def is_ready(self) -> bool:
        return self.health_file.exists()

    @property
    def health(self) -> dict[str, Any]:
        """What it last wrote about itself."""
        found: dict[str, Any] = json.loads(self.health_file.read_text())
        return found

    @property
    def log(self) -> str:
        return self.log_file.read_text(errors="replace")

    def ready(self) -> "WorkerProcess":
        """Waits until it has said that it works."""
        until(lambda: self.is_ready or not self.is_alive, "the worker starts")
        assert self.is_alive, self.log
        return self

    def send(self, number: int) -> None:
        """A signal, also to one that has left."""
        self.process.send_signal(number)

    def kill(self) -> None:
        """SIGKILL, and waits until it is gone."""
        self.children()
        self.process.kill()
        self.process.wait(PATIENCE)

    def wait(self, seconds: float = PATIENCE) -> int:
        """Its exit code. Fails when it is not gone by then."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still there after {seconds:g} s:\n{self.log}") from None

    def freeze(self, writable: Callable[[], bool]) -> None:
        """Stands still from here on, heartbeats included, until `thaw`. Never in the middle of a write: a process that
        stops while it has SQLite's lock stops every writer of that file, and there is nobody left to take over."""
        self.send(signal.SIGSTOP)
        while not writable():
            self.thaw()
            time.sleep(_LOOK)
            self.send(signal.SIGSTOP)

    def thaw(self) -> None:
        self.send(signal.SIGCONT)

    def leave(self) -> int:
        """SIGTERM; its exit code."""
        self.send(signal.SIGTERM)
        return self.wait()

    def children(self) -> list[int]:
        """The processes that it has started and that live, children's children included."""
        if self.is_alive:
            try:
                found = psutil.Process(self.pid).children(recursive=True)
            except psutil.NoSuchProcess:
                found = []
            self._known |= {child.pid: child for child in found}
        return [child.pid for child in self._known.values() if _runs(child)]

    def reap(self) -> None:
        """Ends it and everything that it has started."""
        self.children()
        if self.is_alive:
            self.process.kill()
        self.process.wait(PATIENCE)
        for child in self._known.values():
            if _runs(child):
                child.kill()


def _runs(process: psutil.Process) -> bool:
    return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)


class Site:
    """A migrated database, a ledger, and the processes of one test."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url
        self.ledger_file = folder / "ledger"
        self.workers: list[WorkerProcess] = []
        self.app = application(url)

    @property
    def is_sqlite(self) -> bool:
        return self.url.startswith("sqlite")

    @property
    def environment(self) -> dict[str, str]:
        """That of its processes."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TENURE_")}
        own = {"TENURE_DATABASE_URL": self.url, LEDGER: str(self.ledger_file), "TMPDIR": str(self.folder)}
        return kept | own

    def start(
        self,
        *options: str,
        environment: Mapping[str, str] | None = None,
        prefix: Sequence[str] = (),
        url: str | None = None,
    ) -> WorkerProcess:
        """Starts a worker with quick polls and sweeps; options said here win over those.

        prefix: a command that runs it. url: another way to the same database.
        """
        quick = ["--lease", "1.5", "--poll", "0.1", "--sweep", "0.2", "--shutdown-grace", "5"]
        said = self.environment | dict(environment or {}) | ({} if url is None else {"TENURE_DATABASE_URL": url})
        worker = WorkerProcess(len(self.workers), self.folder, [SOURCE, *quick, *options], said, prefix)
        self.workers.append(worker)
        return worker

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Another command of `tenure`, to its end."""
        return subprocess.run(
            [sys.executable, "-m", "tenure", *arguments],
            cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip

    def close(self) -> None:
        for worker in self.workers:
            worker.reap()
        self.app.close()

    # Producing

    def enqueue(self, kind: str, *, using: Mapping[str, Any] | None = None, **payload: Any) -> str:
        """The id of one new job."""
        return self.app.enqueue(kind, payload, **(using or {})).id

    def enqueue_many(
        self, count: int, kind: str = "ledger", queues: Sequence[str] = ("default",), **payload: Any
    ) -> list[str]:
        """`count` jobs, dealt out to the queues in turn; their ids."""
        items = [self.app.item(kind, {"n": n, **payload}, queue=queues[n % len(queues)]) for n in range(count)]
        return [job.id for start in range(0, count, 500) for job in self.app.enqueue_many(items[start : start + 500])]

    # Looking

    def run(self, script: Script[T]) -> T:
        return self.app.opened().run(script)

    @property
    def verbs(self) -> Any:
        return self.app.opened().verbs

    def job(self, job_id: str) -> Job:
        return self.jobs([job_id])[job_id]

    def jobs(self, ids: Sequence[str]) -> dict[str, Job]:
        found: dict[str, Job] = self.run(self.verbs.read(ids))
        return found

    def history(self, job_id: str) -> list[Attempt]:
        found: list[Attempt] = self.run(self.verbs.attempts([job_id]))[job_id]
        return found

    def histories(self, ids: Sequence[str]) -> dict[str, list[Attempt]]:
        found: dict[str, list[Attempt]] = self.run(self.verbs.attempts(ids))
        return found

    def counts(self) -> Counter[State]:
        """Jobs by state, over all queues and kinds."""
        counted: Counter[State] = Counter()
        for count in self.run(self.verbs.counts()):
            counted[count.state] += count.jobs
        return counted

    def ledger(self) -> list[Line]:
        """Every line that stands there now."""
        if not self.ledger_file.exists():
            return []
        rows = (line.split() for line in self.ledger_file.read_text().splitlines())
        return [Line(job, int(n), int(fencing), event, float(at), int(pid)) for job, n, fencing, event, at, pid in rows]

    def lines(self, job_id: str, event: str = "start") -> list[Line]:
        return [line for line in self.ledger() if line.job == job_id and line.event == event]

    def is_writable(self) -> bool:
        """Whether another process can write: on SQLite, nobody stands still with the lock of the file."""
        if not self.is_sqlite:
            return True
        connection = sqlite3.connect(self.url.removeprefix("sqlite:///"), timeout=_LOCK_WAIT, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        finally:
            connection.close()
        return True

    # Waiting

    def ended(self, *ids: str, seconds: float = PATIENCE) -> list[Job]:
        """Waits until these jobs have ended; their rows."""
        until(lambda: all(job.state in TERMINAL for job in self.jobs(ids).values()), "the jobs end", seconds)
        found = self.jobs(ids)
        return [found[job_id] for job_id in ids]

    def all_ended(self, seconds: float = PATIENCE) -> Counter[State]:
        """Waits until no job is left that has not ended; the counts by state."""
        until(lambda: set(self.counts()) <= TERMINAL, "every job ends", seconds)
        return self.counts()

    def started(self, job_id: str, attempt: int = 1, seconds: float = PATIENCE) -> Line:
        """Waits for the ledger's line of this attempt's start."""
        return until(
            lambda: next((line for line in self.lines(job_id) if line.attempt == attempt), None),
            f"attempt {attempt} of {job_id} starts",
            seconds,
        )


def application(url: str) -> Tenure:
    """A producer on `url` that knows the tasks' kinds: declared in the database, as a worker's start does."""
    from tests.crash.application import app as declared

    app = Tenure(url)
    store = app.opened()
    rows = [task.kind_row() for task in declared.tasks.values()]
    store.run(store.verbs.put_kinds(rows, replace=True))
    return app


def check_history(jobs: Iterable[Job], histories: Mapping[str, Sequence[Attempt]]) -> None:
    """What must hold of every job that succeeded, whatever was killed meanwhile: attempts numbered without a gap,
    fencing tokens that rise, no two leases valid at once, one success, and that the last."""
    seen: set[int] = set()
    for job in jobs:
        attempts = histories[job.id]
        assert job.state is State.SUCCEEDED, (job.id, job.state, job.end_code)
        assert [one.number for one in attempts] == list(range(1, len(attempts) + 1))
        assert [one.outcome == "succeeded" for one in attempts] == [False] * (len(attempts) - 1) + [True]
        for earlier, later in itertools.pairwise(attempts):
            assert earlier.fencing_token < later.fencing_token
            assert earlier.ended_at <= later.started_at, (job.id, earlier, later)
        tokens = {one.fencing_token for one in attempts}
        assert not tokens & seen
        seen |= tokens
