"""Barriers: a worker process that stops, freezes or kills itself at a named point (`tenure.engine.barrier`)."""

import os
import signal
import time
from pathlib import Path

from tenure.engine.barrier import EFFECT_NAMES, NAMES, VARIABLE, Barrier

__all__ = ["EFFECT_NAMES", "NAMES", "VARIABLE", "Stop", "killing"]

_LOOK = 0.01


def killing(name: str) -> dict[str, str]:
    """The environment of a process that kills itself with SIGKILL when it reaches `name`. Raises Misconfigured."""
    return _checked(f"{name}:kill")


class Stop:
    """A process started with `environment` waits at `name` until `go()`.

    folder: where the two sides meet; a fresh one for each test. freeze: SIGSTOP for the whole process, its
    heartbeats included, instead of holding up the one thread. Raises Misconfigured for an unknown name.
    """

    def __init__(self, name: str, folder: Path, *, freeze: bool = False) -> None:
        self._file, self._freeze = folder / f"barrier-{name}", freeze
        self.environment = _checked(f"{name}:{'freeze' if freeze else 'stop'}:{self._file}")

    @property
    def reached(self) -> bool:
        return self._file.exists() and bool(self._file.read_text())

    def wait(self, seconds: float = 30.0) -> int:
        """Waits until the process is at the point; its process id. Raises TimeoutError."""
        end = time.monotonic() + seconds
        while not self.reached:
            if time.monotonic() > end:
                raise TimeoutError(f"no process came to the barrier {self._file.name} in {seconds:g} s")
            time.sleep(_LOOK)
        return int(self._file.read_text())

    def go(self) -> None:
        """Lets the waiting process go on."""
        if self._freeze:
            os.kill(self.wait(), signal.SIGCONT)
        else:
            self._file.with_name(f"{self._file.name}.go").touch()


def _checked(text: str) -> dict[str, str]:
    Barrier(text)
    return {VARIABLE: text}
