"""What only a socket shows of refusals: before a request is whole, and with what becomes of the connection."""

import contextlib
import json

import pytest

from tenure.http.connections import guarding
from tests.http.platform.conftest import Build, Serve
from tests.http.platform.sockets import GET, answer_on, connected, post, rest


def test_a_head_without_end_is_cut_where_the_limit_is(serve: Serve, build: Build) -> None:
    _, address = serve(build(head_bytes=2000, insecure_local=True))
    with connected(address) as connection:
        connection.sendall(b"GET /alive HTTP/1.1\r\nx-long: ")
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(1000):
                connection.sendall(b"y" * 1000)
        assert b" 431 " in rest(connection).split(b"\r\n")[0]


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
