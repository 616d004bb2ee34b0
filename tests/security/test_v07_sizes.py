"""V-07: a body is limited before it is parsed, and before it has been taken in whole."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tenure.core.payloads import documents
from tenure.edge.operation import Operation
from tenure.edge.operations import TABLE
from tenure.http.bodies.long_bodies import SHORT
from tenure.http.bodies.reading import BATCHES
from tenure.http.options import BATCH_BYTES, BODY_BYTES
from tenure.stores.protocol import Store
from tenure.testing import FakeClock
from tests.client.serving import Served, serving
from tests.security.gate import NOBODY, Gate, gate_of, refusal

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


BATCH = next(one for one in TABLE if one.name == "enqueue_many")
MANY = 250_000


@pytest.mark.usefixtures("_no_parsing")
@pytest.mark.parametrize("unit", ["[],", "{},", "0,", '{"a":{}},', '"",'])
def test_a_body_of_many_values_is_refused_before_it_is_parsed(gate: Gate, unit: str) -> None:
    """An empty list is three bytes of text, and thirty times as many in memory."""
    body = f'{{"jobs":[{unit * MANY}0]}}'.encode()
    said = {"content-type": "application/json"}
    answer = gate.ask(gate.key("admin"), "POST", "/jobs/batch", content=body, headers=said)
    assert refusal(answer) == (413, "too_many_values")


def test_what_looks_like_values_inside_texts_is_not_counted(gate: Gate) -> None:
    jobs = [{"type": "mail", "payload": {"a": ",[{" * 20_000}} for _ in range(10)]
    answer = gate.call(gate.key("admin"), "enqueue_many", {"jobs": jobs})
    assert [one["status"] for one in answer.json()["jobs"]] == [201] * 10


class Batch:
    """A request for a batch that comes in two pieces. all_of_it: set when the second may come."""

    def __init__(self, gate: Gate, body: bytes) -> None:
        self.all_of_it = asyncio.Event()
        self.first_is_taken = asyncio.Event()
        self.status = 0
        self.body = b""
        self.headers: dict[bytes, bytes] = {}
        self._application = gate.application
        self._pieces = [body[:-1], body[-1:]]
        self._credential = gate.key("admin").encode()

    async def sent(self) -> None:
        scope = {
            "type": "http",
            "method": BATCH.method,
            "path": BATCH.path,
            "query_string": b"",
            "headers": [(b"content-type", b"application/json"), (b"authorization", b"Bearer " + self._credential)],
            "client": ("127.0.0.1", 4000),
        }
        await self._application(scope, self._receive, self._send)  # type: ignore[arg-type]

    async def _receive(self) -> dict[str, Any]:
        if len(self._pieces) == 1:
            self.first_is_taken.set()
            await self.all_of_it.wait()
        return {"type": "http.request", "body": self._pieces.pop(0), "more_body": bool(self._pieces)}

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], dict(message["headers"])
        self.body += message.get("body", b"")


def test_more_long_bodies_than_are_held_at_once_are_told_to_come_again(database: Store, clock: FakeClock) -> None:
    body = b'{"jobs":[{"type":"mail","payload":{"a":"%s"}}]}' % (b"x" * 60_000 + b"\\u0078" * 1500)
    assert len(body) > SHORT
    with gate_of(database, clock, batch_bytes=100_000, held_bytes=100_000) as gate:

        async def three() -> list[Batch]:
            slow, refused, later = (Batch(gate, body) for _ in range(3))
            refused.all_of_it.set()
            later.all_of_it.set()
            sending = asyncio.ensure_future(slow.sent())
            await slow.first_is_taken.wait()
            await refused.sent()
            slow.all_of_it.set()
            await sending
            await later.sent()
            return [slow, refused, later]

        slow, refused, later = gate.run(three())
    assert [slow.status, refused.status, later.status] == [200, 503, 200]
    assert b"too_many_bodies" in refused.body
    assert int(refused.headers[b"retry-after"]) >= 1


def test_the_time_of_a_body_ends_when_it_has_come(database: Store, clock: FakeClock) -> None:
    """However long it is read as JSON: that is no slow client. A body gets no time here beyond what it has arrived
    in."""
    with gate_of(database, clock, body_seconds=0.0) as gate:
        gate.call(gate.key("admin"), "list_jobs")
        sent = Batch(gate, b'{"jobs":[%s0]}' % (b"0," * SHORT))
        sent.all_of_it.set()
        gate.run(sent.sent())
    assert (sent.status, b"out_of_range" in sent.body) == (422, True)


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
    assert told.startswith((b"HTTP/1.1 4", b"HTTP/1.1 501 "))
    assert b'{"alive":true}' not in told


def test_what_follows_a_short_length_is_no_part_of_the_body(served: Served) -> None:
    told = spoken(served, "content-length: 2\r\n", b"{}" + b'{"type":"mail"}')
    assert told.startswith(b"HTTP/1.1 4")
    assert b"HTTP/1.1 2" not in told
