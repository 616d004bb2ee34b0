"""Python values on the wire and back; every digit is kept, and what no JSON can carry is refused before it is sent."""

import asyncio
import dataclasses
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec import UNSET

from tenure.client import AsyncClient, Client
from tenure.client.call import made
from tenure.core.errors import InvalidInput, TooLarge
from tests.client import bodies
from tests.client.bodies import ID
from tests.client.stub import Asked, Stub, Told, stub

BIG = 1970670598291982290123456789
CREATED = Told(201, bodies.enqueued())


@dataclasses.dataclass
class Line:
    article: str
    amount: int


def sent(*args: Any, **said: Any) -> Any:
    with stub(CREATED) as run, Client(run.url) as client:
        client.enqueue(*args, **said)
    return run.asked[0].document


def test_python_values_travel_as_the_library_stores_them() -> None:
    number = uuid.UUID(ID)
    payload = {"id": number, "lines": [Line("pen", 3)], "at": datetime(2026, 5, 31, tzinfo=UTC), "n": BIG, "d": 0.1}
    said = sent("greet", payload, delay=timedelta(minutes=2), tags=("a", "b"), id=number)
    assert said["payload"] == {
        "id": ID,
        "lines": [{"article": "pen", "amount": 3}],
        "at": "2026-05-31T00:00:00Z",
        "n": BIG,
        "d": 0.1,
    }
    assert (said["delay"], said["tags"], said["id"]) == (120.0, ["a", "b"], ID)


def test_what_is_not_said_is_not_sent() -> None:
    assert sent("greet").keys() == {"type", "id"}
    assert uuid.UUID(sent("greet")["id"]).version == 7


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        ({"at": datetime(2026, 5, 31)}, "payload.at"),  # noqa: DTZ001 (that it has no zone is the point)
        ({"x": float("nan")}, "payload.x"),
        ({"x": {"y": object()}}, "payload.x.y"),
        ({"x": "a\0b"}, "payload.x"),
        ({"x": 10**400}, "payload.x"),
    ],
)
def test_what_no_json_can_carry_is_refused_before_it_is_sent(payload: dict[str, Any], field: str) -> None:
    with stub() as run, Client(run.url) as client, pytest.raises(InvalidInput) as caught:
        client.enqueue("greet", payload)
    assert caught.value.field.startswith(field.rpartition(".")[0])
    assert run.asked == []


def test_a_payload_that_is_too_large_is_refused_before_it_is_sent() -> None:
    with stub() as run, Client(run.url) as client, pytest.raises(TooLarge):
        client.enqueue("greet", {"x": "a" * 70_000})
    assert run.asked == []


def test_a_bad_item_of_a_batch_is_named_by_its_place() -> None:
    with stub() as run, Client(run.url) as client, pytest.raises(InvalidInput) as caught:
        client.enqueue_many([{"type": "greet"}, {"type": "greet", "payload": {"x": float("inf")}}])
    assert caught.value.field == "jobs[1].payload.x"
    with pytest.raises(InvalidInput, match=r"jobs\[0\].kind: is not a member"), Client(run.url) as client:
        client.enqueue_many([{"kind": "greet"}])  # type: ignore[typeddict-unknown-key]


def test_every_digit_of_an_answer_is_kept() -> None:
    text = f'{{"n": {BIG}, "id": 1970670598291982290, "d": 0.1}}'
    body = Told(200, bodies.job(payload={"n": BIG, "id": 1970670598291982290, "d": 0.1}))
    assert str(BIG) in text
    with stub(body) as run, Client(run.url) as client:
        payload = client.job(ID).payload
    assert payload == {"n": BIG, "id": 1970670598291982290, "d": 0.1}
    assert type(payload["n"]) is int


def test_what_the_role_may_not_see_is_unset() -> None:
    body = {name: value for name, value in bodies.job().items() if name not in ("payload", "result", "progress")}
    with stub(Told(200, body)) as run, Client(run.url) as client:
        job = client.job(ID)
    assert (job.payload, job.error, job.idempotency_key) == (UNSET, UNSET, UNSET)


def test_members_of_a_newer_service_are_left_out() -> None:
    with stub(Told(200, bodies.job(mood="good"))) as run, Client(run.url) as client:
        assert client.job(ID).id == ID


def test_null_is_a_result_and_a_note_but_says_nothing_elsewhere() -> None:
    with stub(Told(200, bodies.reported())) as run, Client(run.url) as client:
        client.complete(ID, "t", result=None, progress=None)
    assert run.asked[0].document == {"lease_token": "t", "result": None, "progress": None}
    with stub(Told(200, bodies.reported())) as run, Client(run.url) as client:
        client.fail(ID, "t", "no", error_class="terminal")
    assert run.asked[0].document == {"lease_token": "t", "error": "no", "class": "terminal"}


def test_reports_and_the_next_claim_travel_in_one_call() -> None:
    taken = {"id": ID, "standing": "done", "state": "succeeded", "status": "completed", "outcome": "succeeded"}
    told = Told(
        200, {"reports": [taken | {"end_code": None}], "claimed": {"claim_id": "c", "jobs": [bodies.claimed()]}}
    )
    with stub(told) as run, Client(run.url) as client:
        answer = client.reports(
            [{"verb": "complete", "id": ID, "lease_token": "t", "result": {"n": BIG}}], claim={"limit": 3}
        )
    said = run.asked[0].document
    assert said["reports"] == [{"verb": "complete", "id": ID, "lease_token": "t", "result": {"n": BIG}}]
    assert said["claim"]["limit"] == 3
    assert said["claim"]["claim_id"]
    assert answer.claimed is not None
    assert answer.claimed.jobs[0].fencing_token == 7


def test_names_stay_one_step_of_the_path() -> None:
    with stub(always=Told(200, bodies.kind())) as run, Client(run.url) as client:
        client.kind("a/b?c#d e")
        for name in (".", ".."):
            with pytest.raises(InvalidInput):
                client.kind(name)
        with pytest.raises(InvalidInput):
            client.job("../keys")
    assert [asked.path for asked in run.asked] == ["/kinds/a%2Fb%3Fc%23d%20e"]


def pages(run: Stub) -> list[str]:
    return [asked.path for asked in run.asked]


def test_lists_go_on_to_the_last_page() -> None:
    one = Told(200, {"jobs": [bodies.job(id="a")], "next": "a"})
    two = Told(200, {"jobs": [bodies.job(id="b")], "next": None})
    with stub(one, two) as run, Client(run.url) as client:
        assert [job.id for job in client.jobs(status="failed", limit=1)] == ["a", "b"]
    assert pages(run) == ["/jobs?status=failed&limit=1", "/jobs?status=failed&cursor=a&limit=1"]


def test_tenants_and_the_audit_go_on_to_the_last_page_in_both_clients() -> None:
    def service(asked: Asked) -> Told:
        is_last = "cursor=" in asked.path
        lane = {"name": "b" if is_last else "a", "jobs": {}, "oldest_run_at": None}
        line = {
            "at": bodies.AT,
            "who": "w",
            "verb": "v",
            "subject": "s",
            "tenant": None,
            "kind": None,
            "queue": None,
            "why": "",
            "detail": "",
        }
        if asked.path.startswith("/tenants"):
            return Told(200, {"tenants": [lane], "next": None if is_last else "a"})
        return Told(200, {"lines": [line | {"seq": 1 if is_last else 2}], "next": None if is_last else 2})

    async def ask(url: str) -> tuple[list[str], list[int], list[str]]:
        async with AsyncClient(url) as client:
            tenants = [lane.name async for lane in client.tenants()]
            return tenants, [line.seq async for line in client.audit()], [job.id async for job in client.jobs()]

    with stub(always=service) as run, Client(run.url) as client:
        assert [lane.name for lane in client.tenants()] == ["a", "b"]
        assert [line.seq for line in client.audit()] == [2, 1]
    page = Told(200, {"jobs": [bodies.job(id="a")], "next": None})
    with stub(always=lambda asked: page if asked.path == "/jobs" else service(asked)) as run:
        assert asyncio.run(ask(run.url)) == (["a", "b"], [2, 1], ["a"])


def test_a_member_that_the_operation_does_not_have_is_refused() -> None:
    with pytest.raises(InvalidInput, match="mood: is not a member"):
        made("cancel", {"id": ID, "mood": "good"}, lambda _status, _content: None)
    with pytest.raises(InvalidInput, match="mood: is not a member"):
        made("list_kinds", {"mood": "good"}, lambda _status, _content: None)
