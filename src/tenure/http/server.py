"""One process that serves: uvicorn with its limits, and how it leaves.

Leaving, in this order: no new connection; open long polls answer at once; what runs gets the grace; the upkeep stops.
"""

import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import uvicorn

from tenure.core.errors import Misconfigured
from tenure.engine import memory
from tenure.engine.signals import handled
from tenure.http.application import Application
from tenure.http.connections.attending import AttendingProtocol, Unsent

log = logging.getLogger("tenure.http")

CLOSE_SECONDS: Final = 5.0
_BACKLOG: Final = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """connections: open at once. unsent_bytes: of answers that clients have not taken yet, of all connections; beyond
    it the slowest are cut. keep_alive: seconds that an idle one is kept. shutdown_grace: seconds that running requests
    get. trusted_proxies: addresses whose X-Forwarded-For is believed, comma-separated; none unless said."""

    connections: int = 1000
    unsent_bytes: int = 64 * 1024 * 1024
    keep_alive: int = 30
    shutdown_grace: int = 10
    trusted_proxies: str = ""


class Server(uvicorn.Server):
    """Drains at SIGTERM or Ctrl-C, or when `drain` is called."""

    def __init__(self, application: Application, options: ServerOptions | None = None) -> None:
        super().__init__(_config(application, options or ServerOptions()))
        self._application = application

    def drain(self) -> None:
        """Begins to leave. From any thread."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """In the place of uvicorn's own, which ends the process by the signal that drained it."""
        with handled(self.drain, self._hasten):
            yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            log.info("serving on %s", address(listening))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        log.info("draining: %d connections", len(self.server_state.connections))
        self._application.service.leaving.set()
        await super().shutdown(sockets)

    def _hasten(self) -> None:
        self.force_exit = True


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens. port: 0 takes a free one. Raises Misconfigured.

    It names its protocol: asyncio sends small segments at once (TCP_NODELAY) only where it does, and an answer's body
    would wait 40 ms for its head to be acknowledged.
    """
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _cannot_listen(host, port, error) from error
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(where)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise _cannot_listen(host, port, error) from error
    return listening


def _cannot_listen(host: str, port: int, error: OSError) -> Misconfigured:
    words = f"cannot listen on {host} port {port}: {error.strerror or error}"
    return Misconfigured(words, hint="Choose another --host or --port.")


def address(listening: socket.socket) -> str:
    """`http://host:port` of a socket that listens."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(application: Application, listening: socket.socket, options: ServerOptions | None = None) -> None:
    """Blocks until it has drained. The application has been started, or starts with the first request. The process is
    to serve and nothing else, and settles for that."""
    server = Server(application, options)
    memory.settle()
    memory.expect_no_rings()
    try:
        server.run(sockets=[listening])
    finally:
        _close(application)


@contextmanager
def beside(application: Application, listening: socket.socket) -> Iterator[None]:
    """Serves in a thread while the block runs; drains at its end."""
    server = Server(application)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="tenure-http", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.drain()
        thread.join(server.config.timeout_graceful_shutdown)
        _close(application)


def _close(application: Application) -> None:
    """Unless the database keeps its connections for longer than a server may take to leave."""
    closing = threading.Thread(target=application.service.close, name="tenure-close", daemon=True)
    closing.start()
    closing.join(CLOSE_SECONDS)


def _config(application: Application, options: ServerOptions) -> uvicorn.Config:
    class Protocol(AttendingProtocol):
        connections_most = options.connections
        head_bytes = application.service.options.head_bytes
        unsent = Unsent(options.unsent_bytes)

    return uvicorn.Config(
        application,
        http=Protocol,
        ws="none",
        loop="asyncio",  # The limits of a connection are tried on it alone (`pacing`).
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(options.trusted_proxies),
        forwarded_allow_ips=options.trusted_proxies or None,
        timeout_keep_alive=options.keep_alive,
        timeout_graceful_shutdown=options.shutdown_grace,
    )
