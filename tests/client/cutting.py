"""A wire between client and service that is cut when a test says so: after the service has answered, so after it has
committed, and before its client hears of it."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit


class Wire:
    """url: for the client. `cut_next(path)`: the next answer to a request of this path is swallowed, once."""

    def __init__(self, service: str) -> None:
        parts = urlsplit(service)
        self._service = (str(parts.hostname), int(parts.port or 0))
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._cut: list[bytes] = []
        self.cuts = 0
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut_next(self, path: str) -> None:
        with self._lock:
            self._cut.append(path.encode())

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        """One request after the other: whole to the service, its answer whole back."""
        with client, socket.create_connection(self._service) as service:
            while True:
                asked = _message(client)
                if asked is None:
                    return
                service.sendall(asked)
                answer = _message(service)
                if answer is None or self._is_cut(asked):
                    return
                client.sendall(answer)

    def _is_cut(self, asked: bytes) -> bool:
        path = asked.split(b" ", 2)[1]
        with self._lock:
            if path not in self._cut:
                return False
            self._cut.remove(path)
            self.cuts += 1
            return True


def _message(peer: socket.socket) -> bytes | None:
    """One message of HTTP/1.1, by its Content-Length; None when the peer has left."""
    received = b""
    while b"\r\n\r\n" not in received:
        chunk = _chunk(peer)
        if not chunk:
            return None
        received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    missing = int(lengths[0]) - len(body) if lengths else 0
    while missing > 0:
        chunk = _chunk(peer)
        if not chunk:
            return None
        received += chunk
        missing -= len(chunk)
    return received


def _chunk(peer: socket.socket) -> bytes:
    try:
        return peer.recv(65_536)
    except OSError:
        return b""


@contextmanager
def wire(service: str) -> Iterator[Wire]:
    made = Wire(service)
    try:
        yield made
    finally:
        made.close()
