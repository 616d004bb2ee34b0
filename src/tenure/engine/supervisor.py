"""Several worker processes under one: a dead child is replaced, its siblings are untouched.

A child is ready when its health file appears. One that does not get ready in time is killed and replaced: alive is
not ready. Children leave with their supervisor, also when it is killed: their standard input ends.
"""

import logging
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tenure.engine import exit_codes, health
from tenure.engine.health import SupervisorHealth
from tenure.engine.loop import wait_after
from tenure.engine.signals import Asked, handled

log = logging.getLogger("tenure.engine")

LOOK_INTERVAL: Final = 0.1
TELL_INTERVAL: Final = 1.0
STEADY_AFTER: Final = 10.0
KILL_AFTER: Final = 10.0


class Child:
    """One place among the children, and the process that fills it now."""

    def __init__(self, command: Sequence[str], health_file: Path) -> None:
        self._command = [*command, "--health-file", str(health_file), "--lifeline"]
        self._health_file = health_file
        self.failures = 0
        self.start_at = 0.0
        self.started = 0.0
        self.process: subprocess.Popen[bytes] | None = None
        self.code: int | None = None

    @property
    def is_ready(self) -> bool:
        return self.process is not None and self._health_file.exists()

    def health(self) -> dict[str, Any] | None:
        """What its worker wrote last; None when it is not ready, or has fallen silent."""
        return health.read(self._health_file) if self.process is not None else None

    def start(self) -> None:
        self._health_file.unlink(missing_ok=True)
        self.process = subprocess.Popen(  # noqa: S603 (this interpreter, this package)
            self._command, stdin=subprocess.PIPE, start_new_session=sys.platform != "win32"
        )
        self.started = time.monotonic()
        log.info("child %d started", self.process.pid)

    def reap(self) -> int | None:
        """The exit code of a child that has ended since; None while it lives or when there is none."""
        if self.process is None or self.process.poll() is None:
            return None
        self.code = self.process.returncode
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process = None
        return self.code

    def send(self, number: int) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)


class Supervisor:
    """Keeps `processes` children running `command`; `run()` returns the exit code."""

    def __init__(
        self,
        command: Sequence[str],
        processes: int,
        *,
        grace: float,
        ready_within: float = 30.0,
        health_file: str | None = None,
    ) -> None:
        """command: how to start a worker. grace: its shutdown grace, in seconds. ready_within: seconds from the
        start to its first health file. health_file: where to write how all of them are, each second."""
        self._health_file = health_file
        self._told = 0.0
        self._folder = tempfile.TemporaryDirectory(prefix="tenure-")
        folder = Path(self._folder.name)
        self._children = [Child(command, folder / f"child-{n}.json") for n in range(processes)]
        self._grace = grace
        self._ready_within = ready_within
        self._stop = Asked()
        self._hasten = Asked()
        self._proven = False
        self._bad_start: int | None = None

    def run(self) -> int:
        """Blocks until it is told to stop and every child has left."""
        with handled(self._stop.set, self._hasten.set), self._folder:
            while not self._stop.is_set():
                for child in self._children:
                    self._look_at(child)
                self._tell_health("running")
                self._stop.wait(LOOK_INTERVAL)
            return self._leave()

    def stop(self) -> None:
        self._stop.set()

    def pids(self) -> list[int]:
        """The processes that run now."""
        return [child.process.pid for child in self._children if child.process is not None]

    def is_ready(self) -> bool:
        """Whether every place is filled by a child that got ready."""
        return all(child.is_ready for child in self._children)

    def health(self, state: str) -> SupervisorHealth:
        """How the children are now."""
        facts = [child.health() for child in self._children]
        return SupervisorHealth(
            well=all(one is not None and one.get("well", False) for one in facts),
            state=state,
            children=[
                {"pid": None if child.process is None else child.process.pid, "health": one}
                for child, one in zip(self._children, facts, strict=True)
            ],
        )

    def _tell_health(self, state: str) -> None:
        now = time.monotonic()
        if self._health_file is None or now - self._told < TELL_INTERVAL:
            return
        self._told = now
        try:
            health.write(self._health_file, self.health(state))
        except OSError as error:
            log.error("the health file cannot be written: %s", error)

    def _look_at(self, child: Child) -> None:
        code = child.reap()
        if code is not None:
            self._take_end(child, code)
        elif child.process is None:
            if time.monotonic() >= child.start_at:
                self._start(child)
        elif child.is_ready:
            self._proven = True
        elif time.monotonic() - child.started > self._ready_within:
            log.error("child %d did not get ready within %.0f s: replaced", child.process.pid, self._ready_within)
            child.process.kill()

    def _start(self, child: Child) -> None:
        """A machine that has no room for a process now may have it later; the siblings work on."""
        try:
            child.start()
        except OSError as error:
            child.failures += 1
            child.start_at = time.monotonic() + wait_after(child.failures, 1.0)
            log.error("a child cannot be started now, trying again: %s", error)

    def _take_end(self, child: Child, code: int) -> None:
        """Replaces it: at once after a steady life or a recycling, else after a wait that grows. Where no child has
        ever got ready, a bad start is everybody's."""
        if code == exit_codes.BAD_START and not self._proven:
            log.error("a child cannot start at all: giving up")
            self._bad_start = code
            self._stop.set()
            return
        steady = time.monotonic() - child.started >= STEADY_AFTER
        child.failures = 0 if steady or code == exit_codes.RECYCLE else child.failures + 1
        wait = wait_after(child.failures, 1.0) if child.failures else 0.0
        child.start_at = time.monotonic() + wait
        log.warning("a child left with code %d: replaced in %.1f s", code, wait)

    def _leave(self) -> int:
        for child in self._children:
            child.code = None
            child.send(signal.SIGTERM)
        deadline = time.monotonic() + self._grace + KILL_AFTER
        hastened = False
        while any(child.process is not None for child in self._children):
            for child in self._children:
                child.reap()
            self._tell_health("draining")
            if self._hasten.is_set() and not hastened:
                hastened = True
                for child in self._children:
                    child.send(signal.SIGINT)
                    child.send(signal.SIGINT)
            if time.monotonic() >= deadline:
                for child in self._children:
                    child.send(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
            time.sleep(LOOK_INTERVAL / 2)
        if self._bad_start is not None:
            return self._bad_start
        return max((_meaning(child.code) for child in self._children), default=exit_codes.OK)


def _meaning(code: int | None) -> int:
    """The exit code that stands for how a child left at the end; one that SIGTERM met before it could listen had
    not begun to work, and one that was about to recycle has drained."""
    if code in (None, -signal.SIGTERM, exit_codes.RECYCLE):
        return exit_codes.OK
    return code if code >= 0 else exit_codes.SHUTDOWN_ERROR
