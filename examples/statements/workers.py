"""The demo's worker processes: started, one of them killed in mid-job, the others told to drain at the end."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from statements.app import app, render_statement
from tenure.core.job import Job
from tenure.core.job_filter import JobFilter
from tenure.core.states import State

SLOTS: Final = 4
LEASE: Final = 4.0
_OPTIONS: Final = ("--slots", str(SLOTS), "--lease", f"{LEASE:g}", "--sweep", "0.5")
_EXAMPLES: Final = Path(__file__).parents[1]


@dataclass(slots=True)
class WorkerProcess:
    """One worker. `interrupted` holds the jobs that it was running when it was killed."""

    name: str
    process: subprocess.Popen[bytes]
    killed: bool = False
    interrupted: list[Job] = field(default_factory=list)

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def alive(self) -> bool:
        return self.process.poll() is None


def start(name: str, ledger: Path, out: Path, delay: float) -> WorkerProcess:
    """Starts `tenure worker statements.app:app`; its log goes to `<out>/<name>.log`."""
    surroundings = {
        "TENURE_DATABASE_URL": app.url,
        "STATEMENTS_LEDGER": str(ledger),
        "STATEMENTS_OUT": str(out),
        "STATEMENTS_DELAY": str(delay),
        "PYTHONPATH": os.pathsep.join([str(_EXAMPLES), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    command = [sys.executable, "-m", "tenure.cli.main", "worker", "statements.app:app", "--name", name, *_OPTIONS]
    with (out / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 (our own command line)
            command, env={**os.environ, **surroundings}, cwd=out, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    return WorkerProcess(name, process)


def running() -> list[Job]:
    """The jobs that run now, as the database has them."""
    store = app.opened()
    which = JobFilter(states=(State.RUNNING,), kinds=(render_statement.kind,))
    return store.run(store.verbs.list_jobs(which, None, 1000))


def held_by(jobs: list[Job], worker: WorkerProcess) -> list[Job]:
    """Those whose lease a worker's process holds."""
    return [job for job in jobs if job.holder and json.loads(job.holder).get("process") == worker.pid]


def kill_in_mid_job(worker: WorkerProcess, within: float) -> bool:
    """Kills a worker with SIGKILL while it runs a job. False: for `within` seconds the database showed none.

    The process is frozen first, so that what the database says about it is still true at the kill.
    """
    give_up = time.monotonic() + within
    while worker.alive and time.monotonic() < give_up:
        os.kill(worker.pid, signal.SIGSTOP)
        if held_by(running(), worker):
            worker.process.kill()
            worker.process.wait()
            worker.killed, worker.interrupted = True, held_by(running(), worker)
            return True
        os.kill(worker.pid, signal.SIGCONT)
        time.sleep(0.05)
    return False


def drain(workers: Mapping[str, WorkerProcess], within: float = 20.0) -> dict[str, int | None]:
    """Sends SIGTERM to those that live, and waits; exit codes by name of all that were not killed before.

    One that does not leave is killed: None.
    """
    left = [worker for worker in workers.values() if not worker.killed]
    for worker in left:
        worker.process.terminate()
    codes: dict[str, int | None] = {}
    for worker in left:
        try:
            codes[worker.name] = worker.process.wait(within)
        except subprocess.TimeoutExpired:
            worker.process.kill()
            worker.process.wait()
            codes[worker.name] = None
    return codes
