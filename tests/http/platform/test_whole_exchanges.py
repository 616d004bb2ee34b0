"""Requests that need no more than one step: their body has come with the head, their answer is written at once."""

import asyncio
import gc
import json
import sys
import weakref
from collections.abc import Iterator
from types import ModuleType

import pytest
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from tenure.http.server import Server
from tests.http.platform.by_hand import Door, by_hand
from tests.http.platform.conftest import Build, Serve
from tests.http.platform.sockets import GET, answer_on, connected, post
from tests.http.platform.things import Stay

LOST = GET.replace(b"/alive", b"/nowhere")
LIST = GET.replace(b"/alive", b"/things")


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("said", [GET, LOST, post(b'{"name": "a"}'), post(b'{"nome": 1}'), post(b"[")])
def test_an_answered_request_leaves_nothing_to_the_garbage_collector(build: Build, said: bytes) -> None:
    async def ask(door: Door) -> None:
        protocol, pipe = door.open()
        asked: list[weakref.ref[RequestResponseCycle]] = []
        for number in range(1, 4):
            protocol.data_received(said)
            asked.append(weakref.ref(protocol.cycle))
            await pipe.until(lambda number=number: pipe.written.count(b"HTTP/1.1 ") == number)  # type: ignore[misc]
            await asyncio.sleep(0)
        assert [one() for one in asked[:-1]] == [None, None]
        assert asked[-1]() is protocol.cycle

    by_hand(build(insecure_local=True), ask)


HALF = post(b'{"name": "a"}')[:-5]
ENDS = {
    "nothing": b"",
    "half a head": GET[:20],
    "a request": GET,
    "half a body": HALF,
    "a body that nobody takes": LOST[:-2] + b"content-length: 5\r\n\r\n12345",
    "one that waits behind another": LIST + GET + HALF,
    "what is no HTTP": b"nonsense\r\n\r\n",
    "what is no HTTP behind a request": LIST + b"nonsense\r\n\r\n",
}


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("said", ENDS)
@pytest.mark.parametrize("is_answered", [True, False])
def test_a_connection_that_has_ended_leaves_nothing_to_the_garbage_collector(
    build: Build, said: str, is_answered: bool
) -> None:
    stay = Stay()

    async def ask(door: Door) -> None:
        protocol, pipe = door.open()
        protocol.data_received(ENDS[said])
        held = [weakref.ref(one) for one in (protocol, protocol.cycle, protocol.flow) if one is not None]
        for _ in range(50):
            await asyncio.sleep(0)
        if is_answered:
            stay.leave.set()
            await asyncio.sleep(0.01)
        protocol.connection_lost(None)
        del protocol
        stay.leave.set()
        await asyncio.sleep(0.01)
        assert [one() for one in held] == [None] * len(held)
        assert pipe.is_closing()

    by_hand(build({"list": stay}, insecure_local=True), ask)


def test_requests_that_come_together_are_each_answered_by_their_own_body(build: Build) -> None:
    names = [f"n{number}" for number in range(8)]

    async def ask(door: Door) -> None:
        protocol, pipe = door.open()
        protocol.data_received(b"".join(post(json.dumps({"name": name}).encode()) for name in names))
        await pipe.until(lambda: pipe.written.count(b"HTTP/1.1 200 ") == len(names))
        answers = [json.loads(one.partition(b"\r\n\r\n")[2]) for one in pipe.written.split(b"HTTP/1.1 200 ")[1:]]
        assert [one["said"]["body"]["name"] for one in answers] == names

    by_hand(build(insecure_local=True), ask)


def test_a_body_that_came_with_its_head_is_not_waited_for(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RequestResponseCycle, "receive", lambda _: pytest.fail("nothing has to come"))

    async def ask(door: Door) -> None:
        protocol, pipe = door.open()
        protocol.data_received(post(b'{"name": "a"}'))
        await pipe.until(lambda: b"HTTP/1.1 200 " in pipe.written)
        assert b'"name":"a"' in pipe.written

    by_hand(build(insecure_local=True), ask)


@pytest.mark.parametrize("at", [0, 1, 12])
def test_a_body_that_comes_in_pieces_is_read_to_its_end(serve: Serve, at: int) -> None:
    _, address = serve()
    body = b'{"name": "a"}'
    whole = post(body)
    first = len(whole) - len(body) + at
    with connected(address) as connection:
        for _ in range(3):
            connection.sendall(whole[:first])
            connection.sendall(whole[first:])
            assert b'"name":"a"' in answer_on(connection)


def test_a_body_that_came_whole_is_held_to_the_same_limit(serve: Serve, build: Build) -> None:
    _, address = serve(build(insecure_local=True, body_bytes=1024))
    chunk = b'{"name": "%b"}' % (b"a" * 2000)
    head = b"POST /things HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    with connected(address) as connection:
        connection.sendall(head + b"transfer-encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(chunk), chunk))
        assert answer_on(connection).startswith(b"HTTP/1.1 413 ")


def test_a_server_runs_on_the_loop_that_its_limits_are_tried_on(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    other = ModuleType("uvloop")
    other.new_event_loop = lambda: pytest.fail("another one was taken because it is installed")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "uvloop", other)
    config = Server(build(insecure_local=True)).config
    config.load()
    made = config.get_loop_factory()
    assert made is not None
    loop = made()
    loop.close()
    assert isinstance(loop, asyncio.SelectorEventLoop)
