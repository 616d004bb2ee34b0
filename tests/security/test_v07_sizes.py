"""V-07: a body is limited before it is parsed, and before it has been taken in whole."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tenure.core import documents
from tenure.edge.operations import TABLE, Operation
from tenure.http.options import BATCH_BYTES, BODY_BYTES
from tenure.http.reading import BATCHES
from tests.client.serving import Served, serving
from tests.security.gate import NOBODY, Gate

CHUNK = 16 * 1024
SLACK = 64 * 1024 + 2 * CHUNK
"""What may be taken off the connection beyond the limit, to be thrown away, before the answer goes out."""

WITH_BODIES = [one for one in TABLE if one.body is not None]


class Flood:
    """A client that sends without end, and counts what was taken when the answer began."""

    def __init__(self, gate: Gate, credential: str | None) -> None:
        self._gate = gate
        self._credential = credential
        self.taken = 0
        self.taken_at_answer: int | None = None
        self.status = 0
        self.body = b""

    def into(self, operation: Operation, headers: dict[str, str], endless: int) -> "Flood":
        """endless: how many bytes there would be."""
        path = operation.path.replace("{id}", NOBODY).replace("{name}", "mail")
        said = {"content-type": "application/json", **headers}
        if self._credential is not None:
            said["authorization"] = f"Bearer {self._credential}"
        scope = {
            "type": "http",
            "method": operation.method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in said.items()],
            "client": ("127.0.0.1", 4000),
        }

        async def receive() -> dict[str, Any]:
            await asyncio.sleep(0)
            self.taken += CHUNK
            return {"type": "http.request", "body": b"[" * CHUNK, "more_body": self.taken < endless}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                self.taken_at_answer, self.status = self.taken, message["status"]
            self.body += message.get("body", b"")

        self._gate.run(self._gate.application(scope, receive, send))  # type: ignore[arg-type]
        return self


@pytest.fixture
def _no_parsing(monkeypatch: pytest.MonkeyPatch) -> None:
    def parsed(*_said: Any, **_named: Any) -> Any:
        raise AssertionError("a body over its limit was parsed")

    monkeypatch.setattr(documents, "parse", parsed)


@pytest.mark.usefixtures("_no_parsing")
@pytest.mark.parametrize("operation", WITH_BODIES, ids=lambda one: one.name)
def test_a_body_without_end_is_refused_at_its_limit(gate: Gate, operation: Operation) -> None:
    most = BATCH_BYTES if operation.name in BATCHES else BODY_BYTES
    flood = Flood(gate, gate.key("admin")).into(operation, {"transfer-encoding": "chunked"}, endless=4 * BATCH_BYTES)
    assert flood.status == 413
    assert b"too_large" in flood.body
    assert flood.taken_at_answer is not None
    assert most < flood.taken_at_answer <= most + SLACK


@pytest.mark.usefixtures("_no_parsing")
@pytest.mark.parametrize("operation", WITH_BODIES, ids=lambda one: one.name)
def test_a_length_over_the_limit_is_refused_before_the_body_is_taken(gate: Gate, operation: Operation) -> None:
    said = {"content-length": str(BATCH_BYTES * 4)}
    flood = Flood(gate, gate.key("admin")).into(operation, said, endless=4 * BATCH_BYTES)
    assert flood.status == 413
    assert flood.taken_at_answer is not None
    assert flood.taken_at_answer <= SLACK


@pytest.mark.usefixtures("_no_parsing")
@pytest.mark.parametrize("length", ["1", "0", "-1", "1e1", "99999999999999999999999", "", "²"])
def test_a_length_that_lies_lifts_no_limit(gate: Gate, length: str) -> None:
    [enqueue] = [one for one in TABLE if one.name == "enqueue"]
    said = {"content-length": length}
    flood = Flood(gate, gate.key("admin")).into(enqueue, said, endless=4 * BATCH_BYTES)
    assert flood.status == 413
    assert flood.taken_at_answer is not None
    assert flood.taken_at_answer <= BODY_BYTES + SLACK


@pytest.mark.usefixtures("_no_parsing")
@pytest.mark.parametrize("operation", WITH_BODIES, ids=lambda one: one.name)
def test_nobody_without_a_credential_or_the_role_gets_a_body_read(gate: Gate, operation: Operation) -> None:
    for credential, status in ((None, 401), (gate.key("viewer"), 403)):
        flood = Flood(gate, credential).into(operation, {"transfer-encoding": "chunked"}, endless=4 * BATCH_BYTES)
        assert flood.status == status
        assert flood.taken_at_answer is not None
        assert flood.taken_at_answer <= SLACK


def test_the_limits_of_a_payload_are_inclusive(gate: Gate) -> None:
    text = gate.key("admin")
    for filler, status in (("x" * (65_536 - len('{"a":""}')), 201), ("x" * (65_537 - len('{"a":""}')), 422)):
        answer = gate.call(text, "enqueue", {"type": "mail", "payload": {"a": filler}})
        assert answer.status_code == status
    assert (answer.json()["code"], answer.json()["field"]) == ("too_large", "payload")


def test_a_payload_at_its_limit_may_be_written_the_longest_way(gate: Gate) -> None:
    """Six bytes of JSON for two bytes of UTF-8."""
    written = "\\u00e4" * 32_000
    body = f'{{"type":"mail","payload":{{"a":"{written}"}}}}'.encode()
    said = {"content-type": "application/json"}
    answer = gate.ask(gate.key("admin"), "POST", "/jobs", content=body, headers=said)
    assert answer.status_code == 201
    assert answer.json()["payload"] == {"a": "ä" * 32_000}


@pytest.mark.parametrize(
    ("member", "most"),
    [("type", 200), ("queue", 200), ("tenant", 200), ("idempotency_key", 512)],
)
def test_names_and_keys_are_limited(gate: Gate, member: str, most: int) -> None:
    text = gate.key("admin")
    answer = gate.call(text, "enqueue", {"type": "mail", member: "x" * (most + 1)})
    assert (answer.status_code, answer.json()["field"]) == (422, member)
    if member != "type":
        assert gate.call(text, "enqueue", {"type": "mail", member: "x" * most}).status_code == 201


def test_keys_are_limited_in_bytes(gate: Gate) -> None:
    text = gate.key("admin")
    assert gate.call(text, "enqueue", {"type": "mail", "idempotency_key": "ä" * 256}).status_code == 201
    answer = gate.call(text, "enqueue", {"type": "mail", "idempotency_key": "ä" * 257})
    assert (answer.status_code, answer.json()["field"]) == (422, "idempotency_key")


@pytest.mark.parametrize("where", ["header", "query", "path"])
def test_a_head_is_limited(gate: Gate, where: str) -> None:
    long = "x" * 20_000
    text = gate.key("admin")
    answer = {
        "header": lambda: gate.ask(text, "GET", "/jobs", headers={"x-long": long}),
        "query": lambda: gate.ask(text, "GET", "/jobs", params={"type": long}),
        "path": lambda: gate.ask(text, "GET", f"/kinds/{long}"),
    }[where]()
    assert (answer.status_code, answer.json()["code"]) == (431, "head_too_large")


# Over a real socket


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(f"sqlite:///{tmp_path}/tenure.db", body_seconds=1.0) as one:
        yield one


def spoken(served: Served, head: str, body: bytes, *, credential: bool = True) -> bytes:
    """Everything that the server answers until it closes."""
    parts = urlsplit(served.url)
    authorization = f"authorization: Bearer {served.key('admin', 'chief')}\r\n" if credential else ""
    text = f"POST /jobs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{authorization}{head}\r\n"
    with socket.create_connection((str(parts.hostname), int(parts.port or 0)), timeout=20) as peer:
        peer.sendall(text.encode() + body)
        told = b""
        while chunk := peer.recv(65_536):
            told += chunk
        return told


def test_a_body_that_does_not_come_is_not_waited_for(served: Served) -> None:
    told = spoken(served, "content-length: 1000\r\n", b'{"type"')
    assert told.startswith(b"HTTP/1.1 408")
    assert b"request_timeout" in told


@pytest.mark.parametrize(
    "head",
    [
        "content-length: 5\r\ncontent-length: 6\r\n",
        "content-length: 5\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: chunked\r\ncontent-length: 5\r\n",
        "content-length: +5\r\n",
        "content-length: -5\r\n",
        "content-length: 0x5\r\n",
        "content-length: 5 5\r\n",
        "transfer-encoding: chunked, identity\r\n",
        "transfer-encoding: xchunked\r\n",
        "content-length : 5\r\n",
    ],
)
def test_no_second_request_is_smuggled_in(served: Served, head: str) -> None:
    """Lengths that contradict each other, or are none, end the connection: what follows is read as nothing."""
    smuggled = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-smuggled: yes\r\n\r\n"
    told = spoken(served, head, b"0\r\n\r\n" + smuggled)
    assert told.startswith(b"HTTP/1.1 4")
    assert b'{"alive":true}' not in told


def test_what_follows_a_short_length_is_no_part_of_the_body(served: Served) -> None:
    told = spoken(served, "content-length: 2\r\n", b"{}" + b'{"type":"mail"}')
    assert told.startswith(b"HTTP/1.1 4")
    assert b"HTTP/1.1 2" not in told
