"""How a listener sleeps until something stirs: a word from its own process, or a write to the database's files.

Linux tells of writes by itself (inotify); elsewhere the listener must look again and again.
"""

import ctypes
import os
import select
import socket
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Final, Protocol

_MODIFIED: Final = 0x2
_NONBLOCKING: Final = os.O_NONBLOCK if hasattr(os, "O_NONBLOCK") else 0
_CLOSE_ON_EXEC: Final = getattr(os, "O_CLOEXEC", 0)
_HEADER: Final = struct.Struct("iIII")
_BUFFER: Final = 65_536

_SHORTEST_LOOK: Final = 0.003
_LONGEST_LOOK: Final = 0.02
_SLOWER: Final = 1.3
_BETWEEN_LOOKS: Final = 0.001
_ALERT: Final = 0.1
"""Seconds for which a write is followed up: it is told before the sync that makes its commit visible."""


class Stirring(Protocol):
    """What wakes a listener."""

    def wait(self, seconds: float) -> bool:
        """Sleeps until a word comes (True), or until it is worth a look at the database or the time is over (False)."""

    def rest(self) -> None:
        """A look found nothing new: how soon the next one may come."""

    def begin(self) -> None:
        """A new wait begins."""

    def say(self) -> None:
        """A word from this process; kept for the next `wait` when nobody waits."""

    def close(self) -> None: ...


def of(path: Path) -> Stirring:
    """The best that this platform offers for a database file."""
    if sys.platform.startswith("linux"):
        try:
            return Told(path)
        except OSError:
            return Looking()
    return Looking()


class Looking:
    """Wakes by itself, less often the longer nothing stirs."""

    def __init__(self) -> None:
        self._word = threading.Event()
        self._look_after = _SHORTEST_LOOK

    def begin(self) -> None:
        self._look_after = _SHORTEST_LOOK

    def wait(self, seconds: float) -> bool:
        said = self._word.wait(max(0.0, min(seconds, self._look_after)))
        self._word.clear()
        return said

    def rest(self) -> None:
        self._look_after = min(self._look_after * _SLOWER, _LONGEST_LOOK)

    def say(self) -> None:
        self._word.set()

    def close(self) -> None:
        """Nothing is open."""


class Told:
    """Sleeps until the kernel tells of a write to the database file or its log. Raises OSError where it will not."""

    def __init__(self, path: Path) -> None:
        library = ctypes.CDLL(None, use_errno=True)
        self._events = library.inotify_init1(_NONBLOCKING | _CLOSE_ON_EXEC)
        if self._events < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        if library.inotify_add_watch(self._events, os.fsencode(path.parent), _MODIFIED) < 0:
            os.close(self._events)
            raise OSError(ctypes.get_errno(), "inotify_add_watch")
        self._names = {os.fsencode(path.name), os.fsencode(path.name + "-wal")}
        self._hear, self._speak = socket.socketpair()
        self._hear.setblocking(False)
        self._speak.setblocking(False)
        self._poll = select.poll()
        self._poll.register(self._events, select.POLLIN)
        self._poll.register(self._hear, select.POLLIN)
        self._alert_until = 0.0
        self._waiting = threading.Lock()
        self._closed = False

    def begin(self) -> None:
        """Each wait is like the other."""

    def wait(self, seconds: float) -> bool:
        with self._waiting:
            return self._closed or self._wait(seconds)

    def _wait(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while True:
            now = time.monotonic()
            alert = now < self._alert_until
            ready = self._poll_for(min(end - now, _BETWEEN_LOOKS) if alert else end - now)
            if self._hear.fileno() in ready:
                self._drain_words()
                return True
            if self._events in ready and self._is_ours():
                self._alert_until = time.monotonic() + _ALERT
                return False
            if alert or not ready:
                return False

    def rest(self) -> None:
        """Others may write a thousand times a second: a look at each would be one too many."""
        time.sleep(_BETWEEN_LOOKS)

    def say(self) -> None:
        try:
            self._speak.send(b"!")
        except (BlockingIOError, OSError):
            return  # many words wait already, or the listener is closed

    def close(self) -> None:
        self._closed = True
        self.say()
        with self._waiting:
            os.close(self._events)
            self._hear.close()
            self._speak.close()

    def _poll_for(self, seconds: float) -> set[int]:
        return {number for number, _ in self._poll.poll(max(0.0, seconds) * 1000)}

    def _drain_words(self) -> None:
        try:
            while self._hear.recv(4096):
                pass
        except BlockingIOError:
            return

    def _is_ours(self) -> bool:
        """Takes what the kernel has told; whether any of it is about the database's files."""
        try:
            told = os.read(self._events, _BUFFER)
        except BlockingIOError:
            return False
        place, ours = 0, False
        while place < len(told):
            _, _, _, size = _HEADER.unpack_from(told, place)
            place += _HEADER.size
            ours = ours or told[place : place + size].rstrip(b"\0") in self._names
            place += size
        return ours
