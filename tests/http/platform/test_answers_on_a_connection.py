"""What only a socket shows of answers: written at once, whole, in their order, and to the end of a drain."""

import socket
import threading
from typing import Any

import pytest

from tenure.http.call import Call, Reply
from tenure.http.connections import guarding
from tenure.http.service import Service
from tests.http.platform.conftest import Build, Serve
from tests.http.platform.sockets import GET, PATIENCE, answer_on, connected, post, rest
from tests.http.platform.things import saying


def test_one_connection_takes_several_requests(serve: Serve) -> None:
    _, address = serve()
    with connected(address) as connection:
        for _ in range(3):
            connection.sendall(GET)
            assert answer_on(connection).startswith(b"HTTP/1.1 200 OK")


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
    _, address = serve(build({"list": saying("x" * 20_000_000)}, insecure_local=True))
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


def test_trailers_without_end_are_not_kept(serve: Serve) -> None:
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(
            b"POST /things HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
            b'transfer-encoding: chunked\r\n\r\nd\r\n{"name": "a"}\r\n0\r\n' + b"x-more: y\r\n" * 5000 + b"\r\n"
        )
        assert answer_on(connection).startswith(b"HTTP/1.1 200 ")


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
