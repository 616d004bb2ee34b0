"""Connections of a server without sockets: what comes in is said at once, what goes out is looked at turn by turn."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from uvicorn.server import ServerState

from tenure.http import server
from tenure.http.application import Application
from tenure.http.connections.attending import AttendingProtocol


class Pipe(asyncio.Transport):
    """A connection without a socket: what was written, and whether it is read. answered: is called at each write."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.is_read = True
        self.is_closed = asyncio.Event()
        self.answered: Callable[[], None] = lambda: None

    def write(self, data: Any) -> None:
        self.written += data
        self.answered()

    def is_closing(self) -> bool:
        return self.is_closed.is_set()

    def close(self) -> None:
        self.is_closed.set()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert high == 0

    def get_write_buffer_size(self) -> int:
        return 0

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return {"peername": ("127.0.0.1", 5), "sockname": ("127.0.0.1", 6)}.get(name, default)

    def pause_reading(self) -> None:
        self.is_read = False

    def resume_reading(self) -> None:
        self.is_read = True

    async def until(self, true: Callable[[], bool]) -> None:
        """Looks at each turn of the loop."""
        for _ in range(1_000_000):
            if true():
                return
            await asyncio.sleep(0)
        raise AssertionError("it never came true")


class Door:
    """Connections of one server, made by hand."""

    def __init__(self, application: Application) -> None:
        self._config = server._config(application, server.ServerOptions())
        self._config.load()
        self._state = ServerState()

    def open(self) -> tuple[AttendingProtocol, Pipe]:
        protocol, pipe = self._config.http_protocol_class(self._config, self._state, {}), Pipe()  # type: ignore[operator, call-arg]
        protocol.connection_made(pipe)
        return protocol, pipe


def by_hand(application: Application, said: Callable[[Door], Awaitable[None]]) -> None:
    async def run() -> None:
        await said(Door(application))

    asyncio.run(run())
