"""Requests that come faster than they are answered: how many are taken at a time, what becomes of those that wait."""

import asyncio
import socket

import pytest

from tenure.http.call import Call, Reply
from tenure.http.connections import guarding, pacing
from tenure.http.service import Service
from tests.http.platform.by_hand import Door, by_hand
from tests.http.platform.conftest import Build, Serve
from tests.http.platform.shops import Shop, claim
from tests.http.platform.sockets import GET, answer_on, connected, post, rest
from tests.http.platform.things import Stay

LIST = GET.replace(b"/alive", b"/things")
OK = b"HTTP/1.1 200 "
FEW = pacing.SLICE // len(GET) + 1
"""As many requests as a slice of them can hold."""


def in_chunks(text: bytes, size: int = 1, *more: bytes) -> bytes:
    head = [b"POST /things HTTP/1.1", b"host: localhost", b"content-type: application/json", *more]
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    body = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in [*parts, b""])
    return b"\r\n".join([*head, b"transfer-encoding: chunked", b"", b""]) + body


def test_of_many_requests_that_come_together_few_are_taken_at_a_time_and_all_are_answered(build: Build) -> None:
    async def said(door: Door) -> None:
        protocol, pipe = door.open()
        waiting: list[int] = []
        pipe.answered = lambda: waiting.append(len(protocol.pipeline))
        protocol.data_received(GET * 2000)
        assert not pipe.is_read
        await pipe.until(lambda: pipe.written.count(OK) == 2000)
        await pipe.until(lambda: pipe.is_read)
        assert 1 < max(waiting) < FEW

    by_hand(build(insecure_local=True), said)


def test_nothing_more_is_read_for_a_request_whose_body_is_whole_while_others_wait_behind_it(build: Build) -> None:
    stay = Stay()

    async def listen(service: Service, call: Call) -> Reply:
        left = asyncio.ensure_future(call.left())
        answer = await stay(service, call)
        left.cancel()
        return answer

    async def said(door: Door) -> None:
        protocol, pipe = door.open()
        protocol.data_received(LIST + GET * 2000)
        await stay.entered.wait()
        await asyncio.sleep(0)
        assert not pipe.is_read
        assert len(protocol.pipeline) < FEW
        stay.leave.set()
        await pipe.until(lambda: pipe.written.count(OK) == 2000)

    by_hand(build({"list": listen}, insecure_local=True), said)


def test_a_request_does_not_stand_behind_those_that_another_connection_sent_together(build: Build) -> None:
    async def said(door: Door) -> None:
        (greedy, one), (modest, other) = door.open(), door.open()
        greedy.data_received(GET * 2000)
        modest.data_received(GET)
        await other.until(lambda: OK in other.written)
        assert one.written.count(OK) <= 3

    by_hand(build(insecure_local=True), said)


def test_a_server_that_leaves_answers_what_is_under_way_and_not_what_only_waits_behind_it(build: Build) -> None:
    stay = Stay()

    async def said(door: Door) -> None:
        protocol, pipe = door.open()
        protocol.data_received(LIST + GET * 2000)
        await stay.entered.wait()
        protocol.shutdown()
        stay.leave.set()
        await pipe.is_closed.wait()
        assert pipe.written.startswith(b"HTTP/1.1 204 ")
        assert b"connection: close" in pipe.written
        assert pipe.written.count(b"HTTP/1.1 ") == 1

    by_hand(build({"list": stay}, insecure_local=True), said)


def test_a_body_in_small_chunks_without_end_is_refused_and_no_more_of_it_is_parsed(build: Build) -> None:
    async def said(door: Door) -> None:
        protocol, pipe = door.open()
        protocol.data_received(in_chunks(b" " * 50_000))
        await pipe.is_closed.wait()
        assert pipe.written.startswith(b"HTTP/1.1 400 ")
        assert b"chunks_too_small" in pipe.written
        assert protocol._chunks < guarding.MOST_SMALL_CHUNKS + pacing.SLICE

    by_hand(build(insecure_local=True), said)


def test_a_refused_request_goes_on_in_small_chunks_for_as_long_as_any_other(build: Build) -> None:
    async def said(door: Door) -> None:
        protocol, pipe = door.open()
        protocol.data_received(in_chunks(b" " * 50_000))
        await pipe.is_closed.wait()
        assert pipe.written.count(b"HTTP/1.1 ") == 1
        assert protocol._chunks < guarding.MOST_SMALL_CHUNKS + pacing.SLICE

    by_hand(build(), said)


def test_a_body_in_small_chunks_keeps_no_other_connection_waiting(build: Build) -> None:
    async def said(door: Door) -> None:
        (crumbling, _), (modest, other) = door.open(), door.open()
        crumbling.data_received(in_chunks(b" " * 5000))
        modest.data_received(GET)
        await other.until(lambda: OK in other.written)
        assert crumbling._chunks < guarding.MOST_SMALL_CHUNKS

    by_hand(build(insecure_local=True), said)


@pytest.mark.parametrize(("text", "size"), [(b'{"name": "a"}', 1), (b'{"name": "a"}' + b" " * 200_000, 100)])
def test_a_body_in_few_small_chunks_or_in_many_larger_ones_is_taken(serve: Serve, text: bytes, size: int) -> None:
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(in_chunks(text, size) + in_chunks(text, size))
        said = [answer_on(connection) for _ in range(2)] if size > 1 else [answer_on(connection)]
    assert all(one.startswith(OK) for one in said)


@pytest.mark.parametrize("before", [GET * 500, post(b'{"name": "a", "payload": {"x": "%b"}}' % (b"y" * 60_000))])
def test_whole_requests_are_not_counted_with_the_head_behind_them(build: Build, before: bytes) -> None:
    async def said(door: Door) -> None:
        protocol, pipe = door.open()
        protocol.data_received(before + GET[:20])
        protocol.data_received(GET[20:])
        expected = before.count(b"HTTP/1.1") + 1
        await pipe.until(lambda: pipe.written.count(b"HTTP/1.1 ") == expected)
        assert pipe.written.count(OK) == expected

    by_hand(build(insecure_local=True), said)


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        (b"GET /alive HTTP/1.1\r\nx-long: " + b"y" * 20_000, b"431"),
        (b"GET /alive HTTP/1.1\r\n\r\n", b"400"),
        (b"nonsense\r\n\r\n", b"400"),
        (in_chunks(b"x").replace(b"1\r\nx", b"z\r\nx"), b"400"),
    ],
)
def test_what_is_wrong_behind_whole_requests_is_refused_after_their_answers(
    build: Build, wrong: bytes, status: bytes
) -> None:
    stay = Stay()

    async def said(door: Door) -> None:
        protocol, pipe = door.open()
        protocol.data_received(LIST)
        await stay.entered.wait()
        protocol.data_received(wrong)
        protocol.data_received(GET)
        assert pipe.written == b""
        stay.leave.set()
        await pipe.is_closed.wait()
        first, second = (one[:3] for one in pipe.written.split(b"HTTP/1.1 ")[1:])
        assert (first, second) == (b"204", status)

    by_hand(build({"list": stay}, insecure_local=True), said)


def test_a_client_of_http_1_0_is_not_told_to_go_on(serve: Serve) -> None:
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(post(b'{"name": "a"}', "expect: 100-continue").replace(b"HTTP/1.1", b"HTTP/1.0"))
        assert rest(connection).startswith(OK)


@pytest.mark.parametrize("said", [GET, post(b'{"name": "a"}'), GET * 3])
def test_a_client_that_has_said_all_gets_its_answers(serve: Serve, said: bytes) -> None:
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(said)
        connection.shutdown(socket.SHUT_WR)
        assert rest(connection).count(OK) == said.count(b"HTTP/1.1")


@pytest.mark.parametrize("said", [b"", GET[:20], post(b"{", length=20)])
def test_a_client_that_ends_before_its_request_is_whole_is_not_waited_for(serve: Serve, said: bytes) -> None:
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(said)
        connection.shutdown(socket.SHUT_WR)
        assert rest(connection) == b""


@pytest.mark.parametrize("behind", [b"", claim(wait=30)])
def test_nobody_waits_for_work_for_a_client_that_has_said_all_and_may_have_gone(shop: Shop, behind: bytes) -> None:
    with connected(shop.address) as connection:
        connection.sendall(claim(wait=30) + behind)
        connection.shutdown(socket.SHUT_WR)
        said = rest(connection)
    assert said.count(b"HTTP/1.1 204 ") == 1 + bool(behind)
    assert shop.application.service.long_polls == 0


def test_reads_are_short(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    received = guarding.GuardedProtocol.data_received

    def look(self: guarding.GuardedProtocol, data: bytes) -> None:
        seen.append(len(data))
        received(self, data)

    monkeypatch.setattr(guarding.GuardedProtocol, "data_received", look)
    _, address = serve()
    with connected(address) as connection:
        connection.sendall(GET * 5000 + GET.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"))
        assert rest(connection).count(OK) == 5001
    assert max(seen) <= pacing.READ_BYTES
