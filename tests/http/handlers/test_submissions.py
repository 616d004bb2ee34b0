"""Submissions: what is refused, what travels together, what is kept."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from tenure import Tenure
from tenure.core.errors import StoreUnavailable, TenureError
from tenure.http.options import ServiceOptions
from tenure.http.service import Service
from tenure.stores.protocol import Store
from tests.http.handlers.asking import ADMIN, PRODUCER, Asking, until

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.parametrize(
    ("said", "field", "code"),
    [
        ({"type": "mail", "payload": {"to": 1}}, "payload.to", "wrong_type"),
        ({"payload": {"n": "x" * 70_000}}, "payload", "too_large"),
        ({"payload": {"n": "\0"}}, "payload.n", "nul_character"),
        ({"delay": 1, "run_at": "2030-01-01T00:00:00Z"}, "delay", "invalid_input"),
        ({"deadline": "1999-01-01T00:00:00Z"}, "deadline", "deadline_before_run_at"),
        ({"id": "no uuid"}, "id", "invalid_input"),
        ({"deadline": "1960-01-01T00:00:00Z"}, "deadline", "invalid_input"),
        ({"idempotency_key": "ü" * 300}, "idempotency_key", "too_large"),
    ],
)
def test_a_bad_member_is_refused_by_its_name(memory: Asking, said: dict[str, Any], field: str, code: str) -> None:
    told = memory(PRODUCER, "enqueue", {"type": "sum", **said})
    assert (told.status, told["field"], told["code"]) == (422, field, code)


@pytest.mark.parametrize("number", [2**53 + 1, 2**64 + 1, -(10**300), 1.5])
def test_every_digit_of_a_payload_comes_back(ask: Asking, number: float) -> None:
    job = ask(PRODUCER, "enqueue", {"type": "sum", "payload": {"n": number}})
    stored = ask.service.app.read(job["id"])
    assert stored is not None
    assert stored.payload == f'{{"n":{number}}}'


def test_the_trace_of_the_request_is_the_jobs(memory: Asking) -> None:
    assert memory(PRODUCER, "enqueue", {"type": "sum"}, traceparent=TRACE)["trace"] == TRACE
    assert memory(PRODUCER, "enqueue", {"type": "sum"})["trace"] is None


def test_an_id_makes_an_enqueue_repeatable(ask: Asking) -> None:
    said = {"type": "sum", "id": "0190A000-0000-7000-8000-000000000001"}
    first, again = ask(PRODUCER, "enqueue", said), ask(PRODUCER, "enqueue", said)
    assert (first.status, again.status, again["id"]) == (201, 200, said["id"].lower())
    other = ask(PRODUCER, "enqueue", {**said, "payload": {"n": 1}})
    assert (other.status, other["code"]) == (409, "job_id_reused")


def test_each_member_of_a_batch_has_its_own_verdict_in_order(ask: Asking) -> None:
    known = ask(PRODUCER, "enqueue", {"type": "sum", "idempotency_key": "k"})
    members: list[Any] = [
        {"type": "sum"},
        {"type": "sum", "idempotency_key": "k"},
        {"type": "sum", "idempotency_key": "k", "payload": {"n": 2}},
        {"type": "nobody knows it"},
        {"type": "sum", "max_retries": "three"},
        {"type": "sum", "colour": "red"},
        {"payload": {}},
        {"type": "sum", "deadline": "1999-01-01T00:00:00Z"},
        7,
        {"type": "mail", "payload": {"to": "ada"}},
    ]
    told = ask(PRODUCER, "enqueue_many", {"jobs": members})["jobs"]
    assert [one["status"] for one in told] == [201, 200, 409, 422, 422, 422, 422, 422, 422, 201]
    assert told[1]["id"] == told[2]["problem"]["job_id"] == known["id"]
    assert [told[place]["problem"].get("field") for place in range(3, 9)] == [
        "type", "max_retries", "colour", "type", "deadline", "jobs",
    ]  # fmt: skip
    assert ask.service.app.read(told[9]["job"]["id"]) is not None


def test_a_key_twice_in_a_batch_is_one_job(ask: Asking) -> None:
    told = ask(PRODUCER, "enqueue_many", {"jobs": [{"type": "sum", "idempotency_key": "k"}] * 2})["jobs"]
    assert [one["created"] for one in told] == [True, False]
    assert told[0]["id"] == told[1]["id"]


class Counted(Tenure):
    """Holds each round up until it is let go, and counts what travels in it."""

    def __init__(self) -> None:
        super().__init__("memory://")
        self.rounds: list[int] = []
        self.gate = asyncio.Event()

    async def asubmit_each(self, items: Sequence[Any]) -> Any:
        self.rounds.append(len(items))
        await self.gate.wait()
        return await super().asubmit_each(items)


@pytest.fixture
def counted(store: Store) -> Any:
    app = Counted()
    app.use(store)
    asking = Asking(Service(app, ServiceOptions(upkeep=False)))
    asking.run(asking.service.app.aopened())
    yield asking
    asking.close()
    app.close()


async def _together(ask: Asking, bodies: list[dict[str, Any]]) -> list[Any]:
    """The first is on its way while the others arrive."""
    app = ask.service.app
    assert isinstance(app, Counted)
    first = asyncio.create_task(ask.asked(ADMIN, "enqueue", bodies[0]))
    await until(lambda: app.rounds)
    tasks = [first, *(asyncio.create_task(ask.asked(ADMIN, "enqueue", body)) for body in bodies[1:])]
    await until(lambda: sum(map(len, ask.service.intake._rounds._lines.values())) == len(bodies) - 1)
    app.gate.set()
    return await asyncio.gather(*tasks)


def test_what_arrives_while_a_round_is_on_its_way_goes_together(counted: Asking) -> None:
    counted(ADMIN, "set_kind", name="sum")
    told = counted.run(_together(counted, [{"type": "sum", "payload": {"n": n}} for n in range(50)]))
    app = counted.service.app
    assert isinstance(app, Counted)
    assert [one.status for one in told] == [201] * 50
    assert [one["payload"]["n"] for one in told] == list(range(50))
    assert app.rounds[0] == 1
    assert sum(app.rounds) == 50
    assert len(app.rounds) == 2


def test_a_clash_in_a_round_stops_no_other(counted: Asking) -> None:
    counted(ADMIN, "set_kind", name="sum")
    bodies = [{"type": "sum", "idempotency_key": "k", "payload": {"n": n}} for n in (1, 1, 2)]
    bodies += [{"type": "sum", "deadline": "1999-01-01T00:00:00Z"}, {"type": "sum"}]
    told = counted.run(_together(counted, bodies))
    assert [one.status for one in told] == [201, 200, 409, 422, 201]


def test_while_the_database_is_away_everybody_in_the_round_is_told(
    memory: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(items: Sequence[Any]) -> list[TenureError]:
        raise StoreUnavailable("refused by secret-host:5432")

    monkeypatch.setattr(memory.service.intake._rounds, "_send", away)

    async def several() -> list[Any]:
        return await asyncio.gather(*(memory.asked(PRODUCER, "enqueue", {"type": "sum"}) for _ in range(3)))

    told = memory.run(several())
    assert [(one.status, one["code"]) for one in told] == [(503, "store_unavailable")] * 3
    assert "secret-host" not in str(told[0].body)


def test_a_round_that_fails_as_a_whole_goes_one_by_one(memory: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = memory.service.app.asubmit_each

    async def brittle(items: Sequence[Any]) -> Any:
        await asyncio.sleep(0)
        if any(item.sent == {"n": "bad"} for item in items):
            raise TenureError("no store takes it", code="odd_row")
        return await sent(items)

    monkeypatch.setattr(memory.service.intake._rounds, "_send", brittle)

    async def several() -> list[Any]:
        bodies = [{"type": "sum", "payload": {"n": n}} for n in (1, 2, "bad", 3)]
        return await asyncio.gather(*(memory.asked(PRODUCER, "enqueue", body) for body in bodies))

    assert [one.status for one in memory.run(several())] == [201, 201, 500, 201]
