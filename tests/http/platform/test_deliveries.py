"""An answer that does not reach its client: the claim in it goes back, and what is unsent has an end."""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

from tenure.http.connections.delivery import Delivery, delivery_of
from tests.http.platform.conftest import Build, Serve
from tests.http.platform.shops import Shop, claim
from tests.http.platform.sockets import answer_on, connected, rest
from tests.http.platform.things import saying

GET = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"
LARGE = {"x": "x" * 60_000}


def until(true: Callable[[], Any]) -> None:
    """Looks again and again, for twenty seconds."""
    for _ in range(2000):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it never came true")


def begun(shop: Shop, **said: Any) -> socket.socket:
    """A connection that takes little at a time, and the beginning of the answer to a claim."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(shop.address)
    connection.sendall(claim(**said))
    assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
    return connection


def cut(connection: socket.socket) -> None:
    """Ends it at once, whatever is on its way."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def test_a_client_that_has_hung_up_behind_a_request_that_waits_holds_no_job(shop: Shop) -> None:
    connection = connected(shop.address)
    connection.sendall(claim(wait=30) + GET)
    until(lambda: shop.application.service.long_polls == 1)
    connection.close()
    jobs = shop.enqueue()
    until(lambda: shop.application.service.long_polls == 0)
    until(lambda: {state for state, _ in shop.states(jobs)} == {"ready"})


def test_a_poll_ends_when_its_client_hangs_up_although_another_request_stands_behind_it(shop: Shop) -> None:
    connection = connected(shop.address)
    connection.sendall(claim(wait=30) + claim(wait=30) + GET)
    until(lambda: shop.application.service.long_polls == 1)
    cut(connection)
    until(lambda: shop.application.service.long_polls == 0)


def test_a_poll_behind_another_request_is_answered_in_its_turn(shop: Shop) -> None:
    jobs = shop.enqueue()
    with connected(shop.address) as connection:
        connection.sendall(GET + claim(wait=30) + GET)
        said = [answer_on(connection)]
        while b'"alive"' not in said[-1] or len(said) == 1:
            said.append(connection.recv(65_536))
    assert jobs[0].encode() in b"".join(said)
    assert shop.states(jobs) == {("running", 0)}


def test_what_was_claimed_goes_back_when_its_answer_could_not_be_sent_whole(shop: Shop) -> None:
    jobs = shop.enqueue(100, LARGE)
    connection = begun(shop, limit=100)
    until(lambda: shop.states(jobs) == {("running", 0)})
    cut(connection)
    until(lambda: shop.states(jobs) == {("ready", 1)})


def test_what_was_claimed_and_taken_stays_with_a_client_whose_connection_ends(shop: Shop) -> None:
    jobs = shop.enqueue(100, LARGE)
    with connected(shop.address) as connection:
        connection.sendall(claim(limit=100))
        assert answer_on(connection).count(b'"lease_token"') == 100
        cut(connection)
    with connected(shop.address) as another:
        another.sendall(GET)
        answer_on(another)
    assert shop.states(jobs) == {("running", 0)}


def test_what_can_be_claimed_again_by_its_id_is_left_to_the_repeat(shop: Shop) -> None:
    jobs = shop.enqueue(100, LARGE)
    connection = begun(shop, limit=100, claim_id="c")
    cut(connection)
    with connected(shop.address) as another:
        another.sendall(claim(limit=100, claim_id="c"))
        assert answer_on(another).count(b'"lease_token"') == 100
    assert shop.states(jobs) == {("running", 0)}


def test_the_unsent_bytes_of_all_clients_have_an_end_and_the_longest_waiting_is_cut(
    serve: Serve, build: Build, lost: threading.Event
) -> None:
    _, address = serve(build({"list": saying("x" * 50_000_000)}, insecure_local=True), unsent_bytes=60_000_000)
    with connected(address) as first, connected(address) as second:
        for connection in (first, second):
            assert not lost.is_set()
            connection.sendall(b"GET /things HTTP/1.1\r\nhost: localhost\r\n\r\n")
            assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")
        assert lost.wait(20)
        assert len(rest(first)) < 49_000_000
        assert len(answer_on_the_way(second)) > 49_000_000


def answer_on_the_way(connection: socket.socket) -> bytearray:
    """The rest of an answer of which the beginning was taken."""
    said = bytearray()
    with contextlib.suppress(TimeoutError):
        while len(said) < 49_500_000:
            said += connection.recv(1_000_000)
    return said


def test_without_a_server_that_knows_what_was_sent_counts_as_delivered() -> None:
    undone: list[str] = []
    delivery = delivery_of({"extensions": {}})
    delivery.if_lost(lambda: undone.append("undone"))
    assert not delivery.is_lost
    assert undone == []


def test_what_is_to_be_undone_is_undone_once_and_at_once_where_it_is_too_late() -> None:
    undone: list[str] = []
    delivery = Delivery()
    delivery.if_lost(lambda: undone.append("first"))
    delivery.lose()
    delivery.lose()
    delivery.if_lost(lambda: undone.append("second"))
    assert undone == ["first", "second"]
    done = Delivery()
    done.if_lost(lambda: undone.append("never"))
    done.is_done()
    done.lose()
    assert undone == ["first", "second"]
