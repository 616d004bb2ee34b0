"""V-02: kinds are an allowlist. What nobody declared is refused with 422, by its field, and nothing is stored."""

from typing import Any

import pytest

from tests.security.gate import Gate, refusal

STRANGERS = (
    "nobody declared it", "MAIL", "Mail", " mail", "mail ", "mail\t", "maıl", "ｍail", "mail\u200b", "m\u0061\u0300il",
    "mail/sum", "mail;sum", "mail,sum", "*", "%", "_ail", "mail' OR '1'='1", "__class__", "../mail", "None", "null",
    "x" * 200,
)  # fmt: skip


def unknown(answer: Any, field: str) -> None:
    said = answer.json()
    assert refusal(answer) == (422, "unknown_kind"), said
    assert (said["field"], said["pointer"]) == (field, "/" + field.replace("[", "/").replace("]", ""))


@pytest.mark.parametrize("name", STRANGERS)
def test_a_kind_that_nobody_declared_is_refused(gate: Gate, name: str) -> None:
    admin = gate.key("admin")
    unknown(gate.call(admin, "enqueue", {"type": name}), "type")
    told = gate.call(admin, "enqueue_many", {"jobs": [{"type": name}, {"type": "mail"}]}).json()["jobs"]
    assert [one["status"] for one in told] == [422, 201]
    assert told[0]["problem"]["code"] == "unknown_kind"
    unknown(gate.call(admin, "claim", {"types": ["mail", name]}), "types[1]")
    assert [job["type"] for job in gate.call(admin, "list_jobs").json()["jobs"]] == ["mail"]


@pytest.mark.parametrize("name", ["", " ", "\t\n", "x" * 201, 7, None, True, ["mail"], {"name": "mail"}])
def test_what_cannot_be_a_kind_is_refused_by_its_field(gate: Gate, name: Any) -> None:
    answer = gate.call(gate.key("admin"), "enqueue", {"type": name})
    assert answer.status_code == 422
    assert answer.json()["field"] == "type"
    assert gate.call(gate.key("admin"), "enqueue", {}).json()["field"] == "type"


def test_a_credential_of_some_kinds_learns_of_no_others(gate: Gate) -> None:
    """A kind that exists and one that does not are refused alike, before anything is looked up."""
    for role, body in (("producer", {"type": "{}"}), ("worker", {"types": ["{}"]})):
        text = gate.key(role, kinds=["sum"])
        told = []
        for name in ("mail", "nail"):
            said = {key: name if value == "{}" else [name] for key, value in body.items()}
            answer = gate.call(text, "enqueue" if role == "producer" else "claim", said)
            assert refusal(answer) == (403, "kind_forbidden")
            told.append({k: v for k, v in answer.json().items() if k != "request_id"} | {"detail": ""})
        assert told[0] == told[1]
        assert gate.call(text, "show_kind", name="mail").status_code == 404
        assert [one["name"] for one in gate.call(text, "list_kinds").json()["kinds"]] == ["sum"]


def test_a_worker_gets_only_kinds_of_its_credential(gate: Gate) -> None:
    producer = gate.key("producer")
    for name in ("mail", "sum"):
        assert gate.call(producer, "enqueue", {"type": name}).status_code == 201
    worker = gate.key("worker", kinds=["sum"])
    got = gate.call(worker, "claim", {"limit": 10}).json()["jobs"]
    assert [job["type"] for job in got] == ["sum"]


def test_only_who_may_widens_the_list(gate: Gate) -> None:
    assert gate.call(gate.key("producer"), "set_kind", {}, name="new").status_code == 403
    assert gate.call(gate.key("viewer"), "set_kind", {}, name="new").status_code == 403
    assert refusal(gate.call(gate.key("worker"), "set_kind", {}, name="new")) == (403, "kind_forbidden")
    assert refusal(gate.call(gate.key("worker", kinds=["old"]), "set_kind", {}, name="new")) == (403, "kind_forbidden")
    unknown(gate.call(gate.key("producer"), "enqueue", {"type": "new"}), "type")
    assert gate.call(gate.key("worker", kinds=["new"]), "set_kind", {}, name="new").status_code == 200
    assert gate.call(gate.key("producer"), "enqueue", {"type": "new"}).status_code == 201


def test_the_payload_of_a_kind_is_held_to_its_schema(gate: Gate) -> None:
    schema = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
    admin = gate.key("admin")
    assert gate.call(admin, "set_kind", {"schema": schema}, name="mail").status_code == 200
    for payload in ({}, {"to": 7}, {"to": None}):
        answer = gate.call(admin, "enqueue", {"type": "mail", "payload": payload})
        assert answer.status_code == 422
        assert answer.json()["field"].startswith("payload")
    assert gate.call(admin, "enqueue", {"type": "mail", "payload": {"to": "a"}}).status_code == 201
