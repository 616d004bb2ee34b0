"""A server that means ill, or is none of ours: every answer is bounded in time, size and depth, and ends as an error of
the product, also on a terminal."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from click.testing import CliRunner

from tenure.cli.main import main
from tenure.client import AsyncClient, Client, shapes, wire
from tenure.client.ledger import _Begun
from tenure.client.refusals import error_of
from tenure.client.watching import Watch
from tenure.core.errors import InvalidInput, StoreUnavailable, TenureError
from tenure.core.secrecy.cleaning import shown
from tests.client import bodies
from tests.client.bodies import ID
from tests.client.stub import Told, problem, stub

DEEP = b'{"x":' * 100_000 + b"1" + b"}" * 100_000
STEERING = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202egnp\r"
ESCAPED = "\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u007f\\u202egnp\\u000d"

HINT = b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"
ENDLESS = {
    "a word that more is to come, for ever": (b"", HINT),
    "a head that never ends": (b"HTTP/1.1 200 OK\r\nX: ", b"x"),
    "a body that drips": (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b" "),
    "a body without a length": (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", b" "),
}


class Liar:
    """Answers its first connection without end, and every other one well. left: set once the first is closed."""

    def __init__(self, beginning: bytes, more: bytes) -> None:
        self.left = threading.Event()
        self._beginning, self._more = beginning, more
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._listening.close()
        self._thread.join(10)

    def _run(self) -> None:
        first, _ = self._listening.accept()
        threading.Thread(target=self._lie, args=(first,), daemon=True).start()
        body = json.dumps(bodies.job()).encode()
        try:
            while True:
                peer, _ = self._listening.accept()
                with peer:
                    peer.recv(65_536)
                    peer.sendall(
                        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
                    )
        except OSError:
            return

    def _lie(self, peer: socket.socket) -> None:
        with peer:
            peer.recv(65_536)
            try:
                peer.sendall(self._beginning)
                pause = threading.Event()
                while not pause.wait(0.01):
                    peer.sendall(self._more)
            except OSError:
                self.left.set()


@contextmanager
def lying(beginning: bytes, more: bytes) -> Iterator[Liar]:
    liar = Liar(beginning, more)
    try:
        yield liar
    finally:
        liar.close()


@pytest.mark.parametrize(("beginning", "more"), ENDLESS.values(), ids=ENDLESS)
def test_an_answer_that_never_ends_is_left_and_the_next_call_is_answered(beginning: bytes, more: bytes) -> None:
    with lying(beginning, more) as liar, Client(liar.url, timeout=0.2, patience=0) as client:
        with pytest.raises(StoreUnavailable, match="too long to arrive"):
            client.job(ID)
        assert liar.left.wait(30)
        assert wait_for(lambda: client.job(ID).id) == ID


@pytest.mark.parametrize(("beginning", "more"), ENDLESS.values(), ids=ENDLESS)
def test_an_answer_that_never_ends_is_left_by_the_async_client_too(beginning: bytes, more: bytes) -> None:
    async def calls(url: str) -> str:
        async with AsyncClient(url, timeout=0.2, patience=0) as client:
            with pytest.raises(StoreUnavailable, match="too long to arrive"):
                await client.job(ID)
        async with AsyncClient(url) as client:
            return (await client.job(ID)).id

    with lying(beginning, more) as liar:
        assert asyncio.run(calls(liar.url)) == ID
        assert liar.left.wait(30)


def wait_for(ask: Callable[[], Any]) -> Any:
    """The answer, though a machine that is busy may need longer than a short timeout once or twice."""
    for _ in range(50):
        try:
            return ask()
        except StoreUnavailable:
            continue
    return ask()


def test_what_ends_in_time_is_not_given_up() -> None:
    watch, given_up, later = Watch(), threading.Event(), threading.Event()
    with watch.within(0.0, given_up.set):
        assert given_up.wait(30)
    ended = threading.Event()
    with watch.within(0.01, ended.set):
        pass
    with watch.within(3600, later.set), watch.within(0.02, given_up.clear):
        assert wait_until_clear(given_up)
    assert not ended.is_set()
    assert not later.is_set()


def wait_until_clear(event: threading.Event) -> bool:
    pause = threading.Event()
    return any(not event.is_set() or pause.wait(0.01) for _ in range(3000))


@pytest.mark.parametrize("status", [200, 404, 422, 500])
def test_an_answer_that_is_nested_too_deep_is_an_error_of_the_product(status: int) -> None:
    with (
        stub(Told(status, text=DEEP)) as run,
        Client(run.url, patience=0) as client,
        pytest.raises(TenureError) as refused,
    ):
        client.job(ID)
    assert refused.value.code == ("unexpected_answer" if status == 200 else f"http_{status}")


def test_a_worker_reads_no_answer_that_is_nested_too_deep() -> None:
    for shape in (_Begun, wire._ReportsTaken):
        with pytest.raises(TenureError) as refused:
            wire.decoded(DEEP, shape)
        assert refused.value.code == "unexpected_answer"
    with pytest.raises(TenureError, match="nested too deep"):
        shapes.value_of(DEEP)
    assert isinstance(error_of(422, {}, DEEP), InvalidInput)


def remote(told: Told, *words: str) -> Any:
    """As the program does it: with its exit code and its line of error."""
    with stub(told) as run:
        return CliRunner().invoke(main, ["remote", *words, "--url", run.url, "--patience", "0"])


@pytest.mark.parametrize(
    ("content", "words"), [(DEEP, "nested too deep"), (b"<html>", "is no JSON"), (b'"\xff\xfe"', "is no JSON")]
)
def test_an_answer_that_is_none_ends_the_command_with_code_1_and_a_line(content: bytes, words: str) -> None:
    told = remote(Told(200, text=content), "show-job", ID)
    assert told.exit_code == 1
    assert words in told.output
    assert told.output.count("\n") == 1


def test_a_terminal_is_steered_by_no_answer() -> None:
    told = remote(Told(200, bodies.job(error=STEERING, kind=STEERING)), "show-job", ID)
    assert told.exit_code == 0
    assert shown(told.output) == told.output
    assert json.loads(told.output)["error"] == STEERING
    refused = remote(problem(404, "not\x1b[31m_found", STEERING), "show-job", ID)
    assert refused.exit_code == 3
    assert shown(refused.output) == refused.output
    assert ESCAPED in refused.output


def test_text_that_steers_nothing_is_shown_as_it_is() -> None:
    plain = "ä€😀 tab\t line\n \\u001b"
    assert shown(plain) == plain
    assert shown(STEERING) == ESCAPED


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 429, 500, 503])
def test_what_a_refusal_says_steers_no_terminal_and_no_log(status: int) -> None:
    said = {"code": STEERING, "detail": STEERING, "hint": STEERING, "field": STEERING, "job_id": ID}
    document = {"type": "about:blank", "title": "x", "status": status} | said
    error = error_of(status, {}, json.dumps(document).encode())
    assert ESCAPED in str(error)
    assert shown(str(error)) == str(error)
    assert error.code == ESCAPED
