"""V-09: probing another caller's idempotency key tells nothing: not by status, not by body, not by the work done.

Time is not measured. The statements that run are compared instead: the same statements in the same order take the
same class of time.
"""

import re
from typing import Any, Final

import httpx2
import pytest

from tests.security.gate import Gate, refusal
from tests.security.recording import recorded

USED, FREE = "the key of another", "the key of nobody"
_OWN: Final = re.compile(r'"[0-9a-f]{8}-[0-9a-f-]{27}"|(?<="request_id":)"[^"]*"|"\d{4}-\d\d-\d\dT[^"]*"')
"""Ids, request ids and instants, which differ from call to call."""

Probed = tuple[int, str, list[str]]


def alike(answer: httpx2.Response) -> str:
    """The body without what is every answer's own, and without the key that was sent."""
    return _OWN.sub('"…"', answer.text.replace(USED, "KEY").replace(FREE, "KEY"))


def probe(gate: Gate, monkeypatch: pytest.MonkeyPatch, credential: str, **said: Any) -> Probed:
    with recorded(gate.store, monkeypatch) as statements:
        answer = gate.call(credential, "enqueue", {"type": "mail", "payload": {"n": 2}, **said})
    return answer.status_code, alike(answer), statements


def probe_batch(gate: Gate, monkeypatch: pytest.MonkeyPatch, credential: str, **said: Any) -> Probed:
    with recorded(gate.store, monkeypatch) as statements:
        job = {"type": "mail", "payload": {"n": 2}, **said}
        answer = gate.call(credential, "enqueue_many", {"jobs": [job]})
    return answer.status_code, alike(answer), statements


PROBES: Final = pytest.mark.parametrize("ask", [probe, probe_batch], ids=["alone", "in a batch"])


def victim(gate: Gate, **scope: Any) -> dict[str, Any]:
    """Another caller's job under the key."""
    text = gate.key("producer", **scope)
    job = {"type": "mail", "payload": {"n": 1}, "idempotency_key": USED, "tenant": "theirs"}
    answer = gate.call(text, "enqueue", job)
    assert answer.status_code == 201
    made: dict[str, Any] = answer.json()
    return made


@PROBES
def test_the_key_of_another_tenant_is_as_free_as_any(either: Gate, monkeypatch: pytest.MonkeyPatch, ask: Any) -> None:
    theirs = victim(either)
    mine = either.key("producer", tenants=["mine"])
    assert either.call(mine, "list_jobs").status_code == 200
    used = ask(either, monkeypatch, mine, idempotency_key=USED)
    free = ask(either, monkeypatch, mine, idempotency_key=FREE)
    assert used == free
    assert used[0] == (201 if ask is probe else 200)
    assert any("INSERT" in statement for statement in used[2])
    assert theirs["id"] not in [job["id"] for job in either.call(mine, "list_jobs").json()["jobs"]]


@PROBES
def test_another_tenant_is_refused_before_any_lookup(either: Gate, monkeypatch: pytest.MonkeyPatch, ask: Any) -> None:
    victim(either)
    mine = either.key("producer", tenants=["mine"])
    assert either.call(mine, "list_jobs").status_code == 200
    told = [
        ask(either, monkeypatch, mine, idempotency_key=key, tenant=tenant, payload=payload)
        for key in (USED, FREE)
        for tenant in ("theirs", "nobody")
        for payload in ({"n": 1}, {"n": 2})
    ]
    for status, body, statements in told:
        assert (status, statements) == (403 if ask is probe else 200, [])
        assert body.replace("nobody", "theirs") == told[0][1]
        assert "tenant_forbidden" in body


@PROBES
def test_another_kind_is_refused_before_any_lookup(either: Gate, monkeypatch: pytest.MonkeyPatch, ask: Any) -> None:
    victim(either)
    mine = either.key("producer", kinds=["sum"], tenants=["theirs"])
    assert either.call(mine, "list_jobs").status_code == 200
    told = [ask(either, monkeypatch, mine, idempotency_key=key) for key in (USED, FREE)]
    assert told[0] == told[1]
    assert (told[0][0], told[0][2]) == (403 if ask is probe else 200, [])
    assert "kind_forbidden" in told[0][1]


@PROBES
def test_the_key_of_another_kind_is_as_free_as_any(either: Gate, monkeypatch: pytest.MonkeyPatch, ask: Any) -> None:
    victim(either)
    mine = either.key("producer", kinds=["sum"], tenants=["theirs"])
    assert either.call(mine, "enqueue", {"type": "sum"}).status_code == 201
    used = ask(either, monkeypatch, mine, idempotency_key=USED, type="sum")
    free = ask(either, monkeypatch, mine, idempotency_key=FREE, type="sum")
    assert used == free
    assert used[0] == (201 if ask is probe else 200)
    assert any("INSERT" in statement for statement in used[2])


@PROBES
def test_another_queue_or_priority_is_refused_before_any_lookup(
    either: Gate, monkeypatch: pytest.MonkeyPatch, ask: Any
) -> None:
    victim(either)
    mine = either.key("producer", queues=["default"], tenants=["theirs"])
    assert either.call(mine, "list_jobs").status_code == 200
    for outside in ({"queue": "theirs"}, {"priority": "critical"}):
        used = ask(either, monkeypatch, mine, idempotency_key=USED, **outside)
        free = ask(either, monkeypatch, mine, idempotency_key=FREE, **outside)
        assert used == free
        assert (used[0], used[2]) == (403 if ask is probe else 200, [])
        assert f"{next(iter(outside))}_forbidden" in used[1]


@PROBES
@pytest.mark.parametrize(
    ("outside", "code"), [({"queue": "theirs"}, "queue_forbidden"), ({"priority": "critical"}, "priority_forbidden")]
)
def test_what_is_said_outside_the_scope_is_refused_before_the_kind_is_looked_up(
    either: Gate, monkeypatch: pytest.MonkeyPatch, ask: Any, outside: dict[str, str], code: str
) -> None:
    """Else whoever names a queue of others would be told which kinds there are, before being told no."""
    mine = either.key("producer", queues=["default"])
    assert either.call(mine, "list_jobs").status_code == 200
    status, body, statements = ask(either, monkeypatch, mine, type="unheard-of", **outside)
    assert (status, statements) == (403 if ask is probe else 200, [])
    assert code in body
    assert "unknown_kind" not in body
    assert "unknown_kind" in ask(either, monkeypatch, mine, type="unheard-of")[1]


def test_a_conflict_names_no_job_that_the_caller_may_not_see(either: Gate) -> None:
    chief = either.key("producer")
    said = {"type": "mail", "idempotency_key": USED, "tenant": "theirs"}
    theirs = either.call(chief, "enqueue", {**said, "queue": "secret", "payload": {"n": 1}}).json()
    mine = either.key("producer", tenants=["theirs"], queues=["default"])
    answer = either.call(mine, "enqueue", {**said, "payload": {"n": 2}})
    assert refusal(answer) == (409, "idempotency_key_reused")
    assert theirs["id"] not in answer.text
    assert "job_id" not in answer.json()
    shared = either.call(chief, "enqueue", {**said, "payload": {"n": 2}})
    assert shared.json()["job_id"] == theirs["id"]


def test_a_matched_job_out_of_sight_shows_its_id_alone(either: Gate) -> None:
    chief = either.key("producer")
    said = {"type": "mail", "idempotency_key": USED, "tenant": "theirs", "payload": {"secret": 1}}
    theirs = either.call(chief, "enqueue", {**said, "queue": "secret"}).json()
    mine = either.key("producer", tenants=["theirs"], queues=["default"])
    answer = either.call(mine, "enqueue", said)
    assert (answer.status_code, answer.json()) == (200, {"id": theirs["id"], "created": False})
    [item] = either.call(mine, "enqueue_many", {"jobs": [said]}).json()["jobs"]
    assert item == {"status": 200, "id": theirs["id"], "created": False, "job": None, "problem": None}


def test_an_id_of_another_tenant_tells_no_more_than_that_it_is_taken(either: Gate) -> None:
    """Ids are chosen by callers and unique in the whole database: that one is taken cannot be hidden, whose it is
    can."""
    theirs = victim(either)
    mine = either.key("producer", tenants=["mine"])
    for payload in ({"n": 1}, {"n": 2}):
        answer = either.call(mine, "enqueue", {"type": "mail", "id": theirs["id"], "payload": payload})
        assert answer.status_code in (200, 409), answer.text
        assert answer.json().keys() <= {
            "id", "created", "type", "title", "status", "code", "detail", "hint", "request_id"
        }  # fmt: skip
        assert "theirs" not in answer.text


def test_the_lists_of_a_tenant_hold_no_key_of_another(either: Gate) -> None:
    victim(either)
    mine = either.key("producer", tenants=["mine"])
    own = {"type": "mail", "idempotency_key": "my own", "tenant": "mine"}
    assert either.call(mine, "enqueue", own).status_code == 201
    for name in ("list_jobs", "list_queues", "list_tenants", "list_workers"):
        answer = either.call(mine, name)
        assert answer.status_code == 200
        assert USED not in answer.text
        assert "theirs" not in answer.text
    assert "my own" in either.call(mine, "list_jobs").text
    assert [one["name"] for one in either.call(mine, "list_tenants").json()["tenants"]] == ["mine"]
    assert refusal(either.call(mine, "list_jobs", query={"tenant": "theirs"})) == (403, "tenant_forbidden")


def test_a_viewer_reads_no_keys(either: Gate) -> None:
    theirs = victim(either)
    viewer = either.key("viewer")
    shown, listed = either.call(viewer, "show_job", id=theirs["id"]), either.call(viewer, "list_jobs")
    for answer in (shown, listed):
        assert answer.status_code == 200
        assert theirs["id"] in answer.text
        assert USED not in answer.text
