"""Programmes in processes of their own, started together.

A child says `ready`, waits for `go`, works, and says its answer as one line of JSON. The child's half is
`benchmarks.child`, which needs nothing but the standard library, so that peers run under their own interpreter.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring import NotMeasured

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 600.0
MISSING = 3
"""Exit code of a child that lacks the library it is to measure."""


class Child:
    """One such process."""

    def __init__(self, module: str, *arguments: Any, python: str = sys.executable) -> None:
        command = [python, "-m", module, *map(str, arguments)]
        self.name = module
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=_environment()
        )

    @property
    def pid(self) -> int:
        return self.process.pid

    def await_ready(self) -> "Child":
        while self._line() != "ready":
            pass
        return self

    def go(self) -> None:
        stdin = self.process.stdin
        assert stdin is not None
        stdin.write("go\n")
        stdin.flush()

    def answer(self) -> dict[str, Any]:
        """Waits for what it found out."""
        while not (line := self._line()).startswith("{"):
            pass
        found: dict[str, Any] = json.loads(line)
        return found

    def stop(self) -> None:
        """Asks it to leave, as an operator would."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def join(self) -> None:
        try:
            self.process.wait(LONGEST)
        finally:
            if self.process.poll() is None:
                self.process.kill()
            for stream in (self.process.stdin, self.process.stdout):
                if stream is not None:
                    stream.close()

    def _line(self) -> str:
        stdout = self.process.stdout
        assert stdout is not None
        line = stdout.readline()
        if line:
            return line.strip()
        code = self.process.wait()
        if code == MISSING:
            raise NotMeasured("not installed for this interpreter")
        raise RuntimeError(f"{self.name} left with exit code {code} before it had answered")


def together(children: Sequence[Child]) -> list[dict[str, Any]]:
    """Starts all of them at once; their answers."""
    try:
        for child in children:
            child.await_ready()
        for child in children:
            child.go()
        return [child.answer() for child in children]
    finally:
        dismiss(children)


def dismiss(children: Sequence[Child]) -> None:
    for child in children:
        child.stop()
    for child in children:
        child.join()


def await_file(path: Path, seconds: float = LONGEST) -> None:
    """Waits until a file exists."""
    until = time.monotonic() + seconds
    while not path.exists():
        if time.monotonic() > until:
            raise RuntimeError(f"{path.name} has not come")
        time.sleep(0.05)


def rate_of(answers: Sequence[dict[str, Any]]) -> float:
    """Jobs a second of children that worked side by side: all jobs between the first start and the last end."""
    span = max(a["ended"] for a in answers) - min(a["began"] for a in answers)
    return float(sum(a["jobs"] for a in answers) / span)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("TENURE_")}
