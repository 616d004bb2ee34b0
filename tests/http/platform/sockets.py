"""Requests and answers as bytes, over a socket."""

import contextlib
import socket

PATIENCE = 60
GET = b"GET /alive HTTP/1.1\r\nhost: localhost\r\n\r\n"


def connected(address: tuple[str, int]) -> socket.socket:
    return socket.create_connection(address, timeout=PATIENCE)


def rest(connection: socket.socket) -> bytes:
    """What comes until the server ends the connection."""
    said = b""
    with contextlib.suppress(ConnectionResetError):
        while chunk := connection.recv(65_536):
            said += chunk
    return said


def answer_on(connection: socket.socket) -> bytes:
    """One answer with a length, whole; the connection stays."""
    said = b""
    while b"\r\n\r\n" not in said:
        said += connection.recv(65_536)
    head, _, body = said.partition(b"\r\n\r\n")
    length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.startswith(b"content-length:"))
    while len(body) < length:
        body += connection.recv(65_536)
    return head + body


def post(body: bytes, *headers: str, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    lines = ["POST /things HTTP/1.1", "host: localhost", "content-type: application/json", f"content-length: {size}"]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body
