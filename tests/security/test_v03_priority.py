"""V-03: nobody asks for a higher priority than its credential allows, in whatever words."""

from typing import Any

import pytest

from tests.security.gate import Gate, refusal

LABELS = {"low": 0, "medium": 10, "high": 20, "critical": 30}


def forbidden(answer: Any) -> None:
    assert refusal(answer) == (403, "priority_forbidden"), answer.text
    assert answer.json()["field"] == "priority"


@pytest.mark.parametrize("most", LABELS)
def test_a_label_or_number_above_the_credential_is_refused(gate: Gate, most: str) -> None:
    text = gate.key("producer", max_priority=most)
    for label, number in LABELS.items():
        for said in (label, number):
            body = {"type": "mail", "priority": said}
            answer = gate.call(text, "enqueue", body)
            [item] = gate.call(text, "enqueue_many", {"jobs": [body]}).json()["jobs"]
            if number <= LABELS[most]:
                assert (answer.status_code, item["status"]) == (201, 201)
                assert answer.json()["priority"] == item["job"]["priority"] == label
            else:
                forbidden(answer)
                assert (item["status"], item["problem"]["code"]) == (403, "priority_forbidden")


def test_one_above_is_above_and_any_number_below_is_not(gate: Gate) -> None:
    text = gate.key("producer", max_priority="medium")
    forbidden(gate.call(text, "enqueue", {"type": "mail", "priority": 11}))
    for number in (10, 9, 0, -1, -1000):
        assert gate.call(text, "enqueue", {"type": "mail", "priority": number}).status_code == 201


def test_medium_is_the_most_where_nothing_is_said_of_a_producer(gate: Gate) -> None:
    text = gate.key("producer")
    assert gate.call(text, "enqueue", {"type": "mail", "priority": "medium"}).status_code == 201
    forbidden(gate.call(text, "enqueue", {"type": "mail", "priority": "high"}))


def test_an_admin_is_bounded_only_where_that_is_said(gate: Gate) -> None:
    assert gate.call(gate.key("admin"), "enqueue", {"type": "mail", "priority": 32_767}).status_code == 201
    forbidden(gate.call(gate.key("admin", max_priority="low"), "enqueue", {"type": "mail", "priority": "medium"}))


@pytest.mark.parametrize(
    "said",
    ["HIGH", "High", " high", "high ", "critical\u200b", "20", "1e9", "", 20.0, 20.5, 1e3, True, [20], {"n": 20},
     2**31, 2**63, 10**300, -(10**300)],
)  # fmt: skip
def test_other_spellings_of_a_priority_are_no_way_round(gate: Gate, said: Any) -> None:
    text = gate.key("producer", max_priority="medium")
    answer = gate.call(text, "enqueue", {"type": "mail", "priority": said})
    assert answer.status_code in (403, 422), answer.text
    assert answer.json()["field"] == "priority"
    assert gate.call(text, "list_jobs").json()["jobs"] == []


def test_two_priorities_in_one_body_are_refused(gate: Gate) -> None:
    text = gate.key("producer", max_priority="medium")
    body = b'{"type":"mail","priority":"low","priority":"critical"}'
    answer = gate.ask(text, "POST", "/jobs", content=body, headers={"content-type": "application/json"})
    assert refusal(answer) == (422, "duplicate_key")


def test_the_default_of_a_kind_lifts_nobody(gate: Gate) -> None:
    chief = gate.key("operator", max_priority="critical")
    assert gate.call(chief, "set_kind", {"priority": "critical"}, name="mail").status_code == 200
    text = gate.key("producer", max_priority="medium")
    forbidden(gate.call(text, "enqueue", {"type": "mail"}))
    forbidden(gate.call(text, "enqueue", {"type": "mail", "priority": None}))
    assert gate.call(text, "enqueue", {"type": "mail", "priority": "low"}).json()["priority"] == "low"


def test_nobody_gives_a_kind_a_default_above_its_own(gate: Gate) -> None:
    for role in ("worker", "operator", "admin"):
        text = gate.key(role, kinds=["mail"], max_priority="medium")
        forbidden(gate.call(text, "set_kind", {"priority": "high"}, name="mail"))
        forbidden(gate.call(text, "set_kind", {"priority": 11}, name="mail"))


def test_the_same_key_again_lifts_no_job(gate: Gate) -> None:
    low, high = gate.key("producer", max_priority="low"), gate.key("producer", max_priority="high")
    body = {"type": "mail", "idempotency_key": "k"}
    first = gate.call(low, "enqueue", {**body, "priority": "low"}).json()
    forbidden(gate.call(low, "enqueue", {**body, "priority": "high"}))
    assert gate.call(high, "enqueue", {**body, "priority": "high"}).status_code == 200
    assert gate.call(low, "show_job", id=first["id"]).json()["priority"] == "low"


def test_no_later_call_lifts_a_job(gate: Gate) -> None:
    """Redrives, failures and the rest take no priority, and keep the one that the job has."""
    admin, worker = gate.key("admin"), gate.key("worker")
    job = gate.call(admin, "enqueue", {"type": "mail", "priority": "low", "max_retries": 0}).json()
    held = gate.call(worker, "claim", {}).json()
    for name in ("heartbeat", "fail", "release", "snooze", "complete"):
        said = {"lease_token": held["lease_token"], "delay": 1, "priority": "critical"}
        assert gate.call(worker, name, said, id=job["id"]).json()["field"] in ("priority", "delay"), name
    assert gate.call(worker, "claim", {"priority": "critical"}).json()["field"] == "priority"
    said = {"lease_token": held["lease_token"]}
    assert gate.call(worker, "fail", said, id=job["id"]).json()["status"] == "failed"
    assert gate.call(admin, "redrive", {"priority": "critical"}, id=job["id"]).json()["field"] == "priority"
    assert gate.call(admin, "redrive", {}, id=job["id"]).status_code == 200
    assert gate.call(admin, "show_job", id=job["id"]).json()["priority"] == "low"
