"""V-04: a worker's name comes from its credential. A body may repeat it, and cannot choose it."""

from typing import Any

import pytest

from tests.security.gate import NOBODY, Gate, refusal

VERBS: dict[str, dict[str, Any]] = {"heartbeat": {}, "complete": {}, "fail": {}, "release": {}, "snooze": {"delay": 1}}
OTHERS = ("w2", "W1", "w1 ", " w1", "w１", "w1\u200b", "admin", "*")


def forbidden(answer: Any) -> None:
    assert refusal(answer) == (403, "worker_id_forbidden"), answer.text
    assert answer.json()["field"].rpartition(".")[2] == "worker_id"


def running(gate: Gate, worker: str) -> dict[str, Any]:
    assert gate.call(gate.key("producer"), "enqueue", {"type": "mail"}).status_code == 201
    job: dict[str, Any] = gate.call(worker, "claim", {}).json()
    return job


@pytest.mark.parametrize("said", OTHERS)
def test_another_name_is_refused_by_every_verb_before_anything_is_looked_up(gate: Gate, said: str) -> None:
    worker = gate.key("worker", "w1")
    job = running(gate, worker)
    forbidden(gate.call(worker, "claim", {"worker_id": said}))
    for job_id in (job["id"], NOBODY):
        for verb, more in VERBS.items():
            forbidden(
                gate.call(worker, verb, {"lease_token": job["lease_token"], "worker_id": said, **more}, id=job_id)
            )
        one = {"id": job_id, "lease_token": job["lease_token"], "worker_id": said}
        forbidden(gate.call(worker, "heartbeats", {"beats": [one]}))
        for verb, more in VERBS.items():
            if verb != "heartbeat":
                forbidden(gate.call(worker, "reports", {"reports": [{"verb": verb, **one, **more}]}))
    forbidden(gate.call(worker, "reports", {"reports": [], "claim": {"worker_id": said}}))
    assert gate.call(worker, "show_job", id=job["id"]).json()["worker_id"] == "w1"


def test_one_wrong_name_in_a_batch_lets_none_of_it_happen(gate: Gate) -> None:
    worker = gate.key("worker", "w1")
    job, other = running(gate, worker), running(gate, worker)
    reports = [
        {"verb": "complete", "id": job["id"], "lease_token": job["lease_token"]},
        {"verb": "complete", "id": other["id"], "lease_token": other["lease_token"], "worker_id": "w2"},
    ]
    forbidden(gate.call(worker, "reports", {"reports": reports}))
    assert gate.call(worker, "show_job", id=job["id"]).json()["status"] == "running"


def test_the_own_name_is_taken_and_stands_on_job_attempt_and_list(gate: Gate) -> None:
    worker, admin = gate.key("worker", "w1"), gate.key("admin")
    assert gate.call(gate.key("producer"), "enqueue", {"type": "mail"}).status_code == 201
    said = {"worker_id": "w1", "holder": {"host": "w2", "process": 7, "code_version": "w2"}}
    job = gate.call(worker, "claim", said).json()
    assert job["worker_id"] == "w1"
    assert [one["worker_id"] for one in gate.call(admin, "list_workers").json()["workers"]] == ["w1"]
    for verb in ("heartbeat", "complete"):
        body = {"lease_token": job["lease_token"], "worker_id": "w1"}
        assert gate.call(worker, verb, body, id=job["id"]).status_code == 200
    [attempt] = gate.call(admin, "list_attempts", id=job["id"]).json()["attempts"]
    assert (attempt["worker_id"], attempt["holder"]["host"]) == ("w1", "w2")


@pytest.mark.parametrize("header", ["x-worker-id", "worker-id", "x-forwarded-user", "from", "user-agent"])
def test_no_header_names_a_worker(gate: Gate, header: str) -> None:
    assert gate.call(gate.key("producer"), "enqueue", {"type": "mail"}).status_code == 201
    job = gate.ask(gate.key("worker", "w1"), "POST", "/jobs/claim", json={}, headers={header: "w2"}).json()
    assert job["worker_id"] == "w1"


def test_a_query_names_no_worker(gate: Gate) -> None:
    answer = gate.ask(gate.key("worker", "w1"), "POST", "/jobs/claim", json={}, params={"worker_id": "w2"})
    assert answer.status_code == 422
    assert answer.json()["field"] == "worker_id"


def test_no_two_keys_have_one_name(gate: Gate) -> None:
    """Else one worker could use the leases of another."""
    admin = gate.key("admin")
    assert gate.call(admin, "create_key", {"name": "w1", "role": "worker"}).status_code == 201
    assert refusal(gate.call(admin, "create_key", {"name": "w1", "role": "worker"})) == (409, "key_name_taken")
    assert refusal(gate.call(admin, "create_key", {"name": "w1", "role": "viewer"})) == (409, "key_name_taken")


@pytest.mark.parametrize("name", ["w 1", "w\n1", "wı", "-w", ".w", "w/1", "", "w" * 201, "w\u202e1", "w\x00"])
def test_a_name_cannot_be_made_to_look_like_another(gate: Gate, name: str) -> None:
    answer = gate.call(gate.key("admin"), "create_key", {"name": name, "role": "worker"})
    assert answer.status_code == 422
    assert answer.json()["field"] == "name"
