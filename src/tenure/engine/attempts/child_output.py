"""What a child process prints: read by a thread of its own, counted, and logged without the secrets of the attempt."""

import logging
import threading
from collections.abc import Callable
from typing import IO, Final

from tenure.engine.attempts.run import Run

log = logging.getLogger("tenure.engine")

LINE: Final = 1 << 16
"""Bytes of a handler's output that are read at once, however long its lines are."""

END: Final = b"\0\0attempt over\0\0\n"
"""What a child writes behind the output of an attempt."""


_LEVELS: Final = {b"WARNING": logging.WARNING, b"ERROR": logging.ERROR, b"CRITICAL": logging.CRITICAL}
_FORMAT: Final = "%(levelname)s %(message)s"


def level() -> int:
    """From which level on a child tells what its handlers log: the worker's."""
    return logging.getLogger("tenure.job").getEffectiveLevel()


def log_from(least: int) -> None:
    """What handlers log in a child goes the way of what they print; its first word says the level."""
    logging.basicConfig(level=least, format=_FORMAT)


class Output:
    """Of one child. One attempt at a time: the next one begins when all that the last one printed has been read, else
    it would be told with the secrets of the one before it, and count as its own."""

    def __init__(self, pid: int, stream: IO[bytes], most: int, too_much: Callable[[], None]) -> None:
        """most: bytes of an attempt, after which `too_much` is called and nothing more is read."""
        self._pid, self._stream = pid, stream
        self._most, self._too_much = most, too_much
        self._printed = 0
        self._goes_on = False
        self._run: Run | None = None
        self._is_read = threading.Event()
        self.exceeded = False
        threading.Thread(target=self._drain, daemon=True).start()

    def begin(self, run: Run) -> None:
        self._printed, self.exceeded, self._run = 0, False, run
        self._is_read.clear()

    def wait_read(self, seconds: float) -> bool:
        """Whether all that the attempt printed has been read within so many seconds."""
        return self._is_read.wait(seconds)

    def _drain(self) -> None:
        try:
            with self._stream as stream:
                while not self.exceeded and (line := stream.readline(LINE)):
                    self._take(line)
        finally:
            self._is_read.set()

    def _take(self, line: bytes) -> None:
        is_end = line.endswith(END)
        said = line.removesuffix(END)
        self._printed += len(said)
        self.exceeded = self._printed > self._most
        if self.exceeded:
            self._too_much()
        elif said:
            log.log(_level_of(said), "child %d: %s", self._pid, self._told(said))
        self._goes_on = not line.endswith(b"\n")
        if is_end:
            self._is_read.set()

    def _told(self, said: bytes) -> str:
        """Of a line that is read in pieces, the ends of a piece may lie inside of a secret."""
        told = said.decode(errors="replace").rstrip()
        if self._run is None:
            return told
        told = self._run.without_secrets(told, is_cut=not said.endswith(b"\n"))
        return self._run.without_secrets(told, keeps_end=True, is_cut=True) if self._goes_on else told


def _level_of(said: bytes) -> int:
    return _LEVELS.get(said.partition(b" ")[0], logging.INFO)
