"""What is safe to repeat is sent again, within a total time; nothing else is."""

import asyncio
import logging
import socket
import threading
from typing import Any

import pytest

from tenure.client import AsyncClient, Client, producing
from tenure.client.trying import Failure, Tries
from tenure.core.errors import NotFound, StoreBusy, StoreUnavailable, TenureError, TooMany
from tenure.edge.enqueues import MetJob
from tests.client import bodies
from tests.client.bodies import ID
from tests.client.stub import CUT, Asked, Stub, Told, problem, stub

AWAY = problem(503, "store_unavailable", retry_after=0)


class Service:
    """Keeps jobs by id and key, as the real one does, and loses its first answer to each after the commit."""

    def __init__(self) -> None:
        self.jobs: dict[str, str] = {}
        self.answers = 0

    def __call__(self, asked: Asked) -> Told:
        said = asked.document
        key = said.get("idempotency_key") or said["id"]
        created = key not in self.jobs
        known = self.jobs.setdefault(key, said["id"])
        self.answers += 1
        return CUT if self.answers == 1 else Told(201 if created else 200, bodies.job(id=known, created=created))


@pytest.mark.parametrize("said", [{}, {"idempotency_key": "acct_91/2026-05"}, {"id": ID}])
def test_an_enqueue_whose_answer_was_lost_after_the_commit_gives_one_job(said: dict[str, Any]) -> None:
    service = Service()
    with stub(always=service) as run, Client(run.url) as client:
        job = client.enqueue("greet", {"name": "Ada"}, **said)
    assert len(service.jobs) == 1
    assert job.id in service.jobs.values()
    assert [asked.body for asked in run.asked] == [run.asked[0].body] * 2


def test_a_job_that_a_repeated_enqueue_met_under_its_own_id_counts_as_created() -> None:
    with stub(always=Service()) as run, Client(run.url) as client:
        job = client.enqueue("greet", idempotency_key="k")
    assert job.created


def test_a_job_that_somebody_else_made_under_the_key_was_met() -> None:
    with stub(Told(200, bodies.job(created=False))) as run, Client(run.url) as client:
        assert not client.enqueue("greet", idempotency_key="k").created


def test_a_batch_whose_answer_was_lost_tells_what_it_made() -> None:
    kept: dict[str, bool] = {}

    def service(asked: Asked) -> Told:
        first = not kept
        items = []
        for said in asked.document["jobs"]:
            created = said["id"] not in kept
            kept[said["id"]] = True
            made = bodies.job(id=said["id"], created=created)
            items.append({"status": 200, "id": said["id"], "created": created, "job": made, "problem": None})
        return CUT if first else Told(200, {"jobs": items})

    with stub(always=service) as run, Client(run.url) as client:
        items = client.enqueue_many([{"type": "greet"}, {"type": "greet"}])
    assert len(kept) == 2
    assert [(item.created, item.job.created) for item in items if item.job] == [(True, True)] * 2


def test_a_claim_whose_answer_was_lost_is_repeated_under_its_claim_id() -> None:
    with stub(CUT, Told(200, bodies.claimed())) as run, Client(run.url) as client:
        job = client.claim(types=["greet"])
    assert job is not None
    assert len({asked.document["claim_id"] for asked in run.asked}) == 1


@pytest.mark.parametrize("verb", ["complete", "fail", "release"])
def test_a_report_whose_answer_was_lost_is_repeated_by_its_token(verb: str) -> None:
    repeated = Told(200, bodies.reported(repeated=True))
    with stub(CUT, repeated) as run, Client(run.url) as client:
        job = getattr(client, verb)(ID, "token.mac")
    assert job.repeated
    assert [asked.document["lease_token"] for asked in run.asked] == ["token.mac"] * 2


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_service_that_is_away_for_a_moment_is_asked_again(status: int) -> None:
    with stub(Told(status, {}), AWAY, Told(200, bodies.job())) as run, Client(run.url) as client:
        assert client.job(ID).id == ID
    assert len(run.asked) == 3


def test_whoever_waits_for_a_service_hears_once_why(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tenure.client")
    away = problem(503, "store_unavailable", "the database does not answer")
    with stub(away, away, away, Told(200, bodies.job())) as run, Client(run.url) as client:
        client.job(ID)
    (line,) = caplog.messages
    assert line.startswith("the database does not answer; trying again for ")


def test_a_redrive_is_not_sent_twice_but_where_nothing_was_done() -> None:
    with stub(CUT) as run, Client(run.url) as client, pytest.raises(StoreUnavailable):
        client.redrive(ID)
    with stub(AWAY) as run, Client(run.url) as client, pytest.raises(StoreUnavailable):
        client.redrive(ID)
    answer = Told(200, {"id": ID, "happened": "redriven", "state": "ready", "status": "pending"})
    with stub(problem(429, "too_many_requests", retry_after=0), answer) as run, Client(run.url) as client:
        assert client.redrive(ID).happened == "redriven"


def test_a_created_key_is_not_asked_for_twice() -> None:
    with stub(CUT) as run, Client(run.url) as client, pytest.raises(StoreUnavailable):
        client.create_key("web", "producer")
    assert len(run.asked) == 1


def test_a_refusal_is_no_reason_to_ask_again() -> None:
    with stub(problem(404, "not_found")) as run, Client(run.url) as client, pytest.raises(NotFound):
        client.job(ID)
    assert len(run.asked) == 1


def test_where_nobody_listens_every_call_is_tried_until_its_time_is_over() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with Client(url, patience=0.3) as client, pytest.raises(StoreUnavailable) as caught:
            client.redrive(ID)
    assert caught.value.code == "service_unavailable"


def test_a_service_that_falls_silent_is_left_after_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Client(url, timeout=0.2, patience=0) as client, pytest.raises(StoreUnavailable):
            client.job(ID)


def test_the_async_client_repeats_as_the_sync_one() -> None:
    async def ask(run: Stub) -> str:
        async with AsyncClient(run.url) as client:
            return (await client.enqueue("greet")).id

    service = Service()
    with stub(always=service) as run:
        assert asyncio.run(ask(run)) in service.jobs
    assert len(run.asked) == 2


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


LOST = Failure(StoreUnavailable("lost"), may_repeat_safe=True)


def tries(total: float, clock: Clock, chance: float = 0.999) -> Tries:
    return Tries(producing.job(ID), total, clock, lambda: chance)


def test_pauses_grow_to_five_seconds() -> None:
    clock = Clock()
    one = tries(1000.0, clock)
    waits = [one.wait_after(LOST) for _ in range(12)]
    assert waits == sorted(waits)
    assert waits[0] < 0.1
    assert 4.9 < waits[-1] < 5.0


def test_no_try_begins_past_the_total_time() -> None:
    clock = Clock()
    one = tries(10.0, clock)
    while clock.now < 5.0:
        clock.now += one.wait_after(LOST)
    clock.now = 9.99
    with pytest.raises(StoreUnavailable):
        one.wait_after(LOST)


def test_what_retry_after_asks_is_waited_out_or_told_at_once() -> None:
    clock = Clock()
    busy = Failure(TooMany("busy", 7.0), may_repeat=True, wait=7.0)
    assert tries(60.0, clock).wait_after(busy) >= 7.0
    with pytest.raises(TooMany) as caught:
        tries(5.0, clock).wait_after(busy)
    assert caught.value.retry_after == 7.0


def test_a_database_that_others_lock_is_told_as_such() -> None:
    with stub(problem(503, "store_busy")) as run, Client(run.url, patience=0) as client, pytest.raises(StoreBusy):
        client.job(ID)


def test_an_answer_that_the_operation_never_has_is_an_error_not_a_guess() -> None:
    for told in (Told(202, {}), Told(200, {"no": "job"}), Told(200, text=b"<html>")):
        with stub(told) as run, Client(run.url) as client, pytest.raises(TenureError) as caught:
            client.job(ID)
        assert caught.value.code == "unexpected_answer"


def test_a_key_that_names_a_job_out_of_sight_tells_its_id_only() -> None:
    with stub(Told(200, {"id": ID, "created": False})) as run, Client(run.url) as client:
        assert client.enqueue("greet", idempotency_key="k") == MetJob(id=ID, created=False)


def dripping(listening: socket.socket, ended: threading.Event) -> None:
    """Answers one request byte by byte, each within every timeout of a socket, and never to the end."""
    peer, _ = listening.accept()
    with peer:
        peer.recv(65_536)
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n")
        while not ended.wait(0.02):
            try:
                peer.sendall(b" ")
            except OSError:
                return


def test_an_answer_that_drips_is_left_after_the_timeout() -> None:
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=dripping, args=(listening, ended), daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with (
            Client(url, timeout=0.3, patience=0) as client,
            pytest.raises(StoreUnavailable, match="too long to arrive"),
        ):
            client.job(ID)
        ended.set()
        thread.join()


def test_an_answer_without_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenure.client.arriving.MOST_BYTES", 100)
    with stub(Told(200, bodies.job())) as run, Client(run.url) as client:
        with pytest.raises(StoreUnavailable, match="too large"):
            client.job(ID)
        assert len(run.asked) == 1
