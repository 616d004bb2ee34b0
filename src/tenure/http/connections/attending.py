"""Connections that know what became of their answers: which clients have hung up, and how much is left unsent.

uvicorn stops reading a connection while a request stands behind another, and then sees no hang-up; and it tells an
answer that has been written, not one that has left.
"""

import asyncio
import logging
import select
from collections import deque
from typing import Any, Final

from tenure.http.connections.delivery import EXTENSION, Delivery
from tenure.http.connections.guarding import GuardedProtocol
from tenure.http.connections.whole import UnderWay, WholeExchange
from tenure.http.exchange import WHOLE

log = logging.getLogger("tenure.http")

PRESENCE_SECONDS: Final = 1.0
"""How often it is looked whether a client is still there whose connection is not read."""

_HANG_UP: Final = getattr(select, "POLLRDHUP", 0)


class Unsent:
    """The connections whose clients have not taken what was written, the longest waiting first. most: bytes of all."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: dict[AttendingProtocol, None] = {}

    def note(self, one: "AttendingProtocol") -> None:
        """Something is left of what was written. Where that makes too much, the longest waiting are cut."""
        self._waiting[one] = None
        total = sum(each.transport.get_write_buffer_size() for each in self._waiting)
        for slowest in list(self._waiting):
            if total <= self._most:
                return
            total -= slowest.transport.get_write_buffer_size()
            log.info("cut: a client that is slow to take its answer, while %d bytes are unsent", total)
            self.forget(slowest)
            slowest.transport.abort()

    def forget(self, one: "AttendingProtocol") -> None:
        self._waiting.pop(one, None)


class AttendingProtocol(GuardedProtocol):
    """unsent: shared by the connections of a server."""

    unsent: Unsent

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._under_way: UnderWay = deque()
        self._whole = WholeExchange(self._under_way)
        self._written: list[Delivery] = []
        self._presence: asyncio.TimerHandle | None = None
        self._has_said_all = False

    # What was written has left, or not

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        transport.set_write_buffer_limits(high=0)  # So writing is paused exactly while something is left of it.
        super().connection_made(transport)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._write_timer is None:
            self._watch_writing()
        self.unsent.note(self)

    def resume_writing(self) -> None:
        super().resume_writing()
        self.unsent.forget(self)
        for delivery in self._written:
            delivery.is_done()
        self._written.clear()

    def on_response_complete(self) -> None:
        _, delivery = self._under_way.popleft()
        if self.flow.write_paused:
            self._written.append(delivery)
        else:
            delivery.is_done()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Every request of the connection hears of it, not only the last; and nothing of it is held any more."""
        if self._presence is not None:
            self._presence.cancel()
        self.unsent.forget(self)
        for cycle, _ in self._under_way:
            cycle.disconnected = not cycle.response_complete
            cycle.message_event.set()
        super().connection_lost(exc)
        lost = [*self._written, *(delivery for _, delivery in self._under_way)]
        self._written.clear()
        self._under_way.clear()
        for delivery in lost:
            delivery.lose()

    def shutdown(self) -> None:
        """The server leaves: what only waits behind another request is not answered any more."""
        if self._under_way:
            self._under_way[0][0].keep_alive = False
        else:
            self.transport.close()

    # Who is still there

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether the connection stays: a client that has said all may still wait for its answer. It may have gone as
        well, so whoever waits for work on its behalf ends."""
        if self._is_idle or self.cycle.more_body:
            return False
        self._has_said_all = True
        self.cycle.keep_alive = False
        self.cycle.message_event.set()
        return True

    def on_headers_complete(self) -> None:
        before, delivery = self.cycle, Delivery(self._has_hung_up)
        self.scope["extensions"] = {EXTENSION: delivery, WHOLE: self._whole}  # type: ignore[dict-item]
        super().on_headers_complete()
        if self.cycle is not before:
            self._under_way.append((self.cycle, delivery))
            if len(self._under_way) > 1 and self._presence is None:
                self._presence = self.loop.call_later(PRESENCE_SECONDS, self._look_for_client)

    def _look_for_client(self) -> None:
        self._presence = None
        if len(self._under_way) < 2:
            return
        if self._has_hung_up():
            self._under_way[0][0].message_event.set()
        self._presence = self.loop.call_later(PRESENCE_SECONDS, self._look_for_client)

    def _has_hung_up(self) -> bool:
        """Asked of the system: what lies unread before the end of the stream hides it from a reader."""
        if self._has_said_all or self.transport.is_closing():
            return True
        if not _HANG_UP:
            return False
        poll = select.poll()
        poll.register(self.transport.get_extra_info("socket"), _HANG_UP)
        return bool(poll.poll(0))
