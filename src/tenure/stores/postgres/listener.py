"""A waiter for wake-ups, with a connection of its own that LISTENs. Without one it only sleeps."""

import logging
import random
import select
import socket
import threading
from collections.abc import Collection
from typing import Final
from uuid import uuid4

from tenure.core.flow.place import EVERY_QUEUE
from tenure.stores.postgres import driver
from tenure.stores.postgres.driver import OwnConnection
from tenure.stores.postgres.wakeups import CHANNEL, Announcer, hint_of

log = logging.getLogger("tenure.postgres")

_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 15.0
_PROBE_SECONDS: Final = 1.0


class PostgresListener:
    """Safe from any thread. `wait` reads a socket pair alone, so a dead database never keeps it."""

    def __init__(self, url: str, queues: Collection[str], announcer: Announcer) -> None:
        self._url = url
        self._hints = {hint_of(queue) for queue in (*queues, EVERY_QUEUE)}
        self._announcer = announcer
        self._ear, self._mouth = socket.socketpair()
        self._stop_ear, self._stop_mouth = socket.socketpair()
        for end in (self._ear, self._mouth):
            end.setblocking(False)
        self._closed = threading.Event()
        self._guard = threading.Lock()
        announcer.join(self)
        self._thread = threading.Thread(target=self._listen, name="tenure-listener", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        if not select.select([self._ear], [], [], max(0.0, seconds))[0]:
            return False
        return b"h" in self._ear.recv(4096)

    def wake(self) -> None:
        self._say(b"w")

    def hint(self, hints: Collection[str]) -> None:
        """Ends a `wait` when one of the hints is for a watched queue."""
        if not self._hints.isdisjoint(hints):
            self._say(b"h")

    def close(self) -> None:
        if self._closed.is_set():
            return
        self._closed.set()
        self._announcer.leave(self)
        self._stop_mouth.send(b"s")
        self._thread.join(driver.CONNECT_SECONDS + 1)
        with self._guard:
            for end in (self._ear, self._mouth, self._stop_ear, self._stop_mouth):
                end.close()

    def _say(self, word: bytes) -> None:
        with self._guard:
            if self._mouth.fileno() < 0:
                return
            try:
                self._mouth.send(word)
            except BlockingIOError:
                return  # The pair is full: whoever waits has been woken many times over.

    def _listen(self) -> None:
        """Connects, and again after each loss; gives up only where a pooler makes listening impossible."""
        pause, again = _FIRST_PAUSE, False
        while not self._closed.is_set():
            try:
                with driver.connect(self._url, name=driver.LISTENER_NAME) as connection:
                    connection.execute(f'LISTEN "{CHANNEL}"')
                    if not (driver.is_direct(connection) or self._hears(connection)):
                        return
                    if again:
                        self._say(b"h")  # What was announced meanwhile went unheard.
                    pause, again = _FIRST_PAUSE, True
                    self._relay(connection)
            except driver.psycopg().Error as error:
                log.debug("the listener lost its connection: %s", error)
                self._closed.wait(pause * random.uniform(0.5, 1.0))  # noqa: S311
                pause = min(pause * 2, _LONGEST_PAUSE)

    def _relay(self, connection: OwnConnection) -> None:
        while not self._closed.is_set():
            ready = select.select([connection.pgconn.socket, self._stop_ear.fileno()], [], [])[0]
            if self._stop_ear.fileno() in ready:
                return
            self.hint(self._announcer.from_others(_arrived(connection)))

    def _hears(self, connection: OwnConnection) -> bool:
        """Whether a notification comes through a pooler, tried with one from another connection."""
        word = f"probe {uuid4()}"
        with driver.connect(self._url) as other:
            other.execute("SELECT pg_notify(%s, %s)", (CHANNEL, word))
        ready = select.select([connection.pgconn.socket], [], [], _PROBE_SECONDS)[0]
        if ready and word in _arrived(connection):
            return True
        log.warning("LISTEN does not work through this connection pooler; workers look for jobs by polling alone")
        return False


def _arrived(connection: OwnConnection) -> set[str]:
    """The payloads that have come. Raises OperationalError when the connection is gone."""
    connection.pgconn.consume_input()
    arrived = set()
    while (notification := connection.pgconn.notifies()) is not None:
        arrived.add(notification.extra.decode())
    return arrived
