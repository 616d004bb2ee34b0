"""What only a socket shows: limits of the head, slow clients, the drain."""

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn

from tenure.http import guarding, server
from tenure.http.application import Application
from tenure.http.call import Call, Reply
from tenure.http.server import Server, ServerOptions
from tenure.http.service import Service
from tests.http.platform.conftest import Build
from tests.http.platform.things import Thing

PATIENCE = 60
GET = b"GET /alive HTTP/1.1\r\nhost: localhost\r\n\r\n"
Running = tuple[Server, tuple[str, int]]
Serve = Callable[..., Running]


@pytest.fixture
def serve(build: Build) -> Iterator[Serve]:
    """Serves an application on a free port, in a thread; its server and address."""
    running: list[tuple[Server, threading.Thread]] = []

    def start(application: Application | None = None, **options: Any) -> Running:
        made = Server(application or build(insecure_local=True), ServerOptions(**options))
        listening = server.bound("127.0.0.1", 0)
        thread = threading.Thread(target=made.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        running.append((made, thread))
        return made, listening.getsockname()

    yield start
    for made, thread in running:
        made.drain()
        thread.join(PATIENCE)
        assert not thread.is_alive()


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


def test_one_connection_takes_several_requests(serve: Serve) -> None:
    _, address = serve()
    with connected(address) as connection:
        for _ in range(3):
            connection.sendall(GET)
            assert answer_on(connection).startswith(b"HTTP/1.1 200 OK")


def test_a_head_without_end_is_cut_where_the_limit_is(serve: Serve, build: Build) -> None:
    _, address = serve(build(head_bytes=2000, insecure_local=True))
    with connected(address) as connection:
        connection.sendall(b"GET /alive HTTP/1.1\r\nx-long: ")
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(1000):
                connection.sendall(b"y" * 1000)
        assert b" 431 " in rest(connection).split(b"\r\n")[0]


def test_a_head_that_does_not_end_in_time_is_answered_408(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarding.GuardedProtocol, "head_seconds", 0.05)
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(b"GET /alive HTTP/1.1\r\n")
        assert rest(connection).startswith(b"HTTP/1.1 408 ")


def test_a_connection_that_says_nothing_is_ended(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarding.GuardedProtocol, "head_seconds", 0.05)
    _, address = serve()
    with connected(address) as connection:
        assert rest(connection) == b""


def test_a_connection_that_goes_on_with_the_body_of_an_answered_request_is_ended(
    serve: Serve, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenure.http.exchange._DISCARD_SECONDS", 0.05)
    _, address = serve(build(body_bytes=1000, insecure_local=True))
    with connected(address) as connection:
        connection.sendall(post(b"x" * 10, length=5000))
        assert rest(connection).startswith(b"HTTP/1.1 413 ")


def test_a_body_that_is_slow_is_cut(serve: Serve, build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenure.http.exchange._DISCARD_SECONDS", 0.05)
    _, address = serve(build(body_seconds=0.05, insecure_local=True))
    with connected(address) as connection:
        connection.sendall(post(b"{", length=20))
        assert rest(connection).startswith(b"HTTP/1.1 408 ")


def test_a_client_that_still_writes_gets_its_refusal_whole(serve: Serve) -> None:
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(post(b"x" * 3_000_000))
        said = rest(connection)
    assert said.startswith(b"HTTP/1.1 413 ")
    assert said.endswith(b"}\n")


def test_a_client_that_asks_before_it_sends_is_refused_before_it_has(serve: Serve) -> None:
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(post(b"", "expect: 100-continue", length=10_000_000))
        assert rest(connection).startswith(b"HTTP/1.1 413 ")


def test_a_small_body_of_a_refused_request_keeps_the_connection(serve: Serve) -> None:
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(post(b"{}", "origin: https://evil.example"))
        assert answer_on(connection).startswith(b"HTTP/1.1 403 ")
        connection.sendall(GET)
        assert answer_on(connection).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "said",
    [
        b"nonsense\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\n\r\n",
        b"GET /alive HTTP/1.1\r\nbad header: x\r\n\r\n",
        b"POST /things HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"POST /things HTTP/1.1\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
)
def test_what_is_no_http_is_a_problem_too(serve: Serve, said: bytes) -> None:
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(said)
        answer = rest(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"application/problem+json" in answer


UNKNOWN = "unknown_transfer_coding"
NO_HOST = "GET /alive HTTP/1.1\r\n\r\n"
CHUNKS = "content-type: application/json\r\n{}\r\n\r\nd\r\n" + '{{"name": "a"}}' + "\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        (NO_HOST, 400, "bad_host"),
        (NO_HOST.replace("/alive", "http://localhost/alive"), 400, "bad_host"),
        ("GET /alive HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n", 400, "bad_host"),
        ("GET /alive HTTP/1.1\r\nhost: a/b\r\n\r\n", 400, "bad_host"),
        ("POST /things HTTP/1.1\r\nhost: a\r\n" + CHUNKS.format("transfer-encoding: gzip, chunked"), 501, UNKNOWN),
        ("POST /things HTTP/1.1\r\nhost: a\r\n" + CHUNKS.format("transfer-encoding: gzip"), 501, UNKNOWN),
        (
            "POST /things HTTP/1.1\r\nhost: a\r\n" + CHUNKS.format("transfer-encoding: chunked, chunked"),
            400,
            "bad_request",
        ),
        (
            "POST /things HTTP/1.1\r\nhost: a\r\n"
            + CHUNKS.format("transfer-encoding: chunked\r\ntransfer-encoding: chunked"),
            400,
            "bad_request",
        ),
        ("POST /things HTTP/1.0\r\n" + CHUNKS.format("transfer-encoding: chunked"), 400, "bad_transfer_coding"),
    ],
)
def test_a_head_that_leaves_its_end_or_its_host_open_is_refused_and_nothing_behind_it_is_read(
    serve: Serve, said: str, status: int, code: str
) -> None:
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(said.encode() + GET)
        answer = rest(connection)
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert code.encode() in answer
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("said", ["GET /alive HTTP/1.0\r\n\r\n", "GET /alive HTTP/1.1\r\nhost: [::1]:80\r\n\r\n"])
def test_a_host_may_be_missing_in_http_1_0_and_may_be_an_address(serve: Serve, said: str) -> None:
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(said.encode())
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("nonsense\r\n\r\n", 400),
        (NO_HOST, 400),
        ("GET /alive HTTP/1.1\r\n", 408),
        ("GET /alive HTTP/1.1\r\nx-long: " + "y" * 3000, 431),
        (
            "GET /alive HTTP/1.1\r\nhost: a\r\nx-request-id: my-own.7\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
            400,
        ),
        ("GET /alive HTTP/1.1\r\nx-request-id: my-own.7\r\nx-more: y", 408),
    ],
)
def test_a_refusal_of_the_connection_has_a_request_id_that_the_log_has_too(
    serve: Serve,
    build: Build,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    said: str,
    status: int,
) -> None:
    monkeypatch.setattr(guarding.GuardedProtocol, "head_seconds", 0.2)
    caplog.set_level("INFO", "tenure.http.access")
    _, address = serve(build(head_bytes=2000, insecure_local=True))
    with connected(address) as connection:
        connection.sendall(said.encode())
        head, _, body = rest(connection).partition(b"\r\n\r\n")
    problem = json.loads(body)
    headers = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:])
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert headers[b"content-type"] == b"application/problem+json"
    assert headers[b"x-request-id"].decode() == problem["request_id"] != ""
    assert problem["status"] == status
    if "my-own" in said:
        assert problem["request_id"] == "my-own.7"
    assert f"127.0.0.1 {status} {problem['code']} {problem['request_id']}" in caplog.messages


def test_trailers_without_end_are_not_kept(serve: Serve) -> None:
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(
            b"POST /things HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
            b'transfer-encoding: chunked\r\n\r\nd\r\n{"name": "a"}\r\n0\r\n' + b"x-more: y\r\n" * 5000 + b"\r\n"
        )
        assert answer_on(connection).startswith(b"HTTP/1.1 200 ")


def test_too_many_connections_are_told_to_come_back(serve: Serve) -> None:
    _, address = serve(connections=2)
    with connected(address) as one, connected(address) as two:
        for connection in (one, two):
            connection.sendall(GET)
            assert answer_on(connection).startswith(b"HTTP/1.1 200 ")
        with connected(address) as three:
            answer = rest(three)
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: " in answer


def test_draining_answers_long_polls_at_once_and_what_runs_in_the_grace(serve: Serve, build: Build) -> None:
    entered = threading.Semaphore(0)

    async def until_leaving(service: Service, call: Call) -> Reply:
        entered.release()
        await service.leaving.wait()
        return Reply(status=204)

    application = build({"make": until_leaving, "list": until_leaving}, insecure_local=True)
    made, address = serve(application)
    with connected(address) as poll, connected(address) as work, connected(address) as idle:
        idle.sendall(GET)
        assert answer_on(idle).startswith(b"HTTP/1.1 200 ")
        poll.sendall(post(b'{"name": "a", "wait": 30}'))
        work.sendall(b"GET /things HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert entered.acquire(timeout=PATIENCE)
        assert entered.acquire(timeout=PATIENCE)
        made.drain()
        assert rest(poll).startswith(b"HTTP/1.1 204 ")
        assert rest(work).startswith(b"HTTP/1.1 204 ")
        assert rest(idle) == b""
    with pytest.raises(OSError):
        connected(address)


def test_the_two_parts_of_an_answer_do_not_wait_for_one_another(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    made = guarding.GuardedProtocol.connection_made

    def look(self: guarding.GuardedProtocol, transport: Any) -> None:
        seen.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        made(self, transport)

    monkeypatch.setattr(guarding.GuardedProtocol, "connection_made", look)
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(GET)
        assert answer_on(connection).startswith(b"HTTP/1.1 200 ")
    assert seen
    assert all(seen)


def test_an_answer_is_written_at_once(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    made = guarding.GuardedProtocol.connection_made

    class Recorded:
        def __init__(self, transport: Any) -> None:
            self._transport = transport

        def __getattr__(self, name: str) -> Any:
            return getattr(self._transport, name)

        def write(self, data: bytes) -> None:
            written.append(data)
            self._transport.write(data)

    monkeypatch.setattr(
        guarding.GuardedProtocol, "connection_made", lambda self, transport: made(self, Recorded(transport))
    )
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(GET)
        answer = answer_on(connection)
    [whole] = written
    assert whole.replace(b"\r\n\r\n", b"") == answer


def test_an_answer_waits_for_a_client_that_has_not_taken_the_one_before(serve: Serve, build: Build) -> None:
    async def long(service: Service, call: Call) -> Reply:
        return Reply(body=Thing(said="x" * 20_000_000))

    _, address = serve(build({"list": long}, insecure_local=True))
    with connected(address) as connection:
        connection.sendall(b"GET /things HTTP/1.1\r\nhost: localhost\r\n\r\n" + GET)
        last = GET.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n")
        connection.sendall(last)
        said = rest(connection)
    assert said.count(b"HTTP/1.1 200 OK\r\n") == 3
    assert len(said) > 20_000_000


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_an_answer_without_a_body_comes_too(serve: Serve, build: Build, version: str) -> None:
    async def nothing(service: Service, call: Call) -> Reply:
        return Reply(status=204)

    _, address = serve(build({"make": nothing}, insecure_local=True))
    for said, status in ((GET.replace(b"GET", b"HEAD"), b"200"), (post(b'{"name": "a"}'), b"204")):
        with connected(address) as connection:
            connection.sendall(said.replace(b"HTTP/1.1", f"HTTP/{version}".encode()))
            answer = rest(connection) if version == "1.0" else connection.recv(65_536)
        assert answer.startswith(b"HTTP/1.1 " + status)
        assert answer.endswith(b"\r\n\r\n")


def test_a_client_that_asks_before_it_sends_is_told_to_go_on_before_it_is_answered(serve: Serve) -> None:
    _, address = serve()
    body = b'{"name": "a"}'
    with connected(address) as connection:
        connection.sendall(post(b"", "expect: 100-continue", length=len(body)))
        assert connection.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert answer_on(connection).startswith(b"HTTP/1.1 200 ")


def test_answers_to_requests_that_came_together_come_whole_and_in_their_order(serve: Serve) -> None:
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(
            b"".join(GET.replace(b"\r\n\r\n", f"\r\nx-request-id: r{n}\r\n\r\n".encode()) for n in range(5))
        )
        answers = b""
        while answers.count(b"traceparent") < 5:
            answers += connection.recv(65_536)
    heads = [line for line in answers.split(b"\r\n") if line.startswith(b"x-request-id")]
    assert heads == [f"x-request-id: r{n}".encode() for n in range(5)]


def test_a_connection_that_falls_silent_between_requests_is_ended(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The timer of its first head goes on for the next."""
    monkeypatch.setattr(guarding.GuardedProtocol, "head_seconds", 0.2)
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(GET)
        answer_on(connection)
        connection.sendall(b"GET /alive HTTP/1.1\r\n")
        assert rest(connection).startswith(b"HTTP/1.1 408 ")


def test_a_connection_is_kept_between_requests_for_longer_than_a_head_may_take(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarding.GuardedProtocol, "head_seconds", 0.05)
    _, address = serve(keep_alive=3600)
    with connected(address) as kept:
        kept.sendall(GET)
        answer_on(kept)
        with connected(address) as silent:
            assert rest(silent) == b""
        kept.sendall(GET)
        assert answer_on(kept).startswith(b"HTTP/1.1 200 ")


def test_a_connection_without_a_further_request_is_ended(serve: Serve) -> None:
    _, address = serve(keep_alive=1)
    with connected(address) as connection:
        connection.sendall(GET)
        answer_on(connection)
        assert rest(connection) == b""


@pytest.mark.parametrize("last", [b"", b"connection: close\r\n"])
def test_a_client_that_does_not_take_its_answer_is_cut(
    serve: Serve, build: Build, monkeypatch: pytest.MonkeyPatch, last: bytes
) -> None:
    monkeypatch.setattr(guarding.GuardedProtocol, "write_seconds", 0.05)
    lost = threading.Event()
    made = guarding.GuardedProtocol.connection_lost

    def told(self: guarding.GuardedProtocol, error: Exception | None) -> None:
        made(self, error)
        lost.set()

    monkeypatch.setattr(guarding.GuardedProtocol, "connection_lost", told)

    async def long(service: Service, call: Call) -> Reply:
        return Reply(body=Thing(said="x" * 50_000_000))

    _, address = serve(build({"list": long}, insecure_local=True))
    with connected(address) as connection:
        connection.sendall(b"GET /things HTTP/1.1\r\nhost: localhost\r\n" + last + b"\r\n")
        assert lost.wait(PATIENCE)


class Wire:
    """A transport whose client takes what the test says, and the timers of its loop, which the test lets go off."""

    def __init__(self) -> None:
        self.left = 0
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.aborted = False

    def get_write_buffer_size(self) -> int:
        return self.left

    def get_extra_info(self, name: str) -> None:
        return None

    def abort(self) -> None:
        self.aborted = True

    def is_closing(self) -> bool:
        return self.aborted

    def call_later(self, seconds: float, call: Callable[..., None], *said: Any) -> Any:
        timer = (seconds, lambda: call(*said))
        self.timers.append(timer)
        cancel = lambda: self.timers.remove(timer) if timer in self.timers else None  # noqa: E731
        return SimpleNamespace(cancel=cancel, when=lambda: seconds)

    call_at = call_later

    def go_off(self, seconds: float) -> None:
        """The timer of so many seconds."""
        [timer] = [timer for timer in self.timers if timer[0] == seconds]
        self.timers.remove(timer)
        timer[1]()

    def time(self) -> float:
        return 0.0


@pytest.mark.parametrize(("taken", "is_cut"), [(0, True), (1, True), (4095 * 30, True), (4096 * 30, False)])
def test_a_client_that_takes_its_answer_too_slowly_is_cut(taken: int, *, is_cut: bool) -> None:
    """However long it goes on to take a byte now and then."""
    wire = Wire()
    protocol = guarding.GuardedProtocol(uvicorn.Config(None), uvicorn.server.ServerState(), {}, wire)  # type: ignore[arg-type]
    protocol.connection_made(wire)  # type: ignore[arg-type]
    wire.left = 10_000_000
    protocol.on_response_complete()
    for _ in range(5):
        assert not wire.aborted
        wire.left -= 4096 * 30
        wire.go_off(guarding.WRITE_SECONDS)
    wire.left -= taken
    wire.go_off(guarding.WRITE_SECONDS)
    assert wire.aborted is is_cut


def test_the_end_of_an_answer_may_be_taken_in_as_many_seconds_as_any_other_part_of_it() -> None:
    wire = Wire()
    protocol = guarding.GuardedProtocol(uvicorn.Config(None), uvicorn.server.ServerState(), {}, wire)  # type: ignore[arg-type]
    protocol.connection_made(wire)  # type: ignore[arg-type]
    wire.left = 1000
    protocol.on_response_complete()
    wire.left = 0
    wire.go_off(guarding.WRITE_SECONDS)
    assert not wire.aborted
    assert all(seconds != guarding.WRITE_SECONDS for seconds, _ in wire.timers)


def test_a_request_that_asks_for_another_protocol_is_refused_and_its_body_is_no_request(serve: Serve) -> None:
    _, address = serve()
    head = b"POST /things HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\n"
    with connected(address) as connection:
        connection.sendall(head + b"content-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(GET))
        connection.sendall(GET)
        said = rest(connection)
    assert said.startswith(b"HTTP/1.1 400 ")
    assert b"upgrade_not_taken" in said
    assert said.count(b"HTTP/1.1 ") == 1
