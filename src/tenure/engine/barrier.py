"""Named points at which a test can stop or kill this very process.

`TENURE_BARRIER=after_handler:kill` sends SIGKILL to itself at the point `after_handler`.
`TENURE_BARRIER=after_handler:stop:/path` writes its process id to the file `/path`, then waits until `/path.go` exists.
`TENURE_BARRIER=after_handler:freeze:/path` writes its process id to `/path`, then sends SIGSTOP to itself.
Only the first arrival counts. When the variable is unset, `reach` does nothing.
"""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tenure.core.errors import Misconfigured

NAMES: Final = frozenset({
    "after_claim", "before_handler", "after_handler", "before_flush", "after_flush", "before_release",
})  # fmt: skip
EFFECT_NAMES: Final = frozenset({"before_effect", "after_effect", "after_effect_record"})
"""Points of an attempt that has an effect: on record and not called, called and not recorded, recorded."""
ARTIFACT_NAMES: Final = frozenset({"before_promote"})
"""Points of an attempt that makes a file besides: written aside, and not under its name."""

VARIABLE: Final = "TENURE_BARRIER"
ACTIONS: Final = frozenset({"kill", "stop", "freeze"})
_LOOK: Final = 0.005


class Barrier:
    """One armed point. Raises Misconfigured for a text that names none."""

    def __init__(self, text: str) -> None:
        self.name, _, rest = text.partition(":")
        self._action, _, file = rest.partition(":")
        self._file = Path(file)
        if (
            self.name not in NAMES | EFFECT_NAMES | ARTIFACT_NAMES
            or self._action not in ACTIONS
            or (self._action != "kill") != bool(file)
        ):
            raise Misconfigured(
                f"{VARIABLE} must be name:kill, name:stop:/file or name:freeze:/file, not {text!r}",
                hint=f"The names are {', '.join(sorted(NAMES | EFFECT_NAMES | ARTIFACT_NAMES))}.",
            )
        self._armed = True

    def reach(self, name: str) -> None:
        """Acts when `name` is the armed point, once."""
        if not self._armed or name != self.name:
            return
        self._armed = False
        if self._action == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        self._file.write_text(str(os.getpid()))
        if self._action == "freeze":
            # To this very thread: sent to the process, another could take it, and this one would run on for a moment.
            signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)
            return
        go = self._file.with_name(f"{self._file.name}.go")
        while not go.exists():
            time.sleep(_LOOK)


def _pass(name: str) -> None:
    """Nothing is armed."""


def check() -> None:
    """For a worker that starts. Raises Misconfigured where the variable names no point."""
    said = os.environ.get(VARIABLE)
    if said:
        Barrier(said)


def _reach_of(said: str | None) -> Callable[[str], None]:
    """The variable is read at the import, which must not fail for those who start no worker."""
    try:
        return Barrier(said).reach if said else _pass
    except Misconfigured:
        return _pass


reach: Final[Callable[[str], None]] = _reach_of(os.environ.get(VARIABLE))
"""Says that a named point has been reached."""
