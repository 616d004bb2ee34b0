"""Clients that say or take nothing, or too slowly: how long a connection waits for them."""

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn

from tenure.http.connections import guarding
from tests.http.platform.conftest import Build, Serve
from tests.http.platform.sockets import GET, PATIENCE, answer_on, connected, post, rest
from tests.http.platform.things import saying


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
    serve: Serve, build: Build, monkeypatch: pytest.MonkeyPatch, lost: threading.Event, last: bytes
) -> None:
    monkeypatch.setattr(guarding.GuardedProtocol, "write_seconds", 0.05)
    _, address = serve(build({"list": saying("x" * 50_000_000)}, insecure_local=True))
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
