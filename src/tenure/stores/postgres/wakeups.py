"""Wake-ups: hints that a queue has ready jobs. They carry no truth; polling goes on underneath."""

import hashlib
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from tenure.core.errors import StoreError
from tenure.stores.forking import forgets
from tenure.stores.postgres import failures, statements
from tenure.stores.postgres.driver import LISTENER_NAME
from tenure.stores.script import Rows, Script, Statement

if TYPE_CHECKING:
    from tenure.stores.postgres.listener import PostgresListener

log = logging.getLogger("tenure.postgres")

CHANNEL: Final = "tenure"
_LONGEST_PAYLOAD: Final = 7_000
_SAME_QUEUE_SECONDS: Final = 0.02
_LOOK_SECONDS: Final = 1.0


def hint_of(queue: str) -> str:
    """What is sent for a queue: its name, or a digest of one that is too long for NOTIFY."""
    raw = queue.encode()
    return queue if len(raw) <= _LONGEST_PAYLOAD else hashlib.sha256(raw).hexdigest()


class Announcer:
    """Sends hints: for a queue at most once in 20 ms, and only while somebody listens. The commit of a single insert
    carries the first one; all others go from a thread of their own, so that no enqueue waits for them. Waiters of this
    process are told at once. run: runs a script on a connection of the store's own.
    """

    def __init__(self, run: Callable[[Script[Rows]], Rows]) -> None:
        self._run = run
        self._sender = uuid4().hex[:12]
        self._closed = False
        self._heard = False
        self._looked = float("-inf")
        self.forget_parent()
        forgets(self)

    def forget_parent(self) -> None:
        """What a parent was about to send it sends itself, and its listeners are its own."""
        self._changed = threading.Condition()
        self._pending: set[str] = set()
        self._sent: dict[str, float] = {}
        self._carrying: set[str] = set()
        self._carried: set[str] = set()
        self._looks_again = False
        self._listeners: set[PostgresListener] = set()
        self._thread: threading.Thread | None = None

    def carried(self, queue: str) -> str | None:
        """The hint that a commit which begins now shall carry, if any."""
        if not self._heard:
            return None
        hint, now = hint_of(queue), time.monotonic()
        with self._changed:
            if hint in self._pending or now - self._sent.get(hint, float("-inf")) < _SAME_QUEUE_SECONDS:
                # This job may come after the hint, so it is no answer to the next announcement any more.
                self._carrying.discard(hint)
                self._carried.discard(hint)
                return None
            self._sent[hint] = now
            self._carrying.add(hint)
            if now - self._looked >= _LOOK_SECONDS and not self._looks_again:
                self._looks_again = True
                self._changed.notify()
        return self._worded(hint)

    def has_carried(self, queue: str) -> None:
        """A commit has made a job and carried its hint: its `announce` need not send it again."""
        hint = hint_of(queue)
        with self._changed:
            if hint in self._carrying:
                self._carrying.discard(hint)
                self._carried.add(hint)

    def announce(self, queues: Collection[str]) -> None:
        """Never raises, never waits for the database."""
        hints = {hint_of(queue) for queue in queues}
        if not (hints <= self._pending and self._is_sending()):  # Whoever takes a pending hint has not sent it yet.
            self._put(hints)
        for listener in list(self._listeners):
            listener.hint(hints)

    def _put(self, hints: set[str]) -> None:
        """Leaves to the thread what no commit has carried."""
        with self._changed:
            unsent = hints - self._just_carried(hints)
            if unsent and not self._closed:
                self._pending |= unsent
                self._start()
                self._changed.notify()

    def from_others(self, payloads: Iterable[str]) -> set[str]:
        """The hints in notifications, without this process's own: its waiters know them already."""
        said = (payload.partition(" ") for payload in payloads)
        own = self._name()
        return {hint for sender, _, hint in said if sender != own}

    def join(self, listener: "PostgresListener") -> None:
        with self._changed:
            self._listeners.add(listener)

    def leave(self, listener: "PostgresListener") -> None:
        with self._changed:
            self._listeners.discard(listener)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _just_carried(self, hints: set[str]) -> set[str]:
        """Those that a commit has carried of late, each for one announcement: the job of the next one came after it."""
        found = hints & self._carried
        self._carried -= found
        since = time.monotonic() - _SAME_QUEUE_SECONDS
        return {hint for hint in found if self._sent.get(hint, float("-inf")) > since}

    def _worded(self, hint: str) -> str:
        return f"{self._name()} {hint}"

    def _name(self) -> str:
        """Of this process: a forked child speaks for itself, and hears its parent."""
        return f"{self._sender}-{os.getpid()}"

    def _is_sending(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _start(self) -> None:
        if not self._is_sending():
            self._thread = threading.Thread(target=self._send_all, name="tenure-announcer", daemon=True)
            self._thread.start()

    def _send_all(self) -> None:
        fails = False
        while True:
            due = self._next_due()
            if due is None:
                return
            try:
                self._offer([self._worded(hint) for hint in sorted(due)])
                fails = False
            except StoreError as error:
                log.debug("a wake-up was not sent: %s", error)
            except Exception as error:
                log.log(
                    logging.DEBUG if fails else logging.ERROR, "a wake-up was not sent: %r", error, exc_info=not fails
                )
                fails = True

    def _offer(self, hints: list[str]) -> None:
        """Sends hints where somebody listens; without any it only looks. Where the last look found somebody they go
        first, and wait for no other look; should that find nobody any more, they are offered like those that nobody was
        there for."""
        heard = self._heard
        if heard and hints:
            self._notify(hints)
        if (self._somebody_listens() and heard) or not hints:
            return
        if self._heard or self._somebody_comes_back():
            self._notify(hints)

    def _notify(self, hints: list[str]) -> None:
        try:
            self._run(_ask("notify", hints=hints))
        except Exception as error:
            if failures.sqlstate(error) != failures.NO_ROOM:
                raise
            self._run(_ask("make_room"))
            self._run(_ask("notify", hints=hints))

    def _next_due(self) -> set[str] | None:
        """The hints that may go out now, waited for; none where only another look is wanted. None at the end."""
        with self._changed:
            while not self._closed:
                now = time.monotonic()
                self._sent = {hint: at for hint, at in self._sent.items() if now - at < _SAME_QUEUE_SECONDS}
                due = self._pending - self._sent.keys()
                if due or self._looks_again:
                    self._looks_again = False
                    self._pending -= due
                    self._sent |= dict.fromkeys(due, now)
                    return due
                first = min((self._sent[hint] for hint in self._pending), default=None)
                self._changed.wait(None if first is None else first + _SAME_QUEUE_SECONDS - now)
            return None

    def _somebody_comes_back(self) -> bool:
        """A second look, when the first is old: a listener that had just lost its connection has another by then."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed, self._looked + _LOOK_SECONDS - time.monotonic())
        return not self._closed and self._somebody_listens()

    def _somebody_listens(self) -> bool:
        now = time.monotonic()
        if now - self._looked >= _LOOK_SECONDS:
            self._heard = self._run(_ask("listeners", application=LISTENER_NAME)) == [("true",)]
            self._looked = now
        return self._heard


def _ask(name: str, **fields: object) -> Script[Rows]:
    return (yield Statement(statements.text(name), (json.dumps(fields),), commits=True))
